/* Calendar arithmetic: the Gregorian rules carried back to year 1 and on to 9999. */
#include "contrib/servers/almanac.h"

static const int days_before_month[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

bool almanac_is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_before_year(int64_t year)
{
	int64_t whole = year - 1;
	return whole * 365 + whole / 4 - whole / 100 + whole / 400;
}

static int days_before(int year, int month)
{
	return days_before_month[month - 1] + (month > 2 && almanac_is_leap(year));
}

static int days_in(int year, int month)
{
	return days_before_month[month] - days_before_month[month - 1] + (month == 2 && almanac_is_leap(year));
}

/* Exactly `digits` decimal digits at *rest. */
static bool read_number(assay_str *rest, size_t digits, int *out)
{
	int n = 0;
	if (rest->len < digits) {
		return false;
	}
	for (size_t i = 0; i < digits; i++) {
		if (rest->ptr[i] < '0' || rest->ptr[i] > '9') {
			return false;
		}
		n = n * 10 + (rest->ptr[i] - '0');
	}
	*rest = (assay_str){rest->ptr + digits, rest->len - digits};
	*out = n;
	return true;
}

static bool read_char(assay_str *rest, const char *any)
{
	for (; *any; any++) {
		if (rest->len > 0 && rest->ptr[0] == *any) {
			*rest = (assay_str){rest->ptr + 1, rest->len - 1};
			return true;
		}
	}
	return false;
}

static bool read_date(assay_str *rest, int64_t *day)
{
	almanac_date d;
	if (!read_number(rest, 4, &d.year) || !read_char(rest, "-") || !read_number(rest, 2, &d.month) ||
	    !read_char(rest, "-") || !read_number(rest, 2, &d.day)) {
		return false;
	}
	if (d.year < 1 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > days_in(d.year, d.month)) {
		return false;
	}
	*day = days_before_year(d.year) + days_before(d.year, d.month) + d.day;
	return true;
}

bool almanac_read_day(assay_str text, int64_t *day)
{
	return read_date(&text, day) && text.len == 0;
}

almanac_date almanac_split_day(int64_t day)
{
	almanac_date d = {.month = 12};
	int64_t year = day * 400 / 146097 + 1; /* right, or too late or too early by one */
	int rest;
	while (days_before_year(year) >= day) {
		year--;
	}
	while (days_before_year(year + 1) < day) {
		year++;
	}
	d.year = (int)year;
	rest = (int)(day - days_before_year(year));
	while (days_before(d.year, d.month) >= rest) {
		d.month--;
	}
	d.day = rest - days_before(d.year, d.month);
	return d;
}

static char *write_number(char *out, size_t digits, int n)
{
	for (size_t i = digits; i-- > 0; n /= 10) {
		out[i] = (char)('0' + n % 10);
	}
	return out + digits;
}

void almanac_write_day(int64_t day, char out[11])
{
	almanac_date d = almanac_split_day(day);
	out = write_number(out, 4, d.year);
	*out++ = '-';
	out = write_number(out, 2, d.month);
	*out++ = '-';
	*write_number(out, 2, d.day) = '\0';
}

int almanac_day_of_year(int64_t day)
{
	return (int)(day - days_before_year(almanac_split_day(day).year));
}

static int weekday_number(int64_t day)
{
	return (int)((day - 1) % 7); /* 0 is Monday */
}

/* A week belongs to the year that its Thursday lies in. */
int almanac_iso_week(int64_t day)
{
	int64_t thursday = day - weekday_number(day) + 3;
	return (almanac_day_of_year(thursday) - 1) / 7 + 1;
}

const char *almanac_weekday(int64_t day)
{
	static const char *const names[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
					     "Friday", "Saturday", "Sunday"};
	return names[weekday_number(day)];
}

/* "Z" or "+HH:MM" at the end of *rest, in seconds. */
static bool read_offset(assay_str *rest, int64_t *seconds)
{
	int hours, minutes;
	bool behind = rest->len > 0 && rest->ptr[0] == '-';
	if (read_char(rest, "Zz")) {
		*seconds = 0;
		return true;
	}
	if (!read_char(rest, "+-") || !read_number(rest, 2, &hours) || !read_char(rest, ":") ||
	    !read_number(rest, 2, &minutes) || hours > 23 || minutes > 59) {
		return false;
	}
	*seconds = (hours * 60 + minutes) * (behind ? -60 : 60);
	return true;
}

bool almanac_read_instant(assay_str text, int64_t *seconds)
{
	int64_t day, offset;
	int hour, minute, second = 0;
	if (!read_date(&text, &day) || !read_char(&text, "Tt ") || !read_number(&text, 2, &hour) ||
	    !read_char(&text, ":") || !read_number(&text, 2, &minute)) {
		return false;
	}
	if (read_char(&text, ":") && !read_number(&text, 2, &second)) {
		return false;
	}
	if (hour > 23 || minute > 59 || second > 59 || !read_offset(&text, &offset) || text.len > 0) {
		return false;
	}
	*seconds = day * 86400 + hour * 3600 + minute * 60 + second - offset;
	return true;
}
