/* Timestamps of the reference's files. */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/task/model_scalar.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of a text. */
typedef struct cursor {
	const char *p, *end;
} cursor;

static bool take(cursor *c, const char *any)
{
	if (c->p < c->end && *c->p != '\0' && strchr(any, *c->p)) {
		c->p++;
		return true;
	}
	return false;
}

static bool digits(cursor *c, int n, int low, int high, int *out)
{
	*out = 0;
	for (int i = 0; i < n; i++, c->p++) {
		if (c->p >= c->end || *c->p < '0' || *c->p > '9') {
			return false;
		}
		*out = *out * 10 + (*c->p - '0');
	}
	return *out >= low && *out <= high;
}

typedef struct moment {
	int year, month, day, hour, minute, second, micro;
	bool zoned, west;
	int zone_hour, zone_minute;
} moment;

static int days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && leap ? 29 : days[month - 1];
}

/* Up to six digits count, more are read over. */
static bool fraction(cursor *c, int *micro)
{
	int n = 0;
	*micro = 0;
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++, n++) {
		if (n < 6) {
			*micro = *micro * 10 + (*c->p - '0');
		}
	}
	for (int i = n; i < 6; i++) {
		*micro *= 10;
	}
	return n > 0 && n <= 9;
}

static bool zone(cursor *c, moment *m)
{
	static const char minus[] = "\xE2\x88\x92"; /* U+2212 */
	m->zoned = c->p < c->end;
	if (!m->zoned || take(c, "Zz")) {
		return true;
	}
	if (c->end - c->p > 3 && memcmp(c->p, minus, 3) == 0) {
		m->west = true;
		c->p += 3;
	} else if (take(c, "-")) {
		m->west = true;
	} else if (!take(c, "+")) {
		return false;
	}
	if (!digits(c, 2, 0, 23, &m->zone_hour)) {
		return false;
	}
	take(c, ":");
	return digits(c, 2, 0, 59, &m->zone_minute);
}

static bool read_moment(assay_str text, moment *m)
{
	cursor c = {text.ptr, text.ptr + text.len};
	*m = (moment){0};
	if (!digits(&c, 4, 1, 9999, &m->year) || !take(&c, "-") || !digits(&c, 2, 1, 12, &m->month) || !take(&c, "-") ||
	    !digits(&c, 2, 1, days_in(m->year, m->month), &m->day)) {
		return false;
	}
	if (c.p == c.end) {
		return true;
	}
	if (!take(&c, "Tt _") || !digits(&c, 2, 0, 23, &m->hour) || !take(&c, ":") ||
	    !digits(&c, 2, 0, 59, &m->minute)) {
		return false;
	}
	if (take(&c, ":")) {
		if (!digits(&c, 2, 0, 59, &m->second) || (take(&c, ".,") && !fraction(&c, &m->micro))) {
			return false;
		}
	}
	return zone(&c, m) && c.p == c.end;
}

static assay_json *write_moment(const moment *m)
{
	char text[128], micro[16] = "", offset[32] = "";
	if (m->micro) {
		snprintf(micro, sizeof micro, ".%06d", m->micro % 1000000);
	}
	if (m->zone_hour || m->zone_minute) {
		snprintf(offset, sizeof offset, "%c%02d:%02d", m->west ? '-' : '+', m->zone_hour % 100,
			 m->zone_minute % 100);
	} else if (m->zoned) {
		snprintf(offset, sizeof offset, "Z");
	}
	snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d%s%s", m->year, m->month, m->day, m->hour, m->minute,
		 m->second, micro, offset);
	return as_json_cstring(text);
}

/* Seconds since 1970, or milliseconds when there are more than 2e10 of them. NULL: out of the years that can be
 * written. */
static assay_json *of_number(double seconds)
{
	double us = fabs(seconds) > 2e10 ? seconds * 1e3 : seconds * 1e6;
	char text[32];
	if (!(us > -62135596800e6 && us < 253402300800e6)) { /* years 1 to 9999 */
		return NULL;
	}
	as_format_time((int64_t)floor(us + 0.5), text);
	return as_json_cstring(text);
}

int as_scalar_time(const assay_json *v, assay_json **out)
{
	assay_str text = as_json_str(v);
	moment m;
	*out = NULL;
	if (as_json_type(v) == ASSAY_JSON_NUMBER) {
		*out = of_number(as_json_f64(v, (double)NAN));
		return 0; /* a failed allocation looks like a bad time: an error all the same */
	}
	if (as_json_type(v) != ASSAY_JSON_STRING) {
		return 0;
	}
	if (text.len > 0 && text.len < 32 && strspn(as_json_cstr(v, ""), "0123456789.-") == text.len) {
		char *end;
		double d = strtod(as_json_cstr(v, ""), &end);
		if (*end == '\0') {
			*out = of_number(d);
			return 0;
		}
	}
	if (!read_moment(text, &m)) {
		return 0;
	}
	*out = write_moment(&m);
	return *out ? 0 : ASSAY_ENOMEM;
}
