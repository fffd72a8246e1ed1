/* assay-almanac: an MCP server for units, dates and cities. */
#include "contrib/servers/almanac.h"
#include "config.h"
#include "contrib/servers/schema_text.h"
#include <stdlib.h>

#define READS (AS_MCP_READ_ONLY | AS_MCP_IDEMPOTENT | AS_MCP_CLOSED_WORLD)

#define UNITS                                                                                                          \
	"\"millimetres\",\"centimetres\",\"metres\",\"kilometres\",\"inches\",\"feet\",\"yards\",\"miles\","           \
	"\"nautical_miles\",\"square_metres\",\"hectares\",\"square_kilometres\",\"square_feet\",\"acres\","           \
	"\"grams\",\"kilograms\",\"tonnes\",\"ounces\",\"pounds\",\"stones\",\"millilitres\",\"litres\","              \
	"\"cubic_metres\",\"fluid_ounces\",\"cups\",\"pints\",\"gallons\",\"celsius\",\"fahrenheit\",\"kelvin\","      \
	"\"metres_per_second\",\"kilometres_per_hour\",\"miles_per_hour\",\"knots\",\"seconds\",\"minutes\","          \
	"\"hours\",\"days\",\"weeks\""
#define CONTINENTS "\"Africa\",\"Asia\",\"Europe\",\"North America\",\"Oceania\",\"South America\""

#define DATE_PATTERN S_PATTERN("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
#define DATE(name, about) S_STRING(name, about ", as YYYY-MM-DD.", DATE_PATTERN S_EXAMPLE(Q("2026-05-14")))
#define CITY                                                                                                           \
	S_STRING("city", "Name of the city, as list_cities and search give it.",                                       \
		 S_SIZE("1", "60") S_EXAMPLE(Q("Lisbon")))
#define COUNTRY S_STRING("country", "Only cities of this country.", S_SIZE("1", "60") S_EXAMPLE(Q("Portugal")))

#define OUT(name, about) S_STRING(name, about, "")
#define OUT_CITY OUT("city", "Name of the city.")
#define OUT_COUNTRY OUT("country", "Country that the city lies in.")
#define OUT_CONTINENT OUT("continent", "Continent that the city lies in.")
#define OUT_OFFSET OUT("utc_offset", "What standard time is ahead of UTC, as +HH:MM.")
#define OUT_CURRENCY OUT("currency", "Three-letter code of the currency.")
#define OUT_WEEKDAY OUT("weekday", "Day of the week in English.")
#define OUT_CITIES                                                                                                     \
	S_OBJECT(S_JOIN(Q("count"), Q("cities")), S_INTEGER("count", "Number of cities.", ""),                         \
		 S_LIST("cities", "The cities, sorted by name.",                                                       \
			S_OBJECT(S_JOIN(Q("city"), Q("country"), Q("continent")), OUT_CITY, OUT_COUNTRY,               \
				 OUT_CONTINENT)))

static const as_mcp_tool tools[] = {
	{
		.name = "convert_units",
		.title = "Convert units",
		.description =
			"Convert a value from one unit of measurement to another of the same kind: length, area, "
			"mass, volume, temperature, speed or time.",
		.input_schema =
			S_INPUT(S_JOIN(Q("value"), Q("from_unit"), Q("to_unit")),
				S_NUMBER("value", "The number to convert.", S_RANGE("-1e12", "1e12") S_EXAMPLE("12.5")),
				S_STRING("from_unit", "Unit that the value is in.", S_ENUM(UNITS)),
				S_STRING("to_unit", "Unit to convert to.", S_ENUM(UNITS)),
				S_INTEGER("decimals", "Decimals to round the result to.",
					  S_RANGE("0", "8") S_DEFAULT("4"))),
		.output_schema =
			S_OBJECT(S_JOIN(Q("value"), Q("from_unit"), Q("to_unit"), Q("result"), Q("dimension")),
				 S_NUMBER("value", "The number given.", ""), OUT("from_unit", "Its unit."),
				 OUT("to_unit", "Unit of the result."), S_NUMBER("result", "The converted number.", ""),
				 OUT("dimension", "What is measured.")),
		.hints = READS,
		.call = almanac_call_convert,
	},
	{
		.name = "add_days",
		.title = "Add days to a date",
		.description =
			"Add a number of days to a date, or subtract them with a negative number, and return the "
			"resulting date and its weekday.",
		.input_schema = S_INPUT(S_JOIN(Q("date"), Q("days")), DATE("date", "Date to start from"),
					S_INTEGER("days", "Days to add; negative to go back.",
						  S_RANGE("-3652059", "3652059") S_EXAMPLE("30"))),
		.output_schema = S_OBJECT(S_JOIN(Q("date"), Q("days"), Q("result_date"), Q("weekday")),
					  OUT("date", "The date given."), S_INTEGER("days", "The days added.", ""),
					  OUT("result_date", "The date so many days later."), OUT_WEEKDAY),
		.hints = READS,
		.call = almanac_call_add_days,
	},
	{
		.name = "days_between",
		.title = "Days between two dates",
		.description =
			"Count the days between two dates. Negative when the end date lies before the start date.",
		.input_schema = S_INPUT(S_JOIN(Q("start_date"), Q("end_date")), DATE("start_date", "First date"),
					DATE("end_date", "Second date")),
		.output_schema = S_OBJECT(S_JOIN(Q("start_date"), Q("end_date"), Q("days"), Q("full_weeks")),
					  OUT("start_date", "First date."), OUT("end_date", "Second date."),
					  S_INTEGER("days", "Days from the first to the second.", ""),
					  S_INTEGER("full_weeks", "Whole weeks among them.", "")),
		.hints = READS,
		.call = almanac_call_days_between,
	},
	{
		.name = "weekday",
		.title = "Weekday of a date",
		.description =
			"Tell the weekday of a date, its day of the year, its ISO week number, and whether the year is "
			"a leap year.",
		.input_schema = S_INPUT(Q("date"), DATE("date", "The date")),
		.output_schema =
			S_OBJECT(S_JOIN(Q("date"), Q("weekday"), Q("day_of_year"), Q("iso_week"), Q("leap_year")),
				 OUT("date", "The date given."), OUT_WEEKDAY,
				 S_INTEGER("day_of_year", "1 is the first of January.", ""),
				 S_INTEGER("iso_week", "Number of its week.", ""),
				 S_TRUTH("leap_year", "Whether its year has 366 days.")),
		.hints = READS,
		.call = almanac_call_weekday,
	},
	{
		.name = "time_in_zone",
		.title = "Local time in a city",
		.description = "Tell the local time in a city at a given instant, by the city's standard time zone (no "
			       "daylight saving).",
		.input_schema = S_INPUT(S_JOIN(Q("instant"), Q("city")),
					S_STRING("instant", "Point in time with its zone, as YYYY-MM-DDTHH:MM:SSZ.",
						 S_SIZE("17", "25") S_EXAMPLE(Q("2026-05-14T09:30:00Z"))),
					CITY),
		.output_schema =
			S_OBJECT(S_JOIN(Q("instant"), Q("city"), Q("local_time"), Q("weekday"), Q("utc_offset")),
				 OUT("instant", "The instant given."), OUT_CITY,
				 OUT("local_time", "Date and time in the city."), OUT_WEEKDAY, OUT_OFFSET),
		.hints = READS,
		.call = almanac_call_time,
	},
	{
		.name = "list_cities",
		.title = "List cities",
		.description =
			"List the cities that the almanac knows, optionally those of one country or one continent.",
		.input_schema = S_INPUT("", COUNTRY,
					S_STRING("continent", "Only cities of this continent.", S_ENUM(CONTINENTS))),
		.output_schema = OUT_CITIES,
		.hints = READS,
		.call = almanac_call_list,
	},
	{
		.name = "search",
		.title = "Search cities",
		.description =
			"Search the cities by a part of the city's or the country's name and return the matching cities.",
		.input_schema = S_INPUT(Q("query"), S_STRING("query", "Name, or part of a name, of a city or country.",
							     S_SIZE("1", "100") S_EXAMPLE(Q("Japan")))),
		.output_schema = OUT_CITIES,
		.hints = READS,
		.call = almanac_call_search,
	},
	{
		.name = "get_details",
		.title = "Get details of a city",
		.description = "Get the details of one city: country, continent, population, UTC offset and currency.",
		.input_schema = S_INPUT(Q("city"), CITY),
		.output_schema =
			S_OBJECT(S_JOIN(Q("city"), Q("country"), Q("continent"), Q("population"), Q("utc_offset"),
					Q("currency")),
				 OUT_CITY, OUT_COUNTRY, OUT_CONTINENT,
				 S_INTEGER("population", "People who live in the city.", ""), OUT_OFFSET, OUT_CURRENCY),
		.hints = READS,
		.call = almanac_call_details,
	},
	{
		.name = "daily_figures",
		.title = "Daily figures of a city",
		.description =
			"Get the figures of a city for one day: temperature, humidity, wind speed, and the exchange "
			"rate of its currency. They change every day.",
		.input_schema =
			S_INPUT(Q("city"), CITY, DATE("day", "Day that the figures are for; today when left out")),
		.output_schema =
			S_OBJECT(S_JOIN(Q("city"), Q("day"), Q("temperature"), Q("humidity"), Q("wind_speed"),
					Q("currency"), Q("exchange_rate")),
				 OUT_CITY, OUT("day", "Day that the figures are for."),
				 S_NUMBER("temperature", "Noon temperature in degrees Celsius.", ""),
				 S_INTEGER("humidity", "Relative humidity in percent.", ""),
				 S_NUMBER("wind_speed", "Wind speed in kilometres per hour.", ""), OUT_CURRENCY,
				 S_NUMBER("exchange_rate", "Units of the currency that one euro buys.", "")),
		.hints = AS_MCP_READ_ONLY | AS_MCP_CLOSED_WORLD,
		.call = almanac_call_daily,
	},
};

static const demo_program program = {
	.name = "assay-almanac",
	.help = "Serve units, calendar and cities over MCP on stdin and stdout.\n"
		"\n"
		"      --help     print this and leave\n"
		"      --version  print the version and leave\n"
		"\n"
		"ALMANAC_DAY=YYYY-MM-DD in the environment is the day of figures asked for without a day; else the current\n"
		"day in UTC is.\n"
		"\n"
		"Exit status: 0 when stdin ended, 2 wrong usage or ALMANAC_DAY, 1 any other failure.\n",
};

int main(int argc, char **argv)
{
	const char *day = getenv("ALMANAC_DAY");
	demo_options options;
	almanac book = {0};
	assay_error err = {0};
	int status = demo_options_read(&program, argc, argv, &options);
	if (status >= 0) {
		return status;
	}
	if (day && *day && !almanac_read_day(as_str(day), &book.day)) {
		as_fail(&err, ASSAY_EINVAL, "'%.60s' is no date; expected YYYY-MM-DD", day);
		as_error_where(&err, "ALMANAC_DAY", 0);
		return demo_fail(&program, &err);
	}
	as_mcp_server server = {
		.name = "assay-almanac",
		.title = "Almanac",
		.version = PACKAGE_VERSION,
		.instructions = "Units, dates and cities. A city is named by its name; dates are YYYY-MM-DD.",
		.tools = tools,
		.n_tools = sizeof tools / sizeof tools[0],
		.payload = &book,
	};
	return demo_serve(&program, &server);
}
