/* The options that all verbs on a project share. */
#ifndef AS_PROJECT_OPTIONS_H
#define AS_PROJECT_OPTIONS_H

#define AS_PROJECT_OPTIONS                                                                                             \
	{"manifest", "FILE", "the manifest (default: assay.json)"},                                                    \
		{"store", "FILE", "the store (default: assay.db beside the manifest)"},                                \
		{"out", "DIR", "where reports and releases go (default: beside the manifest)"},                        \
		{"trust", NULL, "trust the commands of the manifest, now and from now on, without being asked"},       \
		{"seed", "N", "another seed than the manifest's"},                                                     \
		{"offline", NULL, "ask no model: use the replies that are stored"},                                    \
		{"replies", "FILE", "another store whose model replies are used, too"},                                \
	{                                                                                                              \
		"jobs", "N", "worker threads (default: the manifest's, else one a processor)"                          \
	}

#endif
