/* The tables of assay-almanac. Offsets are those of standard time; populations and rates are round figures. */
#include "contrib/servers/almanac.h"
#include "core/base/text.h"

static const almanac_city cities[] = {
	{"Amsterdam", "Netherlands", "Europe", "EUR", 931000, 60, 104, 74, 10000},
	{"Athens", "Greece", "Europe", "EUR", 643000, 120, 188, 97, 10000},
	{"Auckland", "New Zealand", "Oceania", "NZD", 1478000, 720, 154, -45, 18000},
	{"Bangkok", "Thailand", "Asia", "THB", 8305000, 420, 287, 12, 380000},
	{"Berlin", "Germany", "Europe", "EUR", 3677000, 60, 101, 95, 10000},
	{"Bogotá", "Colombia", "South America", "COP", 7834000, -300, 141, 2, 44500000},
	{"Boston", "United States", "North America", "USD", 654000, -300, 112, 125, 10900},
	{"Buenos Aires", "Argentina", "South America", "ARS", 3121000, -180, 179, -70, 9800000},
	{"Cairo", "Egypt", "Africa", "EGP", 10100000, 120, 222, 78, 523000},
	{"Cape Town", "South Africa", "Africa", "ZAR", 4772000, 120, 168, -45, 203000},
	{"Chicago", "United States", "North America", "USD", 2665000, -360, 105, 140, 10900},
	{"Copenhagen", "Denmark", "Europe", "DKK", 654000, 60, 91, 85, 74600},
	{"Dublin", "Ireland", "Europe", "EUR", 592000, 0, 98, 55, 10000},
	{"Edinburgh", "United Kingdom", "Europe", "GBP", 514000, 0, 93, 57, 8500},
	{"Hanoi", "Vietnam", "Asia", "VND", 8053000, 420, 243, 63, 273000000},
	{"Helsinki", "Finland", "Europe", "EUR", 664000, 120, 65, 112, 10000},
	{"Istanbul", "Turkey", "Europe", "TRY", 15840000, 180, 150, 92, 354000},
	{"Kathmandu", "Nepal", "Asia", "NPR", 845000, 345, 186, 61, 1450000},
	{"Kraków", "Poland", "Europe", "PLN", 804000, 60, 89, 103, 43200},
	{"Kyoto", "Japan", "Asia", "JPY", 1464000, 540, 162, 118, 1635000},
	{"Lima", "Peru", "South America", "PEN", 10092000, -300, 196, -34, 40700},
	{"Lisbon", "Portugal", "Europe", "EUR", 546000, 0, 175, 58, 10000},
	{"London", "United Kingdom", "Europe", "GBP", 8866000, 0, 115, 68, 8500},
	{"Marrakesh", "Morocco", "Africa", "MAD", 929000, 60, 205, 85, 108500},
	{"Melbourne", "Australia", "Oceania", "AUD", 5031000, 600, 155, -53, 16500},
	{"Mexico City", "Mexico", "North America", "MXN", 9210000, -360, 168, 14, 184000},
	{"Montreal", "Canada", "North America", "CAD", 1763000, -300, 71, 155, 14800},
	{"Mumbai", "India", "Asia", "INR", 12480000, 330, 275, 4, 906000},
	{"Nairobi", "Kenya", "Africa", "KES", 4397000, 180, 190, -17, 1410000},
	{"New York", "United States", "North America", "USD", 8336000, -300, 131, 123, 10900},
	{"Oslo", "Norway", "Europe", "NOK", 717000, 60, 68, 110, 117000},
	{"Paris", "France", "Europe", "EUR", 2103000, 60, 125, 80, 10000},
	{"Porto", "Portugal", "Europe", "EUR", 232000, 0, 153, 51, 10000},
	{"Prague", "Czechia", "Europe", "CZK", 1357000, 60, 93, 98, 250000},
	{"Reykjavik", "Iceland", "Europe", "ISK", 139000, 0, 51, 58, 1495000},
	{"Rome", "Italy", "Europe", "EUR", 2756000, 60, 161, 87, 10000},
	{"Santiago", "Chile", "South America", "CLP", 6269000, -240, 146, -62, 10150000},
	{"Seoul", "South Korea", "Asia", "KRW", 9411000, 540, 128, 138, 14800000},
	{"Singapore", "Singapore", "Asia", "SGD", 5918000, 480, 278, 4, 14600},
	{"St. John's", "Canada", "North America", "CAD", 111000, -210, 52, 98, 14800},
	{"Stockholm", "Sweden", "Europe", "SEK", 984000, 60, 76, 103, 114500},
	{"São Paulo", "Brazil", "South America", "BRL", 11452000, -180, 201, -33, 60500},
	{"Tokyo", "Japan", "Asia", "JPY", 13988000, 540, 158, 107, 1635000},
	{"Toronto", "Canada", "North America", "CAD", 2794000, -300, 94, 133, 14800},
	{"Vancouver", "Canada", "North America", "CAD", 662000, -480, 108, 75, 14800},
	{"Vienna", "Austria", "Europe", "EUR", 1983000, 60, 114, 100, 10000},
	{"Wellington", "New Zealand", "Oceania", "NZD", 216000, 720, 132, -40, 18000},
	{"Zürich", "Switzerland", "Europe", "CHF", 427000, 60, 98, 92, 9600},
};

const almanac_city *almanac_cities(size_t *n)
{
	*n = sizeof cities / sizeof cities[0];
	return cities;
}

const almanac_city *almanac_find_city(assay_str name)
{
	const almanac_city *found = NULL;
	as_buf wanted = {0}, folded = {0};
	as_normalise(&wanted, name);
	for (size_t i = 0; i < sizeof cities / sizeof cities[0] && !found; i++) {
		as_buf_clear(&folded);
		as_normalise(&folded, as_str(cities[i].name));
		if (as_str_eq(as_buf_str(&folded), as_buf_str(&wanted))) {
			found = &cities[i];
		}
	}
	as_buf_free(&wanted);
	as_buf_free(&folded);
	return found;
}

/* Base units: metre, square metre, kilogram, litre, kelvin, metre a second, second. */
static const almanac_unit units[] = {
	{"millimetres", "length", 0.001, 0},
	{"centimetres", "length", 0.01, 0},
	{"metres", "length", 1, 0},
	{"kilometres", "length", 1000, 0},
	{"inches", "length", 0.0254, 0},
	{"feet", "length", 0.3048, 0},
	{"yards", "length", 0.9144, 0},
	{"miles", "length", 1609.344, 0},
	{"nautical_miles", "length", 1852, 0},
	{"square_metres", "area", 1, 0},
	{"hectares", "area", 10000, 0},
	{"square_kilometres", "area", 1e6, 0},
	{"square_feet", "area", 0.09290304, 0},
	{"acres", "area", 4046.8564224, 0},
	{"grams", "mass", 0.001, 0},
	{"kilograms", "mass", 1, 0},
	{"tonnes", "mass", 1000, 0},
	{"ounces", "mass", 0.028349523125, 0},
	{"pounds", "mass", 0.45359237, 0},
	{"stones", "mass", 6.35029318, 0},
	{"millilitres", "volume", 0.001, 0},
	{"litres", "volume", 1, 0},
	{"cubic_metres", "volume", 1000, 0},
	{"fluid_ounces", "volume", 0.0295735295625, 0},
	{"cups", "volume", 0.2365882365, 0},
	{"pints", "volume", 0.473176473, 0},
	{"gallons", "volume", 3.785411784, 0},
	{"celsius", "temperature", 1, 273.15},
	{"fahrenheit", "temperature", 5.0 / 9, 273.15 - 32 * (5.0 / 9)},
	{"kelvin", "temperature", 1, 0},
	{"metres_per_second", "speed", 1, 0},
	{"kilometres_per_hour", "speed", 1 / 3.6, 0},
	{"miles_per_hour", "speed", 0.44704, 0},
	{"knots", "speed", 1852.0 / 3600, 0},
	{"seconds", "time", 1, 0},
	{"minutes", "time", 60, 0},
	{"hours", "time", 3600, 0},
	{"days", "time", 86400, 0},
	{"weeks", "time", 604800, 0},
};

const almanac_unit *almanac_find_unit(assay_str name)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (as_str_is(name, units[i].name)) {
			return &units[i];
		}
	}
	return NULL;
}
