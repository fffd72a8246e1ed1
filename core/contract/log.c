#include "core/contract/log.h"

#include "core/base/text.h"
#include <stdio.h>
#include <string.h>

#define WHAT_MAX 150u
#define PLACE_MAX 100u

/* The next line, without the "==1234==" of who writes in front. */
static assay_str next_line(assay_str text, size_t *at)
{
	const char *from = text.ptr + *at, *end = memchr(from, '\n', text.len - *at);
	size_t n = end ? (size_t)(end - from) : text.len - *at, head = 0, digits = 0;
	while (head < n && (from[head] == '=' || (from[head] >= '0' && from[head] <= '9'))) {
		digits += from[head++] != '=';
	}
	*at += n + (end ? 1 : 0);
	head = from[0] == '=' && digits > 0 ? head : 0;
	return as_trim((assay_str){from + head, n - head});
}

static assay_str behind(assay_str s, const char *mark)
{
	size_t n = strlen(mark);
	for (size_t i = 0; i + n <= s.len; i++) {
		if (memcmp(s.ptr + i, mark, n) == 0) {
			return (assay_str){s.ptr + i + n, s.len - i - n};
		}
	}
	return (assay_str){NULL, 0};
}

static assay_str before(assay_str s, const char *mark)
{
	assay_str rest = behind(s, mark);
	return rest.ptr ? (assay_str){s.ptr, s.len - rest.len - strlen(mark)} : s;
}

/* "score (words.c:12)" of valgrind's "by 0x4011AB: score (words.c:12)", "score /src/words.c:12" of the sanitizers'
 * "#1 0x4011ab in score /src/words.c:12". Empty when it is no place, or one within the tool. */
static assay_str place_of(assay_str line)
{
	assay_str place = {NULL, 0};
	if (as_str_starts(line, ASSAY_STR("at 0x")) || as_str_starts(line, ASSAY_STR("by 0x"))) {
		place = behind(line, ": ");
	} else if (as_str_starts(line, ASSAY_STR("#"))) {
		place = behind(line, " in ");
	}
	return as_str_contains(place, ASSAY_STR("vgpreload")) || as_str_contains(place, ASSAY_STR("sanitizer"))
		       ? (assay_str){NULL, 0}
		       : place;
}

/* What a line says is wrong, and who says so; empty when it begins no finding. */
static assay_str finding_of(assay_str line, const char **who)
{
	assay_str what = behind(line, "ERROR: ");
	*who = "";
	if (what.ptr) { /* "AddressSanitizer: heap-use-after-free on address 0x..." */
		return before(what, " on ");
	}
	if (as_str_contains(line, ASSAY_STR(": runtime error: "))) {
		*who = "UndefinedBehaviorSanitizer: ";
		return line;
	}
	*who = "valgrind: ";
	if (as_str_contains(line, ASSAY_STR("definitely lost"))) {
		return ASSAY_STR("memory is never freed, and nothing points to it any more"); /* how much: how often */
	}
	return line;
}

/* What valgrind has to say of itself, such as that it cannot read the debug information. */
static bool is_remark(assay_str line)
{
	return as_str_starts(line, ASSAY_STR("--")) || as_str_starts(line, ASSAY_STR("get_Form_"));
}

bool as_log_unreadable(assay_str text)
{
	return as_str_contains(text, ASSAY_STR("error when reading debug info"));
}

/* A message goes up to an empty line; in front of what it is about there may be a thread or a ruler. */
int as_log_findings(assay_str text, int (*tell)(void *payload, const char *problem, assay_error *err), void *payload,
		    assay_error *err)
{
	int rc = 0;
	for (size_t at = 0; at < text.len && rc == 0;) {
		assay_str what = {NULL, 0}, place = {NULL, 0}, line;
		const char *who = "";
		char problem[WHAT_MAX + PLACE_MAX + 64];
		do {
			line = next_line(text, &at);
			if (what.len == 0 && line.len > 0 && line.ptr[0] != '=' && line.ptr[0] != '#' &&
			    !is_remark(line) && !as_str_starts(line, ASSAY_STR("Thread ")) && place_of(line).len == 0) {
				what = finding_of(line, &who);
			}
			place = place.len ? place : place_of(line);
		} while (line.len > 0 && at < text.len);
		if (what.len > 0) {
			snprintf(problem, sizeof problem, "%s%.*s%s%.*s", who,
				 (int)(what.len < WHAT_MAX ? what.len : WHAT_MAX), what.ptr, place.len ? ", at " : "",
				 (int)(place.len < PLACE_MAX ? place.len : PLACE_MAX), place.len ? place.ptr : "");
			rc = tell(payload, problem, err);
		}
		if (who[0] == '\0' && what.len > 0) {
			break; /* what follows is about the same: where the memory was got, and freed */
		}
	}
	return rc;
}

assay_str as_log_notices(assay_str text)
{
	text = before(text, "=====");
	while (text.len > 0 && text.ptr[text.len - 1] != '\n') {
		text.len--;
	}
	return text;
}
