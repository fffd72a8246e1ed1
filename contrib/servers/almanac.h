/* assay-almanac: units, calendar, cities and their daily figures. Reads only; the one thing that changes is the day. */
#ifndef ASSAY_SERVERS_ALMANAC_H
#define ASSAY_SERVERS_ALMANAC_H

#include "contrib/servers/common.h"

typedef struct almanac {
	int64_t day; /* the fixed "today", or 0: the clock's */
} almanac;

/* --- calendar: proleptic Gregorian, days counted from 0001-01-01 = 1, which was a Monday ------------------------- */

#define ALMANAC_LAST_DAY 3652059 /* 9999-12-31 */

typedef struct almanac_date {
	int year, month, day;
} almanac_date;

/* "YYYY-MM-DD" of years 1 to 9999; false for anything else. */
bool almanac_read_day(assay_str text, int64_t *day);
void almanac_write_day(int64_t day, char out[11]);
almanac_date almanac_split_day(int64_t day);
bool almanac_is_leap(int year);
int almanac_day_of_year(int64_t day);
int almanac_iso_week(int64_t day);
const char *almanac_weekday(int64_t day);

/* "YYYY-MM-DDTHH:MM[:SS]" followed by Z or an offset, as seconds since the start of day 0 in UTC. */
bool almanac_read_instant(assay_str text, int64_t *seconds);

/* --- cities ------------------------------------------------------------------------------------------------------ */

typedef struct almanac_city {
	const char *name, *country, *continent, *currency;
	int32_t population;
	int16_t offset;      /* minutes that standard time is ahead of UTC */
	int16_t mild, swing; /* tenths of a degree: mean of the year, and what July adds to it */
	int64_t per_euro;    /* ten-thousandths of the currency for one euro, about which the rate moves */
} almanac_city;

/* All cities, sorted by name. */
const almanac_city *almanac_cities(size_t *n);
/* By name, whatever its case; NULL: no such city. */
const almanac_city *almanac_find_city(assay_str name);
void almanac_write_offset(const almanac_city *city, char out[8]); /* "+05:45" */

/* --- units ------------------------------------------------------------------------------------------------------- */

typedef struct almanac_unit {
	const char *name, *dimension;
	double factor, zero; /* base value = value * factor + zero */
} almanac_unit;

const almanac_unit *almanac_find_unit(assay_str name);

/* --- the tools; payload is an almanac ---------------------------------------------------------------------------- */

int almanac_call_convert(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_add_days(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_days_between(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_weekday(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_time(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_list(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int almanac_call_daily(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);

#endif
