/* The tools of assay-almanac. */
#include "contrib/servers/almanac.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include <math.h>
#include <stdio.h>

/* --- units ------------------------------------------------------------------------------------------------------- */

int almanac_call_convert(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	const almanac_unit *from = almanac_find_unit(demo_arg(arguments, "from_unit"));
	const almanac_unit *to = almanac_find_unit(demo_arg(arguments, "to_unit"));
	double value = as_json_f64(as_json_get(arguments, "value"), 0), base, scale, result;
	int64_t decimals = as_json_i64(as_json_get(arguments, "decimals"), 4);
	assay_json *root;
	int bad;
	(void)payload;
	if (!from || !to) { /* the schema lists what there is */
		return as_mcp_refuse(answer, "from_unit and to_unit must each be one of the units listed");
	}
	if (!as_str_is(as_str(from->dimension), to->dimension)) {
		return as_mcp_refuse(answer, "cannot convert '%s' (%s) to '%s' (%s): choose two units of one kind",
				     from->name, from->dimension, to->name, to->dimension);
	}
	base = value * from->factor + from->zero;
	if (as_str_is(as_str(from->dimension), "temperature") && base < -1e-9) {
		return as_mcp_refuse(answer, "%g %s is below absolute zero", value, from->name);
	}
	scale = pow(10, (double)decimals);
	result = round((base - to->zero) / to->factor * scale) / scale;
	root = as_json_object();
	bad = as_json_set(root, "value", as_json_clone(as_json_get(arguments, "value")));
	bad |= demo_put_text(root, "from_unit", from->name);
	bad |= demo_put_text(root, "to_unit", to->name);
	bad |= demo_put_real(root, "result", result + 0.0); /* no -0.0 */
	bad |= demo_put_text(root, "dimension", from->dimension);
	return demo_finish(answer, root, bad, err);
}

/* --- calendar ---------------------------------------------------------------------------------------------------- */

/* The date that an argument gives: true, or false with the refusal given. */
static bool take_day(const assay_json *arguments, const char *key, int64_t *day, as_mcp_answer *answer)
{
	as_buf shown = {0};
	if (almanac_read_day(demo_arg(arguments, key), day)) {
		return true;
	}
	demo_quote(&shown, demo_arg(arguments, key));
	as_mcp_refuse(answer, "%s %s is no date of the calendar; expected YYYY-MM-DD from 0001-01-01 to 9999-12-31",
		      key, shown.ptr ? shown.ptr : "");
	as_buf_free(&shown);
	return false;
}

static int put_day(assay_json *object, const char *key, int64_t day)
{
	char text[11];
	almanac_write_day(day, text);
	return demo_put_text(object, key, text);
}

int almanac_call_add_days(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t day, days = as_json_i64(as_json_get(arguments, "days"), 0), sum;
	assay_json *root;
	int bad;
	(void)payload;
	if (!take_day(arguments, "date", &day, answer)) {
		return 0;
	}
	sum = day + days; /* the schema bounds days */
	if (sum < 1 || sum > ALMANAC_LAST_DAY) {
		return as_mcp_refuse(answer, "%lld days on lies outside of the years 1 to 9999", (long long)days);
	}
	root = as_json_object();
	bad = put_day(root, "date", day);
	bad |= demo_put_int(root, "days", days);
	bad |= put_day(root, "result_date", sum);
	bad |= demo_put_text(root, "weekday", almanac_weekday(sum));
	return demo_finish(answer, root, bad, err);
}

int almanac_call_days_between(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t start, end;
	assay_json *root;
	int bad;
	(void)payload;
	if (!take_day(arguments, "start_date", &start, answer) || !take_day(arguments, "end_date", &end, answer)) {
		return 0;
	}
	root = as_json_object();
	bad = put_day(root, "start_date", start);
	bad |= put_day(root, "end_date", end);
	bad |= demo_put_int(root, "days", end - start);
	bad |= demo_put_int(root, "full_weeks", (end - start) / 7);
	return demo_finish(answer, root, bad, err);
}

int almanac_call_weekday(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t day;
	assay_json *root;
	int bad;
	(void)payload;
	if (!take_day(arguments, "date", &day, answer)) {
		return 0;
	}
	root = as_json_object();
	bad = put_day(root, "date", day);
	bad |= demo_put_text(root, "weekday", almanac_weekday(day));
	bad |= demo_put_int(root, "day_of_year", almanac_day_of_year(day));
	bad |= demo_put_int(root, "iso_week", almanac_iso_week(day));
	bad |= as_json_set(root, "leap_year", as_json_truth(almanac_is_leap(almanac_split_day(day).year)));
	return demo_finish(answer, root, bad, err);
}

/* --- cities ------------------------------------------------------------------------------------------------------ */

void almanac_write_offset(const almanac_city *city, char out[8])
{
	unsigned minutes = (unsigned)(city->offset < 0 ? -city->offset : city->offset);
	snprintf(out, 8, "%c%02u:%02u", city->offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
}

static int put_offset(assay_json *object, const almanac_city *city)
{
	char text[8];
	almanac_write_offset(city, text);
	return demo_put_text(object, "utc_offset", text);
}

static int refuse_city(as_mcp_answer *answer, assay_str name, assay_error *err)
{
	demo_names known = {0};
	size_t n;
	const almanac_city *cities = almanac_cities(&n);
	int status = 0;
	for (size_t i = 0; i < n && status == 0; i++) {
		status = demo_names_add(&known, as_str(cities[i].name), err);
	}
	if (status == 0) {
		status = demo_refuse_unknown(answer, "city", name, &known, "list_cities shows the cities there are");
	}
	demo_names_free(&known);
	return status;
}

int almanac_call_time(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str instant = demo_arg(arguments, "instant");
	const almanac_city *city = almanac_find_city(demo_arg(arguments, "city"));
	int64_t seconds, of_day;
	assay_json *root;
	char day[11], local[40];
	int bad;
	(void)payload;
	if (!city) {
		return refuse_city(answer, demo_arg(arguments, "city"), err);
	}
	if (!almanac_read_instant(instant, &seconds)) {
		return as_mcp_refuse(answer,
				     "instant is no point in time; expected YYYY-MM-DDTHH:MM:SSZ or with an offset "
				     "such as +02:00 instead of Z");
	}
	seconds += (int64_t)city->offset * 60;
	if (seconds < 86400 || seconds / 86400 > ALMANAC_LAST_DAY) {
		return as_mcp_refuse(answer, "in %s that instant lies outside of the years 1 to 9999", city->name);
	}
	of_day = seconds % 86400;
	almanac_write_day(seconds / 86400, day);
	snprintf(local, sizeof local, "%sT%02d:%02d:%02d", day, (int)(of_day / 3600), (int)(of_day / 60 % 60),
		 (int)(of_day % 60));
	root = as_json_object();
	bad = demo_put_str(root, "instant", instant);
	bad |= demo_put_text(root, "city", city->name);
	bad |= demo_put_text(root, "local_time", local);
	bad |= demo_put_text(root, "weekday", almanac_weekday(seconds / 86400));
	bad |= put_offset(root, city);
	return demo_finish(answer, root, bad, err);
}

static bool same_word(const char *name, assay_str wanted)
{
	as_buf a = {0}, b = {0};
	bool same;
	as_normalise(&a, as_str(name));
	as_normalise(&b, wanted);
	same = wanted.len == 0 || as_str_eq(as_buf_str(&a), as_buf_str(&b));
	as_buf_free(&a);
	as_buf_free(&b);
	return same;
}

static int put_city(assay_json *list, const almanac_city *city)
{
	assay_json *entry = as_json_object();
	int bad = demo_put_text(entry, "city", city->name);
	bad |= demo_put_text(entry, "country", city->country);
	bad |= demo_put_text(entry, "continent", city->continent);
	return bad | as_json_append(list, entry);
}

/* No city is there: say which country was probably meant. */
static int refuse_country(as_mcp_answer *answer, assay_str country, assay_error *err)
{
	demo_names known = {0};
	size_t n;
	const almanac_city *cities = almanac_cities(&n);
	int status = 0;
	for (size_t i = 0; i < n && status == 0; i++) {
		status = demo_names_add(&known, as_str(cities[i].country), err);
	}
	if (status == 0) {
		demo_names_sort(&known);
		status = demo_refuse_unknown(answer, "country", country, &known,
					     "list_cities without a country shows all cities");
	}
	demo_names_free(&known);
	return status;
}

static int answer_cities(as_mcp_answer *answer, assay_json *list, assay_error *err)
{
	assay_json *root = as_json_object();
	int bad = demo_put_int(root, "count", (int64_t)as_json_count(list));
	bad |= as_json_set(root, "cities", list);
	return demo_finish(answer, root, bad, err);
}

int almanac_call_list(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str country = demo_arg(arguments, "country"), continent = demo_arg(arguments, "continent");
	size_t n, in_country = 0;
	const almanac_city *cities = almanac_cities(&n);
	assay_json *list = as_json_array();
	int bad = 0;
	(void)payload;
	for (size_t i = 0; i < n; i++) {
		bool there = same_word(cities[i].country, country);
		in_country += there;
		if (there && same_word(cities[i].continent, continent)) {
			bad |= put_city(list, &cities[i]);
		}
	}
	if (in_country == 0) {
		as_json_free(list);
		return refuse_country(answer, country, err);
	}
	if (bad) {
		as_json_free(list);
		return as_fail_memory(err);
	}
	return answer_cities(answer, list, err);
}

int almanac_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	size_t n;
	const almanac_city *cities = almanac_cities(&n);
	as_buf words = {0}, folded = {0};
	assay_json *list = as_json_array();
	int bad = 0, status;
	(void)payload;
	as_buf_puts(&words, "");
	as_normalise(&words, demo_arg(arguments, "query"));
	for (size_t i = 0; i < n; i++) {
		as_buf_clear(&folded);
		as_normalise(&folded, as_str(cities[i].name));
		as_buf_byte(&folded, ' ');
		as_normalise(&folded, as_str(cities[i].country));
		if (demo_has_words(as_buf_str(&folded), as_buf_str(&words))) {
			bad |= put_city(list, &cities[i]);
		}
	}
	if (bad || words.failed || folded.failed) {
		as_json_free(list);
		status = as_fail_memory(err);
	} else if (words.len == 0) {
		as_json_free(list);
		status = as_mcp_refuse(answer, "query is blank; give the name of a city or a country, or a part of it");
	} else {
		status = answer_cities(answer, list, err);
	}
	as_buf_free(&words);
	as_buf_free(&folded);
	return status;
}

int almanac_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	const almanac_city *city = almanac_find_city(demo_arg(arguments, "city"));
	assay_json *root;
	int bad;
	(void)payload;
	if (!city) {
		return refuse_city(answer, demo_arg(arguments, "city"), err);
	}
	root = as_json_object();
	bad = demo_put_text(root, "city", city->name);
	bad |= demo_put_text(root, "country", city->country);
	bad |= demo_put_text(root, "continent", city->continent);
	bad |= demo_put_int(root, "population", city->population);
	bad |= put_offset(root, city);
	bad |= demo_put_text(root, "currency", city->currency);
	return demo_finish(answer, root, bad, err);
}

/* --- daily figures ----------------------------------------------------------------------------------------------- */

/* A number of [0, below) that belongs to this city, day and figure. */
static int64_t drawn(const almanac_city *city, const char *day, const char *figure, int64_t below)
{
	assay_str parts[3] = {as_str(city->name), as_str(day), as_str(figure)};
	char hex[65];
	as_hash_parts("assay-almanac", parts, 3, hex);
	return (int64_t)(as_hash_u64(hex) % (uint64_t)below);
}

/* Whole numbers all the way, so that every machine says the same: the season is a triangle with its top in mid July. */
static int64_t temperature_tenths(const almanac_city *city, int64_t day, const char *text)
{
	int64_t from_july = almanac_day_of_year(day) - 197, season;
	if (from_july < 0) {
		from_july = -from_july;
	}
	if (from_july > 183) {
		from_july = 366 - from_july;
	}
	season = (int64_t)city->swing * (183 - 2 * from_july) / 183;
	return city->mild + season + drawn(city, text, "temperature", 121) - 60;
}

static int64_t today(const almanac *a)
{
	char now[32];
	int64_t day = a->day;
	if (day == 0) {
		as_format_time(as_wall_us(), now);
		if (!almanac_read_day((assay_str){now, 10}, &day)) {
			day = 1;
		}
	}
	return day;
}

int almanac_call_daily(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	const almanac_city *city = almanac_find_city(demo_arg(arguments, "city"));
	int64_t day, rate;
	char text[11];
	assay_json *root;
	int bad;
	if (!city) {
		return refuse_city(answer, demo_arg(arguments, "city"), err);
	}
	if (!as_json_get(arguments, "day")) {
		day = today(payload);
	} else if (!take_day(arguments, "day", &day, answer)) {
		return 0;
	}
	almanac_write_day(day, text);
	rate = city->per_euro;
	if (!as_str_is(as_str(city->currency), "EUR")) { /* a currency has one rate, wherever it is paid with */
		const almanac_city purse = {.name = city->currency};
		rate += (drawn(&purse, text, "rate", 6001) - 3000) * city->per_euro / 100000;
	}
	root = as_json_object();
	bad = demo_put_text(root, "city", city->name);
	bad |= demo_put_text(root, "day", text);
	bad |= demo_put_real(root, "temperature", (double)temperature_tenths(city, day, text) / 10);
	bad |= demo_put_int(root, "humidity", 35 + drawn(city, text, "humidity", 61));
	bad |= demo_put_real(root, "wind_speed", (double)drawn(city, text, "wind", 600) / 10);
	bad |= demo_put_text(root, "currency", city->currency);
	bad |= demo_put_real(root, "exchange_rate", (double)rate / 10000);
	return demo_finish(answer, root, bad, err);
}
