/* Vetting: what can be seen without a call: class, smells; and what an answer says is missing. */
#include "core/run/vet_private.h"

#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include "core/task/rules.h"
#include <stdio.h>
#include <string.h>

static assay_json *proposal(const as_server_spec *server, const char *proposed, const char *reason)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "declared", as_json_cstring(as_class_name(server->server_class)));
	rc |= as_json_set(o, "proposed", as_json_cstring(proposed));
	rc |= as_json_set(o, "reason", as_json_cstring(reason));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

int vet_class_of(const assay_tool *t)
{
	as_buf words = {0};
	assay_str name;
	int c;
	if ((t->flags & ASSAY_TOOL_DESTRUCTIVE) ||
	    (as_json_boolean(as_json_get(t->annotations, "destructiveHint"), 0) &&
	     !as_json_boolean(as_json_get(t->annotations, "readOnlyHint"), 0))) {
		return AS_CLASS_STATEFUL_WRITE;
	}
	as_words(&words, t->name);
	name = as_buf_str(&words);
	c = as_guess_class(&name, 1);
	as_buf_free(&words);
	if (c == AS_CLASS_STATEFUL_WRITE && as_json_boolean(as_json_get(t->annotations, "readOnlyHint"), 0)) {
		return AS_CLASS_LIVE_READ;
	}
	return c;
}

assay_json *vet_class(const as_server_spec *server, assay_tools tools)
{
	static const char *const reasons[] = {"it computes, by its name or for want of a word that says more",
					      "it may read a state, and none changes one",
					      "it changes something, by its name or its annotations"};
	int proposed = AS_CLASS_STATIC;
	const assay_tool *why = NULL;
	char reason[240];
	for (size_t i = 0; i < tools.count; i++) {
		int c = vet_class_of(tools.list[i]);
		bool telling = c == AS_CLASS_LIVE_READ && as_is_read_name(tools.list[i]->name) &&
			       (!why || !as_is_read_name(why->name));
		if (c > proposed || !why || (telling && c == proposed)) {
			proposed = c > proposed ? c : proposed;
			why = tools.list[i];
		}
	}
	if (!why) {
		return proposal(server, "live_read", "it has no tools");
	}
	snprintf(reason, sizeof reason, "%.*s: %s", ASSAY_FMT(why->name), reasons[proposed]);
	return proposal(server, as_class_name(proposed), reason);
}

const char *vet_missing(assay_str text)
{
	static const struct {
		const char *phrase, *what;
	} table[] = {{"api key", "credentials"},
		     {"api_key", "credentials"},
		     {"apikey", "credentials"},
		     {"unauthorized", "credentials"},
		     {"not authenticated", "credentials"},
		     {"authentication", "credentials"},
		     {"access token", "credentials"},
		     {"invalid token", "credentials"},
		     {"credential", "credentials"},
		     {"http 401", "credentials"},
		     {"http 403", "credentials"},
		     {"not installed", "program"},
		     {"command not found", "program"},
		     {"executable not found", "program"},
		     {"enoent: spawn", "program"},
		     {"spawn ", "program"},
		     {"not configured", "configuration"},
		     {"environment variable", "configuration"}};
	as_buf low = {0};
	const char *what = NULL;
	as_lower(&low, (assay_str){text.ptr, text.len < 4000 ? text.len : 4000});
	for (size_t i = 0; i < sizeof table / sizeof *table && !what; i++) {
		if (as_str_contains(as_buf_str(&low), as_str(table[i].phrase))) {
			what = table[i].what;
		}
	}
	as_buf_free(&low);
	return what;
}

/* --- smells ------------------------------------------------------------------------------------------------------- */

int vet_smell(assay_json *smells, assay_str tool, const char *where, const char *format, ...)
{
	char what[240];
	assay_json *o = as_json_object();
	va_list args;
	int rc;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	rc = as_json_set(o, "tool", as_json_string(tool));
	rc |= as_json_set(o, "where", as_json_cstring(where));
	rc |= as_json_set(o, "what", as_json_cstring(what));
	return as_json_append(smells, o) < 0 || rc < 0 ? ASSAY_ENOMEM : 0;
}

/* Text that speaks to the model instead of telling what the tool does, or that hides something from its reader. */
static int smell_of_text(assay_json *smells, assay_str tool, const char *where, assay_str text)
{
	static const char *const orders[] = {"ignore previous",     "ignore all previous",
					     "<important>",         "do not tell the user",
					     "don't tell the user", "before using any other tool",
					     "without telling",     "system prompt"};
	as_buf low = {0};
	int rc = 0;
	as_lower(&low, text);
	for (size_t i = 0; i < sizeof orders / sizeof *orders && rc == 0; i++) {
		if (as_str_contains(as_buf_str(&low), as_str(orders[i]))) {
			rc = vet_smell(smells, tool, where, "gives orders to the model: \"%s\"", orders[i]);
		}
	}
	as_buf_free(&low);
	for (size_t i = 0; i < text.len && rc == 0;) {
		uint32_t c = as_utf8_next(text, &i);
		bool hidden = (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
			      (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F) ||
			      (c < 0x20 && c != '\n' && c != '\t' && c != '\r');
		if (hidden) {
			return vet_smell(smells, tool, where, "holds a character that nobody sees: U+%04X",
					 (unsigned)c);
		}
	}
	return rc;
}

static int smell_of_parameters(assay_json *smells, const assay_tool *t)
{
	const assay_json *properties = as_json_get(t->input_schema, "properties");
	size_t silent = 0, n = as_json_count(properties);
	int rc = 0;
	for (const assay_json *p = as_json_first(properties); p && rc == 0; p = as_json_next(p)) {
		assay_str text = as_json_str(as_json_get(p, "description"));
		char where[160];
		bool typed = as_json_get(p, "type") || as_json_get(p, "anyOf") || as_json_get(p, "oneOf") ||
			     as_json_get(p, "allOf") || as_json_get(p, "$ref") || as_json_get(p, "enum") ||
			     as_json_get(p, "const");
		snprintf(where, sizeof where, "inputSchema/properties/%.*s", ASSAY_FMT(as_json_key(p)));
		silent += text.len == 0;
		rc = smell_of_text(smells, t->name, where, text);
		if (rc == 0 && !typed) {
			rc = vet_smell(smells, t->name, where, "has no type");
		}
	}
	if (rc == 0 && silent > 0) {
		rc = vet_smell(smells, t->name, "inputSchema/properties", "%zu of %zu parameters have no description",
			       silent, n);
	}
	for (const assay_json *r = as_json_first(as_json_get(t->input_schema, "required")); r && rc == 0;
	     r = as_json_next(r)) {
		if (!as_json_get_n(properties, as_json_str(r))) {
			rc = vet_smell(smells, t->name, "inputSchema/required",
				       "\"%.*s\" is required and not described", ASSAY_FMT(as_json_str(r)));
		}
	}
	return rc;
}

static int smell_of_schema(assay_json *smells, const assay_tool *t, const assay_json *schema, const char *where)
{
	as_schema *compiled = NULL;
	assay_error why = {0};
	int rc = 0;
	if (!schema) {
		return 0;
	}
	if (!as_str_is(as_json_str(as_json_get(schema, "type")), "object")) {
		rc = vet_smell(smells, t->name, where, "its type is not \"object\"");
	}
	if (rc == 0 && as_schema_compile(schema, &compiled, &why) < 0) {
		rc = vet_smell(smells, t->name, where, "is no usable JSON Schema: %s", why.message);
	}
	as_schema_free(compiled);
	return rc;
}

static int smell_of_tool(assay_json *smells, const assay_tool *t)
{
	bool says_reads = as_json_boolean(as_json_get(t->annotations, "readOnlyHint"), 0);
	as_buf words = {0};
	int rc = 0;
	if (t->description.len < 10) {
		rc = vet_smell(smells, t->name, "description",
			       t->description.len == 0 ? "there is none" : "it says next to nothing");
	} else if (t->description.len > 2000) {
		rc = vet_smell(smells, t->name, "description", "%zu bytes long", t->description.len);
	}
	rc = rc < 0 ? rc : smell_of_text(smells, t->name, "description", t->description);
	if (rc == 0 && !t->input_schema) {
		rc = vet_smell(smells, t->name, "inputSchema", "there is none");
	}
	rc = rc < 0 ? rc : smell_of_schema(smells, t, t->input_schema, "inputSchema");
	rc = rc < 0 ? rc : smell_of_schema(smells, t, t->output_schema, "outputSchema");
	rc = rc < 0 ? rc : smell_of_parameters(smells, t);
	as_words(&words, t->name);
	if (rc == 0 && says_reads && (t->flags & ASSAY_TOOL_DESTRUCTIVE)) {
		rc = vet_smell(smells, t->name, "annotations/readOnlyHint", "its name says that it destroys");
	}
	as_buf_free(&words);
	return rc;
}

int vet_smells(assay_tools tools, const assay_json *listed, assay_json *smells)
{
	int rc = 0;
	size_t again = as_json_count(listed) - tools.count;
	if (again > 0) {
		rc = vet_smell(smells, ASSAY_STR(""), "tools", "%zu %s with another one", again,
			       again == 1 ? "tool shares its name" : "tools share their names");
	}
	for (size_t i = 0; i < tools.count && rc == 0; i++) {
		const assay_tool *t = tools.list[i];
		rc = smell_of_tool(smells, t);
		for (size_t k = 0; k < i && rc == 0; k++) {
			if (t->description.len > 0 && as_str_eq(t->description, tools.list[k]->description)) {
				rc = vet_smell(smells, t->name, "description", "the same as that of %.*s",
					       ASSAY_FMT(tools.list[k]->name));
				break;
			}
		}
	}
	return rc;
}

int vet_check_output(const assay_tool *tool, const assay_json *result, assay_json *smells)
{
	const assay_json *structured = as_json_get(result, "structuredContent");
	as_schema *compiled = NULL;
	assay_error why = {0};
	int rc = 0;
	if (!tool->output_schema) {
		return 0;
	}
	if (!structured) {
		return vet_smell(smells, tool->name, "outputSchema", "its answer has no structured content");
	}
	if (as_schema_compile(tool->output_schema, &compiled, NULL) == 0 &&
	    as_schema_validate(compiled, structured, &why) == ASSAY_EDATA) {
		rc = vet_smell(smells, tool->name, "outputSchema", "its answer does not fit: %s: %s", why.pointer,
			       why.message);
	}
	as_schema_free(compiled);
	return rc;
}
