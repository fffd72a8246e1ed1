/* Agreement between raters. */
#include "core/stats/stats.h"

#include <math.h>

static double ratings(const uint32_t *row, size_t categories)
{
	double n = 0;
	for (size_t k = 0; k < categories; k++) {
		n += (double)row[k];
	}
	return n;
}

static double sum_of_squares(const uint32_t *row, size_t categories)
{
	double sum = 0;
	for (size_t k = 0; k < categories; k++) {
		sum += (double)row[k] * (double)row[k];
	}
	return sum;
}

static double percent_agreement(const uint32_t *table, size_t items, size_t categories)
{
	double sum = 0, counted = 0;
	for (size_t i = 0; i < items; i++) {
		const uint32_t *row = table + i * categories;
		const double n = ratings(row, categories);
		if (n >= 2) {
			sum += (sum_of_squares(row, categories) - n) / (n * (n - 1));
			counted++;
		}
	}
	return counted > 0 ? sum / counted : (double)NAN;
}

/* Mean share of a category over all items; an item without ratings adds 0 and stays in the divisor. */
static double share(const uint32_t *table, size_t items, size_t categories, size_t k)
{
	double sum = 0;
	for (size_t i = 0; i < items; i++) {
		const double n = ratings(table + i * categories, categories);
		sum += n > 0 ? (double)table[i * categories + k] / n : 0;
	}
	return sum / (double)items;
}

static double beyond_chance(double observed, double chance)
{
	return chance >= 1 ? (double)NAN : (observed - chance) / (1 - chance);
}

as_agreement as_agree(const uint32_t *table, size_t items, size_t categories)
{
	as_agreement out = {percent_agreement(table, items, categories), (double)NAN, (double)NAN};
	double same = 0, apart = 0;
	for (size_t k = 0; k < categories && items > 0; k++) {
		const double pi = share(table, items, categories, k);
		same += pi * pi;
		apart += pi * (1 - pi);
	}
	out.fleiss = beyond_chance(out.percent, same);
	if (categories >= 2) {
		out.gwet = beyond_chance(out.percent, apart / (double)(categories - 1));
	}
	return out;
}

double as_cohen_kappa(const uint64_t *table, size_t categories)
{
	double n = 0, same = 0, chance = 0;
	for (size_t i = 0; i < categories * categories; i++) {
		n += (double)table[i];
	}
	if (n == 0) {
		return (double)NAN;
	}
	for (size_t k = 0; k < categories; k++) {
		double first = 0, second = 0;
		for (size_t j = 0; j < categories; j++) {
			first += (double)table[k * categories + j];
			second += (double)table[j * categories + k];
		}
		same += (double)table[k * categories + k];
		chance += first / n * (second / n);
	}
	return beyond_chance(same / n, chance);
}

double as_krippendorff(const uint32_t *table, size_t items, size_t categories, bool pooled)
{
	double disagreeing = 0, pairs = 0, all = 0, expected = 0;
	for (size_t i = 0; i < items; i++) {
		const uint32_t *row = table + i * categories;
		const double m = ratings(row, categories);
		if (m >= 2) {
			const double apart = m * m - sum_of_squares(row, categories);
			disagreeing += pooled ? apart : apart / (m - 1);
			pairs += m * (m - 1);
			all += m;
		}
	}
	for (size_t k = 0; k < categories; k++) {
		double total = 0;
		for (size_t i = 0; i < items; i++) {
			const uint32_t *row = table + i * categories;
			total += ratings(row, categories) >= 2 ? (double)row[k] : 0;
		}
		expected += total * (all - total);
	}
	if (expected == 0) {
		return (double)NAN;
	}
	return 1 - disagreeing / (pooled ? pairs : all) / (expected / (all * (all - 1)));
}
