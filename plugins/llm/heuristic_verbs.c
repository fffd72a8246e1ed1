/* llm/heuristic: what verbs ask for, and the words that say nothing. */
#include "heuristic.h"
#include <stdlib.h>
#include <string.h>

struct verb {
	const char *word;
	enum heur_act act;
	bool ambiguous; /* as often a noun */
};

/* Sorted by word: looked up by halves. */
static const struct verb verbs[] = {
	{"activate", HEUR_CHANGE, false},  {"add", HEUR_CREATE, false},        {"adjust", HEUR_CHANGE, false},
	{"analyse", HEUR_COMPUTE, false},  {"analyze", HEUR_COMPUTE, false},   {"answer", HEUR_TELL, true},
	{"append", HEUR_CHANGE, false},    {"apply", HEUR_CHANGE, false},      {"archive", HEUR_REMOVE, true},
	{"assign", HEUR_CHANGE, false},    {"attach", HEUR_CREATE, false},     {"book", HEUR_CREATE, true},
	{"browse", HEUR_LIST, false},      {"buy", HEUR_CREATE, false},        {"calculate", HEUR_COMPUTE, false},
	{"cancel", HEUR_REMOVE, false},    {"change", HEUR_CHANGE, true},      {"check", HEUR_GET, true},
	{"clear", HEUR_REMOVE, true},      {"close", HEUR_CHANGE, true},       {"compare", HEUR_COMPUTE, false},
	{"complete", HEUR_CHANGE, true},   {"compute", HEUR_COMPUTE, false},   {"confirm", HEUR_TELL, false},
	{"convert", HEUR_COMPUTE, false},  {"copy", HEUR_CREATE, true},        {"correct", HEUR_CHANGE, true},
	{"count", HEUR_COMPUTE, true},     {"create", HEUR_CREATE, false},     {"decode", HEUR_COMPUTE, false},
	{"delete", HEUR_REMOVE, false},    {"describe", HEUR_GET, false},      {"destroy", HEUR_REMOVE, false},
	{"determine", HEUR_GET, false},    {"disable", HEUR_CHANGE, false},    {"discard", HEUR_REMOVE, false},
	{"discover", HEUR_SEARCH, false},  {"display", HEUR_GET, true},        {"divide", HEUR_COMPUTE, false},
	{"download", HEUR_GET, true},      {"draft", HEUR_CREATE, true},       {"draw", HEUR_CREATE, true},
	{"drop", HEUR_REMOVE, true},       {"edit", HEUR_CHANGE, true},        {"enable", HEUR_CHANGE, false},
	{"encode", HEUR_COMPUTE, false},   {"enumerate", HEUR_LIST, false},    {"erase", HEUR_REMOVE, false},
	{"estimate", HEUR_COMPUTE, true},  {"examine", HEUR_GET, false},       {"execute", HEUR_CHANGE, false},
	{"explain", HEUR_TELL, false},     {"export", HEUR_GET, true},         {"extend", HEUR_CHANGE, false},
	{"extract", HEUR_GET, true},       {"fetch", HEUR_GET, false},         {"file", HEUR_CREATE, true},
	{"fill", HEUR_CHANGE, false},      {"filter", HEUR_SEARCH, true},      {"find", HEUR_SEARCH, false},
	{"fix", HEUR_CHANGE, true},        {"format", HEUR_COMPUTE, true},     {"gather", HEUR_GET, false},
	{"generate", HEUR_CREATE, false},  {"get", HEUR_GET, false},           {"give", HEUR_TELL, false},
	{"hash", HEUR_COMPUTE, true},      {"identify", HEUR_SEARCH, false},   {"include", HEUR_TELL, false},
	{"increase", HEUR_CHANGE, true},   {"insert", HEUR_CREATE, false},     {"inspect", HEUR_GET, false},
	{"invite", HEUR_CREATE, true},     {"list", HEUR_LIST, true},          {"load", HEUR_GET, true},
	{"locate", HEUR_SEARCH, false},    {"log", HEUR_CREATE, true},         {"look", HEUR_GET, true},
	{"lookup", HEUR_GET, true},        {"lower", HEUR_CHANGE, true},       {"make", HEUR_CREATE, false},
	{"mark", HEUR_CHANGE, true},       {"measure", HEUR_COMPUTE, true},    {"mention", HEUR_TELL, true},
	{"merge", HEUR_CHANGE, true},      {"modify", HEUR_CHANGE, false},     {"move", HEUR_CHANGE, true},
	{"multiply", HEUR_COMPUTE, false}, {"name", HEUR_TELL, true},          {"note", HEUR_TELL, true},
	{"obtain", HEUR_GET, false},       {"open", HEUR_GET, true},           {"order", HEUR_CREATE, true},
	{"parse", HEUR_COMPUTE, false},    {"pay", HEUR_CHANGE, true},         {"pick", HEUR_TELL, true},
	{"place", HEUR_CREATE, true},      {"post", HEUR_CREATE, true},        {"provide", HEUR_TELL, false},
	{"publish", HEUR_CREATE, false},   {"pull", HEUR_GET, true},           {"purchase", HEUR_CREATE, true},
	{"purge", HEUR_REMOVE, false},     {"put", HEUR_CREATE, false},        {"query", HEUR_SEARCH, true},
	{"raise", HEUR_CHANGE, true},      {"rank", HEUR_COMPUTE, true},       {"read", HEUR_GET, true},
	{"record", HEUR_CREATE, true},     {"reduce", HEUR_CHANGE, false},     {"refund", HEUR_CHANGE, true},
	{"register", HEUR_CREATE, true},   {"remove", HEUR_REMOVE, false},     {"rename", HEUR_CHANGE, false},
	{"render", HEUR_COMPUTE, false},   {"reopen", HEUR_CHANGE, false},     {"replace", HEUR_CHANGE, false},
	{"report", HEUR_TELL, true},       {"reschedule", HEUR_CHANGE, false}, {"reserve", HEUR_CREATE, true},
	{"reset", HEUR_REMOVE, true},      {"resolve", HEUR_CHANGE, false},    {"restock", HEUR_CHANGE, false},
	{"restore", HEUR_CHANGE, false},   {"retrieve", HEUR_GET, false},      {"return", HEUR_GET, true},
	{"review", HEUR_GET, true},        {"revoke", HEUR_REMOVE, false},     {"run", HEUR_CHANGE, true},
	{"save", HEUR_CREATE, false},      {"say", HEUR_TELL, true},           {"schedule", HEUR_CREATE, true},
	{"search", HEUR_SEARCH, true},     {"see", HEUR_GET, false},           {"select", HEUR_TELL, true},
	{"send", HEUR_CREATE, false},      {"set", HEUR_CHANGE, true},         {"ship", HEUR_CHANGE, true},
	{"show", HEUR_GET, true},          {"sort", HEUR_COMPUTE, true},       {"start", HEUR_CREATE, true},
	{"state", HEUR_TELL, true},        {"stop", HEUR_CHANGE, true},        {"store", HEUR_CREATE, true},
	{"submit", HEUR_CREATE, false},    {"subtract", HEUR_COMPUTE, false},  {"sum", HEUR_COMPUTE, true},
	{"summarise", HEUR_TELL, false},   {"summarize", HEUR_TELL, false},    {"switch", HEUR_CHANGE, true},
	{"tag", HEUR_CHANGE, true},        {"take", HEUR_GET, false},          {"tell", HEUR_TELL, false},
	{"transfer", HEUR_CHANGE, true},   {"transform", HEUR_COMPUTE, false}, {"translate", HEUR_COMPUTE, false},
	{"trash", HEUR_REMOVE, true},      {"truncate", HEUR_REMOVE, false},   {"turn", HEUR_CHANGE, true},
	{"undo", HEUR_CHANGE, false},      {"uninstall", HEUR_REMOVE, false},  {"unsubscribe", HEUR_REMOVE, false},
	{"update", HEUR_CHANGE, true},     {"upload", HEUR_CREATE, true},      {"validate", HEUR_COMPUTE, false},
	{"verify", HEUR_GET, false},       {"view", HEUR_GET, true},           {"void", HEUR_REMOVE, true},
	{"wipe", HEUR_REMOVE, false},      {"withdraw", HEUR_REMOVE, false},   {"write", HEUR_CREATE, false},
};

static int by_word(const void *key, const void *entry)
{
	const assay_str *word = key;
	const struct verb *v = entry;
	size_t n = strlen(v->word);
	int order = memcmp(word->ptr, v->word, word->len < n ? word->len : n);
	return order != 0 ? order : (word->len > n) - (word->len < n);
}

enum heur_act heur_verb(assay_str lower, bool *ambiguous)
{
	const struct verb *v =
		lower.len == 0 ? NULL : bsearch(&lower, verbs, sizeof verbs / sizeof *verbs, sizeof *verbs, by_word);
	if (ambiguous) {
		*ambiguous = v && v->ambiguous;
	}
	return v ? v->act : HEUR_NONE;
}

enum heur_act heur_verb_form(assay_str lower, bool *ambiguous)
{
	enum heur_act act = heur_verb(lower, ambiguous);
	if (act == HEUR_NONE && lower.len > 3 && lower.ptr[lower.len - 1] == 's') {
		lower.len--; /* lists */
		act = heur_verb(lower, ambiguous);
		if (act == HEUR_NONE && lower.ptr[lower.len - 1] == 'e') {
			lower.len--; /* searches */
			act = heur_verb(lower, ambiguous);
		}
	}
	return act;
}

bool heur_reads(enum heur_act act)
{
	return act == HEUR_SEARCH || act == HEUR_LIST || act == HEUR_GET;
}

bool heur_writes(enum heur_act act)
{
	return act == HEUR_CREATE || act == HEUR_CHANGE || act == HEUR_REMOVE;
}

bool heur_destructive_word(assay_str lower)
{
	static const char *const words[] = {"delete",  "remove", "drop",  "destroy",     "truncate",
					    "purge",   "wipe",   "reset", "uninstall",   "revoke",
					    "clear",   "cancel", "erase", "discard",     "trash",
					    "archive", "void",   "kill",  "unsubscribe", NULL};
	return text_in(lower, words);
}

bool heur_stop_word(assay_str lower)
{
	static const char *const words[] = {
		"a",    "about",  "after", "all",   "also", "an",    "and",  "any",   "are",   "as",   "at",    "be",
		"been", "by",     "can",   "could", "did",  "do",    "does", "each",  "every", "for",  "found", "from",
		"had",  "has",    "have",  "how",   "i",    "if",    "in",   "into",  "is",    "it",   "its",   "just",
		"many", "me",     "much",  "my",    "need", "no",    "not",  "now",   "of",    "on",   "one",   "or",
		"our",  "please", "so",    "some",  "than", "that",  "the",  "their", "them",  "then", "there", "these",
		"they", "this",   "those", "to",    "up",   "us",    "use",  "using", "want",  "was",  "we",    "were",
		"what", "when",   "where", "which", "who",  "whose", "will", "with",  "would", "you",  "your",  NULL};
	return text_in(lower, words);
}
