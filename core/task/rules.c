#include "core/task/rules.h"

#include "core/base/text.h"
#include "core/task/catalogue.h"

#include <string.h>

#define GOAL_ID_CHARACTERS 80u
#define WORD_SIZE 16u /* longer than any word of the lists */

/* NULL-terminated. */
static const char *const write_words[] = {"write",   "create",  "insert", "update",  "delete", "remove", "drop",
					  "commit",  "push",    "send",   "post",    "patch",  "put",    "edit",
					  "modify",  "rename",  "move",   "destroy", "store",  "save",   "upload",
					  "publish", "execute", "run",    NULL};
static const char *const read_words[] = {"read", "get",    "list",     "show",    "fetch", "search",  "query",
					 "find", "lookup", "describe", "browse",  "view",  "inspect", "load",
					 "stat", "info",   "head",     "current", "now",   NULL};
static const char *const static_words[] = {"convert",  "format", "parse",    "calculate", "render",
					   "encode",   "decode", "hash",     "validate",  "transform",
					   "compute",  "diff",   "compare",  "time",      "date",
					   "timezone", "math",   "currency", NULL};
static const char *const destructive_words[] = {"delete", "remove", "drop",      "destroy", "truncate", "purge",
						"wipe",   "reset",  "uninstall", "revoke",  "clear",    NULL};
/* What makes a writer of a tool whose name begins like a reader's: get_or_create. Only words that name nothing which
 * one could read: get_commit and show_post are reads. */
static const char *const creating_words[] = {"create", "write",   "insert", "update",  "upsert", "add",
					     "append", "set",     "modify", "rename",  "save",   "upload",
					     "send",   "replace", "make",   "publish", NULL};

static bool is_listed(const char *const *list, const char *word)
{
	while (*list && strcmp(*list, word) != 0) {
		list++;
	}
	return *list != NULL;
}

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next word of a tool name from *i on, in small letters; over-long ones are cut and so match no list. */
static bool next_word(assay_str name, size_t *i, char word[WORD_SIZE])
{
	size_t n = 0;

	for (; *i < name.len; ++*i) {
		char c = name.ptr[*i];

		if (is_capital(c) && n > 0 && (is_small(name.ptr[*i - 1]) || is_digit(name.ptr[*i - 1]))) {
			break;
		}
		if (is_capital(c) || is_small(c) || is_digit(c)) {
			if (n < WORD_SIZE - 1) {
				word[n] = is_capital(c) ? (char)(c + 32) : c;
			}
			n++;
		} else if (n > 0) {
			break;
		}
	}
	word[n < WORD_SIZE - 1 ? n : WORD_SIZE - 1] = '\0';
	return n > 0;
}

static bool has_word(assay_str tool, const char *const *list)
{
	char word[WORD_SIZE];

	for (size_t i = 0; next_word(tool, &i, word);) {
		if (is_listed(list, word)) {
			return true;
		}
	}
	return false;
}

bool as_is_destructive_name(assay_str tool)
{
	return has_word(tool, destructive_words);
}

bool as_is_read_name(assay_str tool)
{
	char word[WORD_SIZE];
	size_t i = 0;

	return next_word(tool, &i, word) && is_listed(read_words, word) && !has_word(tool, destructive_words) &&
	       !has_word(tool, creating_words);
}

/* What the [a-z]+ words of a small-letter text hold. */
typedef struct traits {
	bool writes, reads, others; /* others: words outside of the static list */
} traits;

static void note_words(assay_str s, traits *t)
{
	for (size_t i = 0; i < s.len; i++) {
		char word[WORD_SIZE];
		size_t n = 0;

		for (; i < s.len && is_small(s.ptr[i]); i++, n++) {
			if (n < WORD_SIZE - 1) {
				word[n] = s.ptr[i];
			}
		}
		word[n < WORD_SIZE - 1 ? n : WORD_SIZE - 1] = '\0';
		if (n > 0) {
			t->writes = t->writes || is_listed(write_words, word);
			t->reads = t->reads || is_listed(read_words, word);
			t->others = t->others || !is_listed(static_words, word);
		}
	}
}

int as_guess_class(const assay_str *tools, size_t n)
{
	as_buf lower = {0};
	traits t = {0};
	bool failed;

	for (size_t i = 0; i < n; i++) {
		as_buf_clear(&lower);
		as_lower(&lower, tools[i]);
		note_words(as_buf_str(&lower), &t);
	}
	failed = lower.failed;
	as_buf_free(&lower);
	if (failed) {
		return ASSAY_ENOMEM;
	}
	if (t.writes) {
		return AS_CLASS_STATEFUL_WRITE;
	}
	return n == 0 || t.reads || t.others ? AS_CLASS_LIVE_READ : AS_CLASS_STATIC;
}

bool as_qualified_split(assay_str qualified, assay_str *server, assay_str *tool)
{
	*server = (assay_str){qualified.ptr, 0};
	*tool = qualified;
	for (size_t i = qualified.len; i >= 2; i--) {
		if (qualified.ptr[i - 1] == '_' && qualified.ptr[i - 2] == '_') {
			server->len = i - 2;
			*tool = (assay_str){qualified.ptr + i, qualified.len - i};
			return true;
		}
	}
	return false;
}

void as_goal_slug(as_buf *out, assay_str raw, assay_str prefix)
{
	as_buf lower = {0}, slug = {0};
	assay_str s;

	as_lower(&lower, as_trim(raw.len > 0 ? raw : ASSAY_STR("auto")));
	s = as_buf_str(&lower);
	for (size_t i = 0; i < s.len;) {
		size_t start = i;
		uint32_t c = as_utf8_next(s, &i);

		if (c == ' ' || c == '_' || c == '-') {
			as_buf_byte(&slug, '-');
		} else if (as_is_alnum(c)) {
			as_buf_add(&slug, (assay_str){s.ptr + start, i - start});
		}
	}
	if (slug.len == 0) {
		as_buf_puts(&slug, "goal");
	}
	as_buf_clear(&lower);
	if (!as_str_starts(as_buf_str(&slug), prefix)) {
		as_buf_add(&lower, prefix);
	}
	as_buf_add(&lower, as_buf_str(&slug));
	s = as_buf_str(&lower);
	as_buf_add(out, (assay_str){s.ptr, as_utf8_prefix(s, GOAL_ID_CHARACTERS)});
	out->failed = out->failed || lower.failed || slug.failed;
	as_buf_free(&lower);
	as_buf_free(&slug);
}

void as_goal_unique(as_buf *out, assay_str id, as_taken_fn taken, void *payload)
{
	size_t start = out->len;

	as_buf_add(out, id);
	for (unsigned n = 2; !out->failed && taken(payload, (assay_str){out->ptr + start, out->len - start}); n++) {
		out->len = start + id.len;
		as_buf_printf(out, "-%u", n);
	}
}

void as_server_slug(as_buf *out, assay_str name)
{
	as_buf lower = {0};
	size_t start = out->len, leading = 0;
	bool gap = false;
	assay_str s;

	as_lower(&lower, name);
	s = as_buf_str(&lower);
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '/') {
			as_buf_puts(out, "__");
		} else if (is_small(c) || is_digit(c) || c == '_') {
			as_buf_byte(out, c);
		} else if (!gap) {
			as_buf_byte(out, '_');
		}
		gap = c != '/' && !is_small(c) && !is_digit(c) && c != '_';
	}
	out->failed = out->failed || lower.failed;
	as_buf_free(&lower);
	while (out->len > start && out->ptr[out->len - 1] == '_') {
		out->len--;
	}
	while (start + leading < out->len && out->ptr[start + leading] == '_') {
		leading++;
	}
	if (leading > 0) {
		memmove(out->ptr + start, out->ptr + start + leading, out->len - start - leading);
		out->len -= leading;
	}
	if (out->len == start) {
		as_buf_puts(out, "server");
	} else if (out->ptr) {
		out->ptr[out->len] = '\0';
	}
}

assay_str as_model_family(assay_str model)
{
	static const struct {
		const char *prefix, *family;
	} known[] = {{"openai/", "openai"},   {"anthropic/", "anthropic"}, {"google/", "google"},
		     {"qwen/", "qwen"},       {"moonshotai/", "moonshot"}, {"z-ai/", "z-ai"},
		     {"minimax/", "minimax"}, {"deepseek/", "deepseek"},   {"x-ai/", "x-ai"},
		     {"meta-llama/", "meta"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (as_str_starts(model, as_str(known[i].prefix))) {
			return as_str(known[i].family);
		}
	}
	return ASSAY_STR("unknown");
}
