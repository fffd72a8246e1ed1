/* What the kernel says this process alone holds. */
#ifndef TESTS_PRIVATE_MEMORY_H
#define TESTS_PRIVATE_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* KiB of private memory, clean and dirty; 0: it cannot be told. */
static inline long private_kib(void)
{
	char text[256];
	long sum = 0;
	FILE *f = fopen("/proc/self/smaps_rollup", "r");

	while (f && fgets(text, sizeof text, f)) {
		sum += strncmp(text, "Private_", 8) ? 0 : strtol(strchr(text, ':') + 1, NULL, 10);
	}
	if (f) {
		fclose(f);
	}
	return sum;
}

#endif
