/* What in a text is a secret: what a name says is one ("API_KEY=...", "--token ...", {"password": "..."}), what stands
 * between "://" and "@", and what looks like nothing else ("sk-...", long random words). Used where servers of other
 * programs are taken over, and to tell which values must not come back from a server. Thread: any. */
#ifndef AS_SECRET_H
#define AS_SECRET_H

#include "core/base/clock.h"
#include "core/base/memory.h"

/* Does the name of a variable, header, flag, member or query field say that its value is a secret? */
bool as_secret_name(assay_str name);
/* The flag that an argument is, without its dashes: the name of the argument behind it. Empty when it brings its value
 * along, or is no flag. */
assay_str as_secret_flag(assay_str argument);

typedef struct as_secret {
	assay_str name;  /* what says so: a name in the text, or `key`, or "secret" or "password" when there is none */
	size_t from, to; /* of the secret, within the text; never empty */
} as_secret;

/* A text that is looked through from its beginning to its end; zero but for what is said here. */
typedef struct as_secret_scan {
	assay_str text;
	assay_str key;     /* what the whole text is the value of: a variable, a header, the flag before an argument; or
			      empty */
	assay_str command; /* the program, without folders, that the text is an argument of, or that a script in the
			      text is calling; or empty */
	const as_cancel *cancel; /* set: nothing more is found; NULL: never */
	size_t at;
	size_t url;       /* where the address that we are in began, behind "://"; 0: in none */
	assay_str before; /* a name that is no secret's, whose value begins at `value` */
	size_t value;
	size_t blank;   /* where the first blank is, or the text's length */
	size_t guessed; /* how far values of names that may be a secret's have been read: each byte once */
} as_secret_scan;

/* The next secret. "${...}" is passed over: what it stands for does not stand here. A whole text
 * takes a time that grows as it does. What is found may be longer than
 * the secret, not shorter, where only its end is in doubt. */
bool as_secret_next(as_secret_scan *s, as_secret *out);

#endif
