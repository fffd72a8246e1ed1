/* Prompts that ship: plugins/ROLE/NAME.md, of which the program carries the bytes. Whoever asks a model under the name
 * ROLE/NAME gets its text as option "prompt", unless the manifest gives another file; so it is part of what an author,
 * a candidate or a judge is. A first line "<!-- ... -->" is the prompt's label (its name and version) and is not sent.
 */
#ifndef AS_PROMPTS_H
#define AS_PROMPTS_H

#include "core/base/json.h"

/* {"label": text, "text": text} of the one that ships for "ROLE/NAME". False: there is none. *out NULL and true: memory
 * is out. */
bool as_prompt_shipped(assay_str use, assay_json **out);
/* The same of a file's content, with "file". NULL: memory is out. */
assay_json *as_prompt_of(assay_str file, assay_str content);

#endif
