/* The parts of the verb plugins. */
#ifndef AS_VERB_PLUGINS_H
#define AS_VERB_PLUGINS_H

#include "core/cli/cli.h"

int as_plugins_check(as_cli *cli, const char *what, assay_error *err); /* check FILE or ROLE/NAME */
int as_plugins_new(as_cli *cli, const char *role, const char *name, assay_error *err);

int as_plugins_no_role(const char *name, assay_error *err); /* fails: there is none of this name, but which there are */

/* Modules as as_registry_survey lists them, as text of a format: markdown or man. */
int as_plugins_tables(as_cli *cli, const assay_json *modules, const char *format, assay_error *err);
/* Which services of the host it looks at when it runs with plain inputs, separated by blanks. */
void as_plugins_services(as_cli *cli, const as_impl_info *info, as_buf *out);
void as_plugins_option_type(as_buf *out, const assay_json *option); /* "integer, at least 1", for people */
void as_plugins_option_default(as_buf *out, const assay_json *schema, const assay_json *option);

#endif
