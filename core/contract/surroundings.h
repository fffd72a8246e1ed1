/* What belongs to the whole process and is not a plugin's to change: working folder, environment, descriptors,
 * children. Noted before a module is run, and looked at when all its instances are closed. Thread: one. */
#ifndef AS_SURROUNDINGS_H
#define AS_SURROUNDINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define AS_SURROUNDINGS_FILES 256 /* descriptors that are looked at */

typedef struct as_surroundings {
	char folder[PATH_MAX];
	char environment[65]; /* digest */
	struct {
		bool open;
		dev_t device;
		ino_t inode;
	} files[AS_SURROUNDINGS_FILES];
	bool child; /* there is one, and that was told */
} as_surroundings;

void as_surroundings_note(as_surroundings *s);

/* One thing that has changed since, in words: "changes the working folder of the program". It is put right or noted, so
 * that it is told once. False: there is none left. */
bool as_surroundings_changed(as_surroundings *s, char *out, size_t size);

#endif
