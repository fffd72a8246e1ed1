/* Rules about names: of tools, servers, goals and models. Thread: any. */
#ifndef AS_RULES_H
#define AS_RULES_H

#include "core/base/memory.h"

/* "server__tool" apart at its last "__" (reference page 7.1). False when there is none: server is empty and tool is all
 * of it then. The parts are borrowed from `qualified`. */
bool as_qualified_split(assay_str qualified, assay_str *server, assay_str *tool);

/* Append a goal's id made of what the model called it (reference page 7.2): trimmed, lower-case, spaces and underscores
 * as "-", else only letters, digits and "-", the prefix in front unless it is there, 80 characters at most. */
void as_goal_slug(as_buf *out, assay_str raw, assay_str prefix);

/* Append id, with "-2", "-3" and so on until `taken` denies it. The caller notes the result, also of goals that it
 * drops later. */
typedef bool (*as_taken_fn)(void *payload, assay_str id);
void as_goal_unique(as_buf *out, assay_str id, as_taken_fn taken, void *payload);

/* Append the server id for a catalogue's name (reference page 7.6): "io.github.User/My-Server" gives
 * "io_github_user__my_server". */
void as_server_slug(as_buf *out, assay_str name);

/* A server's class (AS_CLASS_... of core/task/catalogue.h) as its tool names suggest it (reference page 7.6), or
 * ASSAY_ENOMEM. */
int as_guess_class(const assay_str *tools, size_t n);

/* Is one of the name's words destructive (reference page 7.6)? Words end where a capital follows a small letter or a
 * digit, too. */
bool as_is_destructive_name(assay_str tool);

/* Does the name promise a read: is its first word a reading verb and none of its words destructive (design page
 * "replay", rule 1) or creating, as in get_or_create? */
bool as_is_read_name(assay_str tool);

/* The family of a model id such as "moonshotai/kimi-k2.6" (reference page 7.5), "unknown" when it has none. */
assay_str as_model_family(assay_str model);

#endif
