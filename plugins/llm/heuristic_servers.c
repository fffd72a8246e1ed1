/* llm/heuristic: which of the listed servers can serve a request? Asked so by routers: a list "- ID (N tools): NAME,
 * ..." below "Servers:", and an answer {"server_id": "..."} or {"server_ids": [...]}. Their tools are ranked for each
 * clause as tools on offer are, and a server is worth what its best tool is worth to each. */
#include "heuristic.h"
#include <string.h>

static const char heading[] = "\n\nServers:\n", opening[] = "Request of a user:\n";

static size_t find(assay_str text, const char *what, size_t from)
{
	size_t n = strlen(what);
	for (size_t i = from; text.len >= n && i <= text.len - n; i++) {
		if (memcmp(text.ptr + i, what, n) == 0) {
			return i;
		}
	}
	return SIZE_MAX;
}

/* "- ID (N tools): a, b, +3 more": tools of that server, their names being all that is known. */
static void read_line(struct heur_run *r, assay_str line)
{
	size_t bracket = find(line, " (", 2), colon = find(line, "): ", 2);
	if (line.len < 2 || memcmp(line.ptr, "- ", 2) != 0 || bracket == SIZE_MAX || colon == SIZE_MAX) {
		return;
	}
	assay_str id = heur_sub(line, 2, bracket);
	for (size_t at = colon + 3; at < line.len;) {
		size_t comma = find(line, ", ", at), end = comma == SIZE_MAX ? line.len : comma;
		assay_str name = heur_sub(line, at, end);
		if (name.len > 0 && name.ptr[0] != '+') {
			heur_add_tool(r, text_format(&r->arena, "%.*s__%.*s", ASSAY_FMT(id), ASSAY_FMT(name)),
				      (assay_str){0}, NULL);
		}
		at = end + 2;
	}
}

bool heur_read_servers(struct heur_run *r)
{
	assay_str text = r->goal;
	size_t list = SIZE_MAX;
	for (size_t at = find(text, heading, 0); at != SIZE_MAX; at = find(text, heading, at + 1)) {
		list = at; /* the last one: the request may say anything */
	}
	if (r->n_tools > 0 || list == SIZE_MAX || find(text, opening, 0) != 0) {
		return false;
	}
	for (size_t at = list + strlen(heading); at < text.len;) {
		const char *newline = memchr(text.ptr + at, '\n', text.len - at);
		size_t end = newline ? (size_t)(newline - text.ptr) : text.len;
		read_line(r, heur_sub(text, at, end));
		at = end + 1;
	}
	r->goal = heur_sub(text, strlen(opening), list);
	return true;
}

struct server {
	assay_str id;
	double worth, best; /* best: of its tools for the clause at hand */
};

static struct server *server_of(struct heur_run *r, struct server **list, size_t *n, size_t *cap, assay_str id)
{
	for (size_t i = 0; i < *n; i++) {
		if (text_same((*list)[i].id, id)) {
			return &(*list)[i];
		}
	}
	struct server *s = text_push(&r->arena, list, n, cap, sizeof **list);
	if (s) {
		*s = (struct server){.id = id};
	}
	return s;
}

static assay_str answer(struct heur_run *r, const struct server *list, size_t n)
{
	const assay_json_api *j = r->json;
	bool *told = text_alloc(&r->arena, n, sizeof *told);
	assay_json *ids = j->array(), *out = j->object();
	size_t best = 0;
	int bad = told ? 0 : ASSAY_ENOMEM;
	for (size_t k = 0; k < n && bad == 0; k++) { /* the most worthy first; of equals the one listed first */
		size_t next = n;
		for (size_t i = 0; i < n; i++) {
			next = !told[i] && list[i].worth > 0 && (next == n || list[i].worth > list[next].worth) ? i
														: next;
		}
		if (next == n) {
			break;
		}
		best = k == 0 ? next : best;
		told[next] = true;
		bad = j->append(ids, j->string(list[next].id));
	}
	if (r->several) {
		bad |= j->set(out, "server_ids", ids);
	} else {
		j->free(ids);
		bad |= j->set(out, "server_id", j->string(n > 0 ? list[best].id : (assay_str){0}));
	}
	r->arena.failed = r->arena.failed || bad != 0;
	return heur_dump(r, heur_own(r, out));
}

assay_str heur_choose_servers(struct heur_run *r)
{
	struct server *list = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = 0; i < r->n_tools; i++) {
		server_of(r, &list, &n, &cap, r->tools[i].server);
	}
	for (size_t c = 0; c < r->n_clauses; c++) {
		struct heur_clause *clause = &r->clauses[c];
		heur_rank(r, clause);
		for (size_t k = 0; k < clause->n_ranked; k++) {
			struct server *s = server_of(r, &list, &n, &cap, r->tools[clause->ranked[k]].server);
			if (s && clause->scores[k] > s->best) {
				s->best = clause->scores[k];
			}
		}
		for (size_t i = 0; i < n; i++) {
			list[i].worth += list[i].best;
			list[i].best = 0;
		}
	}
	return answer(r, list, n);
}
