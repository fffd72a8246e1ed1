#include "core/base/unicode.h"

#include "core/base/unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool in_ranges(const as_char_range *ranges, size_t n, uint32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c > ranges[middle].last) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < n && c >= ranges[low].first;
}

bool as_char_is_alnum(uint32_t c)
{
	if (c < 0x80) {
		return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
	}
	return in_ranges(alnum_ranges, COUNT(alnum_ranges), c);
}

bool as_char_is_cased(uint32_t c)
{
	return in_ranges(cased_ranges, COUNT(cased_ranges), c);
}

bool as_char_is_ignorable(uint32_t c)
{
	return in_ranges(ignorable_ranges, COUNT(ignorable_ranges), c);
}

static uint32_t shifted(uint32_t c, int32_t delta)
{
	return (uint32_t)((int32_t)c + delta);
}

uint32_t as_char_lower(uint32_t c)
{
	size_t low = 0, high = COUNT(lower_runs);

	if (c < 0x80) {
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c > lower_runs[middle].last) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low < COUNT(lower_runs) && c >= lower_runs[low].first &&
	    (c - lower_runs[low].first) % (uint32_t)lower_runs[low].step == 0) {
		return shifted(c, lower_runs[low].delta);
	}
	return c;
}

/* The part of a run, whose characters are `move` away from where lower_runs has them, that lies in first..last: report
 * the other case of it, which is `delta` away. */
static bool fold_run(const as_lower_run *run, int32_t move, int32_t delta, uint32_t first, uint32_t last, as_fold_fn fn,
		     void *payload)
{
	uint32_t low = shifted(run->first, move), high = shifted(run->last, move);
	uint32_t step = (uint32_t)run->step;

	if (first > high || last < low) {
		return true;
	}
	if (first > low) {
		low += (first - low + step - 1) / step * step;
	}
	if (last < high) {
		high -= (high - last + step - 1) / step * step;
	}
	if (low > high) {
		return true;
	}
	if (step == 1) {
		return fn(payload, shifted(low, delta), shifted(high, delta));
	}
	for (uint32_t c = low; c <= high; c += step) {
		if (!fn(payload, shifted(c, delta), shifted(c, delta))) {
			return false;
		}
	}
	return true;
}

static bool fold_set(const as_fold_set *set, uint32_t first, uint32_t last, as_fold_fn fn, void *payload)
{
	bool met = false;

	for (size_t i = 0; i < AS_FOLD_SET_SIZE && !met; i++) {
		met = set->members[i] != 0 && set->members[i] >= first && set->members[i] <= last;
	}
	for (size_t i = 0; i < AS_FOLD_SET_SIZE && met; i++) {
		if (set->members[i] != 0 && !fn(payload, set->members[i], set->members[i])) {
			return false;
		}
	}
	return true;
}

bool as_char_fold(uint32_t first, uint32_t last, as_fold_fn fn, void *payload)
{
	for (size_t i = 0; i < COUNT(lower_runs); i++) {
		const as_lower_run *run = &lower_runs[i];

		if (!fold_run(run, 0, run->delta, first, last, fn, payload) ||
		    !fold_run(run, run->delta, -run->delta, first, last, fn, payload)) {
			return false;
		}
	}
	for (size_t i = 0; i < COUNT(fold_sets); i++) {
		if (!fold_set(&fold_sets[i], first, last, fn, payload)) {
			return false;
		}
	}
	return true;
}
