/* goalgen/template: the values that were seen, as records and leaves, and what they fit. */
#include "template.h"
#include <string.h>

assay_json *tmpl_own(struct tmpl_run *r, assay_json *v)
{
	assay_json **place = v ? text_push(&r->arena, &r->owned, &r->n_owned, &r->cap_owned, sizeof *place) : NULL;
	if (!place) {
		r->json->free(v);
		return NULL;
	}
	*place = v;
	return v;
}

/* --- Which texts may stand in a goal ----------------------------------------------------------------------------- */

static bool names_a_tool(const struct tmpl_run *r, assay_str text)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		assay_str name = r->tools[i].tool->name;
		bool ordinary = r->tools[i].words.n < 2;
		if ((!ordinary && text_find_word(text, name) != SIZE_MAX) || text_same_fold(text, name)) {
			return true;
		}
	}
	return false;
}

bool tmpl_plain(const struct tmpl_run *r, assay_str text)
{
	if (text.len == 0 || text.len > TMPL_MAX_VALUE || text_trim(text).len != text.len) {
		return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		/* C0 80 is a NUL, C2 80 and following are controls, E2 80 holds quotes and direction marks */
		bool odd = c == 0xC0 || (c == 0xC2 && i + 1 < text.len && (unsigned char)text.ptr[i + 1] < 0xA0) ||
			   (c == 0xE2 && i + 1 < text.len && (unsigned char)text.ptr[i + 1] == 0x80);
		if (c < 0x20 || c == 0x7F || c == '"' || c == '`' || c == '\\' || c == '{' || odd) {
			return false;
		}
	}
	return !names_a_tool(r, text);
}

/* --- Building ---------------------------------------------------------------------------------------------------- */

static int add_record(struct tmpl_run *r, int answer, int parent, assay_str noun, bool listed)
{
	struct tmpl_record *rec = text_push(&r->arena, &r->records, &r->n_records, &r->cap_records, sizeof *rec);
	if (!rec) {
		return -1;
	}
	*rec = (struct tmpl_record){.answer = answer, .parent = parent, .noun = noun, .listed = listed};
	return (int)r->n_records - 1;
}

/* Below something that was handed to us for good? Other absolute paths are those of a copy that is made anew each time.
 */
static bool is_local(const struct tmpl_run *r, assay_str text)
{
	bool local = text.len > 1 && text.ptr[0] == '/' && memchr(text.ptr + 1, '/', text.len - 1) != NULL;
	for (size_t i = 0; i < r->n_leaves && local; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool below = leaf->text.len > 1 && leaf->text.len <= text.len &&
			     memcmp(leaf->text.ptr, text.ptr, leaf->text.len) == 0;
		local = !(below && r->records[leaf->record].answer < 0);
	}
	return local;
}

static void add_leaf(struct tmpl_run *r, int record, assay_str server, assay_str key, const assay_json *value)
{
	int type = r->json->type(value);
	bool scalar = type == ASSAY_JSON_STRING || type == ASSAY_JSON_NUMBER;
	struct tmpl_leaf *leaf = record >= 0 && scalar && r->n_leaves < TMPL_MAX_LEAVES
					 ? text_push(&r->arena, &r->leaves, &r->n_leaves, &r->cap_leaves, sizeof *leaf)
					 : NULL;
	if (!leaf) {
		return;
	}
	*leaf = (struct tmpl_leaf){.key = key, .value = value, .record = record, .server = server};
	leaf->text = type == ASSAY_JSON_STRING ? r->json->str(value) : r->json->spelling(value);
	leaf->plain = tmpl_plain(r, leaf->text);
	leaf->local = r->records[record].answer >= 0 && is_local(r, leaf->text);
	tmpl_split(&r->arena, key, &leaf->words);
}

static assay_str noun_of_key(struct tmpl_run *r, assay_str key, assay_str otherwise)
{
	static const char *const vague[] = {"rows",     "hits",   "matches", "elements", "list", "pages",
					    "response", "output", "value",   "values",   NULL};
	struct tmpl_words words = {.n = 0};
	tmpl_split(&r->arena, key, &words);
	assay_str last = words.n > 0 ? words.list[words.n - 1] : (assay_str){0};
	return last.len == 0 || tmpl_generic_noun(last) || text_in(last, vague) ? otherwise
										: tmpl_singular(&r->arena, last);
}

struct walk {
	assay_str server;
	int answer;
	size_t most; /* leaves, when this answer is full */
};

/* A line that lists something: the length of its mark, and the key of what follows ("": the tool's noun). Bullets are
 * lists only in answers that are nothing but text; elsewhere they are prose. */
static bool read_mark(assay_str line, bool prose, size_t *skip, const char **key)
{
	static const struct {
		const char *mark, *key;
	} marks[] = {{"[FILE] ", "file"}, {"[DIR] ", "directory"}, {"/", "path"}, {"- ", ""},
		     {"* ", ""},          {"\xE2\x80\xA2 ", ""}};
	size_t n = sizeof marks / sizeof *marks;
	for (size_t i = 0; i < (prose ? 3 : n); i++) {
		if (text_starts(line, marks[i].mark)) {
			*skip = marks[i].mark[0] == '/' ? 0 : strlen(marks[i].mark);
			*key = marks[i].key;
			return true;
		}
	}
	return false;
}

/* "Title: value" */
static void add_field(struct tmpl_run *r, const struct walk *w, assay_str line, int record)
{
	size_t colon = 0;
	while (colon + 1 < line.len && !(line.ptr[colon] == ':' && line.ptr[colon + 1] == ' ')) {
		colon++;
	}
	if (colon > 0 && colon <= 30 && colon + 2 < line.len && text_letter(line.ptr[0])) {
		assay_str value = text_trim((assay_str){line.ptr + colon + 1, line.len - colon - 1});
		add_leaf(r, record, w->server, (assay_str){line.ptr, colon}, tmpl_own(r, r->json->string(value)));
	}
}

static void add_line(struct tmpl_run *r, const struct walk *w, assay_str line, bool prose, int record)
{
	size_t skip;
	const char *mark;
	if (!read_mark(line, prose, &skip, &mark)) {
		if (!prose) {
			add_field(r, w, line, record);
		}
		return;
	}
	assay_str noun = tmpl_last_word(r->records[record].noun);
	assay_str item = text_trim((assay_str){line.ptr + skip, line.len - skip});
	assay_str key = *mark ? text_cstr(mark) : noun.len > 0 ? noun : ASSAY_STR("item");
	int inner = add_record(r, w->answer, record, *mark && skip ? key : noun, true);
	add_leaf(r, inner, w->server, key, tmpl_own(r, r->json->string(item)));
}

static void add_lines(struct tmpl_run *r, const struct walk *w, assay_str text, bool prose, int record)
{
	for (size_t at = 0, lines = 0; at < text.len && lines < 200 && record >= 0 && r->n_leaves < w->most; lines++) {
		size_t end = at;
		while (end < text.len && text.ptr[end] != '\n') {
			end++;
		}
		assay_str line = text_trim((assay_str){text.ptr + at, end - at});
		if (line.len > 0 && line.len <= 400) {
			add_line(r, w, line, prose, record);
		}
		at = end + 1;
	}
}

static void walk(struct tmpl_run *r, const struct walk *w, const assay_json *v, int record, assay_str key, int depth)
{
	int type = r->json->type(v);
	assay_str text = r->json->str(v);
	const assay_str none = {NULL, 0};
	if (record < 0 || depth > TMPL_MAX_DEPTH || r->n_leaves >= w->most) {
		return;
	}
	if (text.len > 0 && text.len <= TMPL_MAX_TEXT && memchr(text.ptr, '\n', text.len)) {
		add_lines(r, w, text, true, record);
		return;
	}
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		add_leaf(r, record, w->server, key, v);
		return;
	}
	if (type == ASSAY_JSON_OBJECT && key.len > 0 && depth > 0) {
		record = add_record(r, w->answer, record, noun_of_key(r, key, r->records[record].noun), false);
	}
	assay_str noun =
		type == ASSAY_JSON_ARRAY && record >= 0 ? noun_of_key(r, key, r->records[record].noun) : (assay_str){0};
	for (const assay_json *e = r->json->first(v); e && record >= 0 && r->n_leaves < w->most; e = r->json->next(e)) {
		if (type == ASSAY_JSON_OBJECT) {
			walk(r, w, e, record, r->json->key(e), depth + 1);
			continue;
		}
		int inner = add_record(r, w->answer, record, noun, true);
		bool deep = r->json->type(e) == ASSAY_JSON_ARRAY || r->json->type(e) == ASSAY_JSON_OBJECT;
		walk(r, w, e, inner, deep ? none : key, depth + 1);
	}
}

void tmpl_add_result(struct tmpl_run *r, int answer, const assay_json *result)
{
	struct tmpl_answer *a = &r->answers[answer];
	const struct tmpl_tool *t = &r->tools[a->tool];
	const assay_json *document = r->json->get(result, "structuredContent"), *part;
	struct walk w = {.server = t->tool->server, .answer = answer, .most = r->n_leaves + TMPL_MAX_PER_CALL};
	int top = add_record(r, answer, -1, tmpl_last_word(t->noun), false);
	a->first_leaf = r->n_leaves;
	w.most = w.most < TMPL_MAX_LEAVES ? w.most : TMPL_MAX_LEAVES;
	for (part = r->json->first(r->json->get(result, "content")); part && !document; part = r->json->next(part)) {
		assay_str text = r->json->str(r->json->get(part, "text"));
		assay_json *parsed = NULL;
		r->answers[answer].prose = r->answers[answer].prose || text_trim(text).len > 0;
		if (text.len > TMPL_MAX_TEXT || r->json->parse(text, ASSAY_JSON_PEER, &parsed, NULL) != 0) {
			add_lines(r, &w, text.len > TMPL_MAX_TEXT ? text_cstr("") : text, false, top);
		} else {
			document = tmpl_own(r, parsed);
			r->answers[answer].prose = false;
		}
	}
	bool listed = r->json->type(document) == ASSAY_JSON_ARRAY;
	walk(r, &w, document, top, listed ? t->noun : (assay_str){0}, 0);
	r->answers[answer].n_leaves = r->n_leaves - r->answers[answer].first_leaf;
}

void tmpl_add_resources(struct tmpl_run *r)
{
	for (const assay_json *s = r->json->first(r->request->servers); s; s = r->json->next(s)) {
		const assay_json *e = r->json->first(r->json->get(s, "resources"));
		for (size_t n = 0; e && n < 200; e = r->json->next(e), n++) {
			assay_str kind = r->json->str(r->json->get(e, "kind"));
			add_leaf(r, add_record(r, -1, -1, kind, true), r->json->key(s), kind, r->json->get(e, "value"));
		}
	}
}

/* --- What a leaf fits -------------------------------------------------------------------------------------------- */

bool tmpl_date_like(assay_str t)
{
	static const char picture[] = "dddd-dd-dd";
	for (size_t i = 0; i < 10; i++) {
		if (i >= t.len || (picture[i] == 'd' ? !text_digit(t.ptr[i]) : t.ptr[i] != '-')) {
			return false;
		}
	}
	return t.len == 10;
}

static bool within(const struct tmpl_run *r, const struct tmpl_param *p, double number)
{
	return number >= r->json->f64(r->json->get(p->schema, "minimum"), -1e15) &&
	       number <= r->json->f64(r->json->get(p->schema, "maximum"), 1e15);
}

static bool option_fits(const struct tmpl_run *r, const struct tmpl_param *p, const assay_json *value)
{
	for (const assay_json *e = r->json->first(r->json->get(p->schema, "enum")); e; e = r->json->next(e)) {
		if (r->json->equal(e, value)) {
			return true;
		}
	}
	return false;
}

bool tmpl_type_fits(const struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf)
{
	int found = 1;
	if (p->sense == TMPL_OPTION) {
		return option_fits(r, p, leaf->value);
	}
	if (r->json->type(leaf->value) == ASSAY_JSON_NUMBER) {
		double number = r->json->f64(leaf->value, 0);
		bool whole = number >= -9e15 && number <= 9e15 && !(number - (double)(int64_t)number > 0) &&
			     !(number - (double)(int64_t)number < 0);
		return ((p->types & TMPL_NUMBER) || ((p->types & TMPL_INTEGER) && whole)) && within(r, p, number);
	}
	size_t most = (size_t)r->json->i64(r->json->get(p->schema, "maxLength"), TMPL_MAX_VALUE);
	assay_str pattern = r->json->str(r->json->get(p->schema, "pattern"));
	if ((p->types & TMPL_STRING) == 0 || leaf->text.len > most) {
		return false;
	}
	if (pattern.len > 0 && pattern.len < 200 &&
	    r->host->text->regex_search(pattern, leaf->text, &found, NULL) != 0) {
		found = 1; /* not ours to judge */
	}
	return found != 0;
}

/* A name that every kind of thing has. */
static bool common(const struct tmpl_words *w)
{
	static const char *const names[] = {"id",     "name",        "title",  "key",   "code", "text", "content",
					    "date",   "type",        "status", "value", "url",  "path", "count",
					    "number", "description", "total",  "tags",  NULL};
	return w->n == 1 && text_in(w->list[0], names);
}

static bool same_words(const struct tmpl_words *a, const struct tmpl_words *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		if (!tmpl_same_stem(a->list[i], b->list[i])) {
			return false;
		}
	}
	return a->n == b->n && a->n > 0;
}

static bool vague(assay_str word)
{
	static const char *const words[] = {"id",     "ids",        "key",  "code", "name",
					    "number", "identifier", "uuid", "new",  NULL};
	return text_in(word, words);
}

static bool about(const struct tmpl_param *p, assay_str noun)
{
	for (size_t i = 0; i < p->words.n && noun.len > 0; i++) {
		if (!vague(p->words.list[i]) && tmpl_same_stem(p->words.list[i], noun)) {
			return true;
		}
	}
	return false;
}

/* Is the record one of the things that the tool is about? */
static bool kin(const struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf)
{
	assay_str noun = r->records[leaf->record].noun;
	bool home = text_same(leaf->server, t->tool->server);
	return home && noun.len > 0 &&
	       (tmpl_same_stem(noun, tmpl_last_word(t->noun)) || tmpl_has(&t->words, noun) ||
		tmpl_has(&t->about, noun));
}

/* A folder is no file, and the other way round; a bare "path" may be either. */
static bool path_fits(const struct tmpl_param *p, const struct tmpl_leaf *leaf, bool resource)
{
	static const char *const folders[] = {"dir",  "directory", "folder",    "repository",
					      "repo", "root",      "workspace", NULL};
	static const char *const files[] = {"file", "filename", "database", "db", "document", NULL};
	assay_str kind = leaf->words.list[leaf->words.n - 1], last = p->words.list[p->words.n - 1];
	bool folder = text_in(kind, folders), file = text_in(kind, files);
	if (!folder && !file && !text_is(kind, "path")) {
		return false;
	}
	bool absolute = leaf->text.len > 0 && leaf->text.ptr[0] == '/';
	return (resource || absolute) && !(text_in(last, files) && folder) && !(text_in(last, folders) && file);
}

/* A tool of files wants no folder, and one that lists what is in a folder wants no file, whatever its parameter is
 * called.
 */
static bool wrong_kind(const struct tmpl_tool *t, const struct tmpl_leaf *leaf)
{
	bool folder = tmpl_has(&leaf->words, ASSAY_STR("directory")) || tmpl_has(&leaf->words, ASSAY_STR("folder"));
	bool file = tmpl_has(&leaf->words, ASSAY_STR("file"));
	bool in_folder = t->act == TMPL_LIST || t->act == TMPL_SEARCH || tmpl_has(&t->words, ASSAY_STR("directory")) ||
			 tmpl_has(&t->words, ASSAY_STR("folder")) || tmpl_has(&t->words, ASSAY_STR("tree"));
	return in_folder ? file : folder && tmpl_has(&t->words, ASSAY_STR("file"));
}

int tmpl_name_fit(const struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_param *p,
		  const struct tmpl_leaf *leaf)
{
	const struct tmpl_words *l = &leaf->words;
	assay_str noun = r->records[leaf->record].noun;
	bool home = text_same(leaf->server, t->tool->server);
	bool resource = r->records[leaf->record].answer < 0;
	if (p->fresh || (p->sense == TMPL_PATH && wrong_kind(t, leaf))) {
		return 0;
	}
	if (resource && home && l->n > 0 && (same_words(&p->words, l) || tmpl_has(&p->words, l->list[l->n - 1]))) {
		return 8;
	}
	if (p->sense == TMPL_PATH && home && l->n > 0 && path_fits(p, leaf, resource)) {
		return resource ? 7 : 5;
	}
	if (same_words(&p->words, l)) {
		if (!common(l)) {
			return home ? 7 : 6;
		}
		return kin(r, t, leaf) ? 7 : 0;
	}
	assay_str last = p->words.list[p->words.n - 1];
	if (l->n == 1 && p->words.n == 2 && home && tmpl_same_stem(last, l->list[0]) && about(p, noun)) {
		return 7; /* tableName from the name of a table */
	}
	bool identifies = l->n == 1 && vague(l->list[0]) && !text_is(l->list[0], "name");
	if (identifies && home && about(p, noun)) {
		return 7; /* customer_id from the id of a customer */
	}
	if (p->sense == TMPL_ID && p->words.n == 1 && l->n == 2 && vague(l->list[1]) &&
	    tmpl_same_stem(l->list[0], t->noun)) {
		return home ? 7 : 0; /* id from note_id */
	}
	if (p->words.n == 1 && tmpl_same_stem(p->words.list[0], noun) && l->n == 1 &&
	    (identifies || text_is(l->list[0], "name"))) {
		return 5; /* city from the name of a city */
	}
	return 0;
}

/* --- What a tool says about things ------------------------------------------------------------------------------- */

const assay_json *tmpl_property(const struct tmpl_run *r, const assay_json *schema, assay_str name, int depth)
{
	const assay_json *properties = r->json->get(schema, "properties"), *found = r->json->get_n(properties, name);
	for (const assay_json *m = r->json->first(properties); m && !found && depth < 4; m = r->json->next(m)) {
		found = tmpl_property(r, m, name, depth + 1);
		found = found ? found : tmpl_property(r, r->json->get(m, "items"), name, depth + 1);
	}
	return found;
}

/* The values that a field can have, when a tool of that server says so. */
static const assay_json *options_of(const struct tmpl_run *r, const struct tmpl_leaf *leaf)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		const assay_tool *tool = r->tools[i].tool;
		const assay_json *options = NULL;
		if (text_same(tool->server, leaf->server)) {
			options = r->json->get(tmpl_property(r, tool->output_schema, leaf->key, 0), "enum");
			options = options ? options
					  : r->json->get(tmpl_property(r, tool->input_schema, leaf->key, 0), "enum");
		}
		if (r->json->count(options) > 1) {
			return options;
		}
	}
	return NULL;
}

static bool speaks_of(const struct tmpl_run *r, assay_str description, const assay_json *options)
{
	size_t n = 0;
	for (const assay_json *e = r->json->first(options); e && n < 50; e = r->json->next(e), n++) {
		if (text_find_word(description, r->json->str(e)) != SIZE_MAX) {
			return true;
		}
	}
	return false;
}

int tmpl_state_fit(const struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf)
{
	int fit = 0;
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *other = &r->leaves[i];
		if (other->record != leaf->record || other == leaf || other->text.len < 3 || other->text.len > 20) {
			continue;
		}
		if (text_find_word(t->tool->description, other->text) != SIZE_MAX) {
			fit++;
		} else if (speaks_of(r, t->tool->description, options_of(r, other))) {
			return -1;
		}
	}
	return fit;
}
