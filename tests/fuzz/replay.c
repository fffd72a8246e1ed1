/* replay DIRECTORY...: a fuzz target without libFuzzer. Feeds it each file of the directories, in the order of their
 * names, and the empty input; says how many there were. A target that finds a defect aborts. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_INPUT ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int feed(const char *path)
{
	uint8_t *bytes = malloc(MAX_INPUT);
	FILE *f = fopen(path, "rb");
	size_t n = 0;
	int rc = bytes && f ? 0 : -1;
	if (rc == 0) {
		n = fread(bytes, 1, MAX_INPUT, f);
		rc = ferror(f) || !feof(f) ? -1 : 0;
	}
	if (rc == 0) {
		/* A copy of the exact size, so that a read past its end is seen by the tools. */
		uint8_t *exact = realloc(bytes, n ? n : 1);
		bytes = exact ? exact : bytes;
		fprintf(stderr, "%s\n", path);
		LLVMFuzzerTestOneInput(bytes, n);
	} else {
		fprintf(stderr, "%s: cannot be read, or has more than %zu bytes\n", path, MAX_INPUT);
	}
	if (f) {
		fclose(f);
	}
	free(bytes);
	return rc;
}

static int feed_directory(const char *path, long *count)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, alphasort);
	int rc = 0;
	if (n < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		char file[4096];
		struct stat st;
		int len = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
		if (len > 0 && (size_t)len < sizeof file && stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
			rc |= feed(file);
			++*count;
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}

int main(int argc, char **argv)
{
	const uint8_t nothing = 0;
	long count = 0;
	int rc = 0;
	LLVMFuzzerTestOneInput(&nothing, 0);
	for (int i = 1; i < argc; i++) {
		rc |= feed_directory(argv[i], &count);
	}
	printf("%ld inputs\n", count);
	return rc == 0 && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
