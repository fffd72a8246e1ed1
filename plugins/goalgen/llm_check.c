/* goalgen/llm: may a text be a goal? What would have to exist must be known to; tools are not named; nothing is
 * destroyed. */
#include "llm.h"
#include <string.h>

/* Sites that anybody may name. Hosts below them count, too. */
static const char *const public_sites[] = {
	"example.com", "example.org", "example.net", "wikipedia.org", "wikidata.org",      "github.com", "gitlab.com",
	"python.org",  "debian.org",  "kernel.org",  "w3.org",        "ietf.org",          "iana.org",   "mozilla.org",
	"gnu.org",     "npmjs.com",   "pypi.org",    "arxiv.org",     "nasa.gov",          "noaa.gov",   "who.int",
	"un.org",      "europa.eu",   "bbc.co.uk",   "archive.org",   "openstreetmap.org", NULL};

/* Words after which a number is a name. */
static const char *const id_words[] = {"id",      "no",   "nr",      "number",  "ticket",   "issue",  "order",
				       "invoice", "case", "account", "user",    "customer", "member", "record",
				       "item",    "job",  "task",    "project", "booking",  NULL};

static bool is_known(const struct goal_run *r, assay_str value)
{
	return text_find_word(text_of(&r->known), value) != SIZE_MAX;
}

/* --- Kinds of values --------------------------------------------------------------------------------------------- */

static size_t find(assay_str s, const char *part)
{
	size_t n = strlen(part);
	for (size_t i = 0; i + n <= s.len; i++) {
		if (memcmp(s.ptr + i, part, n) == 0) {
			return i;
		}
	}
	return SIZE_MAX;
}

static bool ends_with(assay_str s, assay_str tail)
{
	return s.len >= tail.len && text_same_fold((assay_str){s.ptr + s.len - tail.len, tail.len}, tail);
}

static bool is_public(assay_str host)
{
	for (size_t i = 0; public_sites[i]; i++) {
		assay_str site = text_cstr(public_sites[i]);
		if (ends_with(host, site) && (host.len == site.len || host.ptr[host.len - site.len - 1] == '.')) {
			return true;
		}
	}
	return false;
}

/* "https://HOST:PORT/..." */
static assay_str host_of(assay_str url)
{
	size_t from = find(url, "://") + 3, to = from;
	while (to < url.len && url.ptr[to] != '/' && url.ptr[to] != ':' && url.ptr[to] != '?' && url.ptr[to] != '#') {
		to++;
	}
	return (assay_str){url.ptr + from, to - from};
}

static bool is_path(assay_str s)
{
	bool drive = s.len > 3 && text_letter(s.ptr[0]) && s.ptr[1] == ':' && (s.ptr[2] == '\\' || s.ptr[2] == '/');
	return drive || (s.len > 1 && s.ptr[0] == '/' && s.ptr[1] != '/') ||
	       (s.len > 2 && s.ptr[0] == '~' && s.ptr[1] == '/');
}

/* A path is known when it, or a folder that it lies in, is. */
static bool is_known_path(const struct goal_run *r, assay_str path)
{
	while (path.len > 1) {
		if (is_known(r, path)) {
			return true;
		}
		do {
			path.len--;
		} while (path.len > 1 && path.ptr[path.len - 1] != '/' && path.ptr[path.len - 1] != '\\');
		path.len -= path.len > 1; /* without the slash */
	}
	return false;
}

/* "report.md", "a/b.txt": a dot, and one to five characters behind it, a letter among them and one in front of it. */
static bool is_file_name(assay_str s)
{
	size_t dot = s.len;
	bool before = false, after = false;
	while (dot > 0 && s.ptr[dot - 1] != '.') {
		dot--;
	}
	if (dot < 3 || s.len - dot < 1 || s.len - dot > 5) {
		return false; /* "e.g", "U.S" */
	}
	for (size_t i = 0; i < s.len; i++) {
		before = before || (i < dot - 1 && text_letter(s.ptr[i]));
		after = after || (i >= dot && text_letter(s.ptr[i]));
	}
	return before && after;
}

struct shape {
	size_t letters, capitals, digits, marks, turns; /* turns: from letters to digits and back */
	bool digits_first, hex;
};

static struct shape shape_of(assay_str s)
{
	struct shape k = {.hex = true};
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i], low = text_lower(c);
		bool digit = text_digit(c), letter = text_letter(c);
		k.letters += letter;
		k.capitals += text_upper(c);
		k.digits += digit;
		k.marks += !digit && !letter;
		k.hex = k.hex && (digit || (low >= 'a' && low <= 'f') || c == '-');
		k.turns += i > 0 && digit != (bool)text_digit(s.ptr[i - 1]);
	}
	k.digits_first = s.len > 0 && text_digit(s.ptr[0]);
	return k;
}

/* "P-1008", "ord_12345", "3f2a9c01", "AB12CD34"; no "10-minute", "top-10", "2024-05-01", "mid-June". */
static bool is_id(assay_str s)
{
	struct shape k = shape_of(s);
	bool joined = memchr(s.ptr, '-', s.len) || memchr(s.ptr, '_', s.len);
	for (size_t i = 0; i < s.len; i++) {
		if (!text_digit(s.ptr[i]) && !text_letter(s.ptr[i]) && !strchr("-_", s.ptr[i])) {
			return false;
		}
	}
	if (k.digits == 0 || k.letters == 0) {
		return false;
	}
	if (k.hex && k.letters + k.digits >= 8 && k.digits >= 2) {
		return true;
	}
	if (joined) {
		return !(k.digits_first && k.turns == 1) && (k.capitals > 0 || k.digits >= 3 || k.turns > 2);
	}
	return (k.turns >= 3 && s.len >= 6) || s.len >= 20;
}

/* --- The words of a goal ----------------------------------------------------------------------------------------- */

static bool is_break(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`<>()[]{},;|*", c);
}

/* The next word from *at on, without what only belongs to the sentence. Empty: no more. */
static assay_str next_word(assay_str text, size_t *at)
{
	while (*at < text.len) {
		size_t from, to;
		while (*at < text.len && is_break(text.ptr[*at])) {
			++*at;
		}
		from = *at;
		while (*at < text.len && !is_break(text.ptr[*at])) {
			++*at;
		}
		for (to = *at; to > from && strchr(".:!?", text.ptr[to - 1]); to--) {
		}
		if (to > from) {
			return (assay_str){text.ptr + from, to - from};
		}
	}
	return (assay_str){"", 0};
}

static bool may_create(const struct goal_run *r)
{
	for (size_t i = 0; i < r->request->surface.count; i++) {
		if (r->request->surface.list[i]->flags & ASSAY_TOOL_WRITES) {
			return true;
		}
	}
	return false;
}

static int invented(const struct goal_run *r, const char *what, assay_str value, assay_error *why)
{
	return r->host->fail(why, ASSAY_EDATA,
			     "the %s \"%.*s\" is neither a resource nor observed: use what is known to exist, or let "
			     "it be found out",
			     what, ASSAY_FMT(text_head(value, 120)));
}

static int check_word(const struct goal_run *r, assay_str before, assay_str word, assay_error *why)
{
	if (find(word, "://") != SIZE_MAX) {
		return is_known(r, word) || is_public(host_of(word)) ? 0 : invented(r, "URL", word, why);
	}
	if (is_path(word)) {
		return is_known_path(r, word) ? 0 : invented(r, "path", word, why);
	}
	if (find(word, "@") != SIZE_MAX && find(word, ".") != SIZE_MAX) {
		return is_known(r, word) ? 0 : invented(r, "address", word, why);
	}
	if (word.ptr[0] == '#' && word.len > 1 && text_digit(word.ptr[1])) {
		assay_str number = {word.ptr + 1, word.len - 1};
		return is_known(r, number) ? 0 : invented(r, "id", word, why);
	}
	if (is_id(word)) {
		return is_known(r, word) ? 0 : invented(r, "id", word, why);
	}
	if (is_file_name(word)) { /* a new one may be made */
		return is_known(r, word) || is_public(word) || may_create(r) ? 0 : invented(r, "file", word, why);
	}
	if (word.len >= 3 && shape_of(word).digits == word.len && before.len > 0 && text_in(before, id_words)) {
		return is_known(r, word) ? 0 : invented(r, "number", word, why);
	}
	return 0;
}

static assay_str folded(struct goal_run *r, assay_str s)
{
	assay_str copy = text_copy(&r->arena, s);
	for (size_t i = 0; i < copy.len; i++) {
		((char *)(uintptr_t)copy.ptr)[i] = text_lower(copy.ptr[i]);
	}
	return copy;
}

static int check_words(struct goal_run *r, assay_str goal, assay_error *why)
{
	assay_str before = {"", 0};
	size_t at = 0;
	int rc = 0;
	for (assay_str word = next_word(goal, &at); word.len > 0 && rc == 0; word = next_word(goal, &at)) {
		rc = check_word(r, before, word, why);
		before = folded(r, word);
	}
	return rc;
}

/* --- Destruction ------------------------------------------------------------------------------------------------- */

static const char *const destroying[] = {"delete", "deleting",   "remove",    "removing",  "destroy",    "destroying",
					 "drop",   "dropping",   "truncate",  "purge",     "purging",    "wipe",
					 "wiping", "erase",      "erasing",   "uninstall", "revoke",     "revoking",
					 "cancel", "cancelling", "canceling", "discard",   "discarding", NULL};
/* "without deleting", "do not remove"; "the drop in prices" is a noun. */
static const char *const sparing[] = {"not",    "never", "without",  "no",     "don't", "nothing",
				      "rather", "avoid", "avoiding", "a",      "an",    "the",
				      "this",   "any",   "nor",      "cannot", NULL};
static const char *const mending[] = {"undo",      "undoing",      "undone",     "revert",  "reverting",
				      "restore",   "restoring",    "restored",   "recover", "recovering",
				      "reinstate", "accidentally", "mistakenly", "mistake", NULL};

static bool has_word(struct goal_run *r, assay_str text, const char *const *list)
{
	size_t at = 0;
	for (assay_str word = next_word(text, &at); word.len > 0; word = next_word(text, &at)) {
		if (text_in(folded(r, word), list)) {
			return true;
		}
	}
	return false;
}

/* Rule 9 of the prompt. A goal of undoing or recovering may, and what its words deny is not asked for. */
static int check_destruction(struct goal_run *r, assay_str goal, assay_error *why)
{
	assay_str before[2] = {{"", 0}, {"", 0}};
	size_t at = 0;
	if (has_word(r, goal, mending)) {
		return 0;
	}
	for (assay_str word = next_word(goal, &at); word.len > 0; word = next_word(goal, &at)) {
		assay_str plain = folded(r, word);
		if (text_in(plain, destroying) && !text_in(before[0], sparing) && !text_in(before[1], sparing)) {
			return r->host->fail(why, ASSAY_EDATA,
					     "it asks to %.*s something: a goal destroys nothing, unless it is about "
					     "undoing or recovering, and says so",
					     ASSAY_FMT(plain));
		}
		before[1] = before[0];
		before[0] = plain;
	}
	return 0;
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

/* A name that is no ordinary word: it has a mark or a capital inside. */
static bool is_telling(assay_str name)
{
	for (size_t i = 1; i < name.len; i++) {
		if (strchr("_-./", name.ptr[i]) || (text_upper(name.ptr[i]) && !text_upper(name.ptr[i - 1]))) {
			return true;
		}
	}
	return false;
}

static int check_tools(const struct goal_run *r, assay_tools tools, assay_str goal, assay_error *why)
{
	for (size_t i = 0; i < tools.count; i++) {
		const assay_tool *t = tools.list[i];
		assay_str named = is_telling(t->name) && text_find_word(goal, t->name) != SIZE_MAX ? t->name
				  : is_telling(t->server) && text_find_word(goal, t->server) != SIZE_MAX
					  ? t->server
					  : (assay_str){"", 0};
		if (named.len > 0) {
			return r->host->fail(why, ASSAY_EDATA,
					     "it names \"%.*s\": say what is wanted, not what it is done with",
					     ASSAY_FMT(text_head(named, 120)));
		}
	}
	return 0;
}

int goal_check(struct goal_run *r, assay_str goal, assay_error *why)
{
	int rc = 0;
	if (goal.len > GOAL_MAX_BYTES) {
		return r->host->fail(why, ASSAY_EDATA, "the goal has %zu bytes, and at most %d are read: be brief",
				     goal.len, GOAL_MAX_BYTES);
	}
	if (text_find_word(goal, text_cstr(r->persona->label)) != SIZE_MAX) {
		return r->host->fail(why, ASSAY_EDATA, "it names the persona (\"%s\"): write as that person instead",
				     r->persona->label);
	}
	rc = check_tools(r, r->request->seeds, goal, why);
	rc = rc < 0 ? rc : check_tools(r, r->request->surface, goal, why);
	rc = rc < 0 ? rc : check_words(r, goal, why);
	rc = rc < 0 ? rc : check_destruction(r, goal, why);
	return rc == 0 && r->arena.failed ? r->host->fail(why, ASSAY_ENOMEM, "out of memory") : rc;
}
