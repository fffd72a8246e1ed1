/* goalgen/template: who asks, and how the clauses become a text. */
#include "template.h"
#include <string.h>

struct voice {
	const char *id;
	const char *openings[5]; /* may be "" */
	const char *asks[3];     /* in front of what is to be told */
};

/* The personas of the reference page 7.2 by their ids; the words are ours. No opening holds a verb that asks for
 * something, so that the task is what the clauses say. */
static const struct voice voices[TMPL_PERSONAS] = {
	{"backend-dev",
	 {"", "I am in the middle of an integration.", "This is for a test case of mine.",
	  "My script depends on this."},
	 {"Tell me", "Then tell me"}},
	{"data-analyst",
	 {"", "These numbers go into a table.", "I am after some figures.", "My spreadsheet has a gap."},
	 {"Tell me", "Finally, tell me"}},
	{"sre",
	 {"", "This came up during my shift.", "Something looked off this morning.", "I am on call, so keep it brief."},
	 {"Tell me", "Then tell me"}},
	{"researcher",
	 {"", "I am collecting facts for a study.", "This is background for an article of mine.",
	  "I am curious about this."},
	 {"Tell me", "Finally, tell me"}},
	{"pm",
	 {"", "The team meets in an hour.", "This is for our weekly meeting.",
	  "I would like to be prepared for a call."},
	 {"Tell me", "Then tell me"}},
	{"journalist",
	 {"", "I am working on a story.", "My editor has a question.", "This needs to be right before it is printed."},
	 {"Tell me", "Then tell me"}},
	{"finance-ops",
	 {"", "The month is nearly over.", "The books have to be right.", "An invoice is waiting for this."},
	 {"Tell me", "Finally, tell me"}},
	{"support-agent",
	 {"", "I have somebody on the line.", "A ticket just came in.", "A customer is waiting."},
	 {"Tell me", "Then tell me"}},
	{"student",
	 {"", "This is for my homework.", "I am still learning this.", "My seminar starts soon."},
	 {"Tell me", "Please tell me"}},
	{"release-eng",
	 {"", "This has to be done before the next release.", "I am going through my checklist.",
	  "One more item before we ship."},
	 {"Tell me", "Then tell me"}},
};

const char *tmpl_persona(uint32_t persona)
{
	return voices[persona % TMPL_PERSONAS].id;
}

static size_t filled(const char *const *list, size_t max)
{
	size_t n = 0;
	while (n < max && list[n]) {
		n++;
	}
	return n;
}

/* First letter in the other case; names and ids inside a clause stay as they are. */
static void add_clause(struct text_buf *b, assay_str clause, bool begins)
{
	if (clause.len == 0) {
		return;
	}
	char c = clause.ptr[0];
	bool low = c >= 'a' && c <= 'z', up = c >= 'A' && c <= 'Z';
	c = begins && low ? (char)(c - 'a' + 'A') : !begins && up ? text_lower(c) : c;
	text_add(b, (assay_str){&c, 1});
	text_add(b, (assay_str){clause.ptr + 1, clause.len - 1});
}

static void add_framing(struct tmpl_run *r, struct text_buf *b)
{
	assay_str framing = text_trim(r->request->framing);
	if (framing.len == 0 || framing.len > TMPL_MAX_GOAL / 2) {
		return;
	}
	text_add(b, framing);
	text_puts(b, strchr(".!?:", framing.ptr[framing.len - 1]) ? " " : ". ");
}

assay_str tmpl_voice(struct tmpl_run *r, uint32_t persona, const assay_str *clauses, size_t n, assay_str question)
{
	static const char *const joins[] = {". ", ", then ", "; then ", ". Then "};
	const struct voice *v = &voices[persona % TMPL_PERSONAS];
	const char *opening = v->openings[tmpl_below(r, (uint32_t)filled(v->openings, 5))];
	const char *ask = v->asks[tmpl_below(r, (uint32_t)filled(v->asks, 3))];
	struct text_buf b = {.arena = &r->arena};
	uint32_t style = tmpl_below(r, 4);
	add_framing(r, &b);
	if (*opening) {
		text_puts(&b, opening);
		text_puts(&b, " ");
	}
	for (size_t i = 0; i < n; i++) {
		/* Not everything hangs on one "then". */
		const char *join = style == 1 && i > 1 ? joins[0] : joins[style];
		if (i > 0) {
			text_puts(&b, join);
		}
		add_clause(&b, clauses[i], i == 0 || join == joins[0]);
	}
	text_puts(&b, ".");
	if (question.len > 0) {
		text_puts(&b, " ");
		text_puts(&b, ask);
		text_puts(&b, " ");
		text_add(&b, question);
		text_puts(&b, ".");
	}
	return text_of(&b);
}
