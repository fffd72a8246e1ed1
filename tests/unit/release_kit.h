/* A small run for the tests of releases: two servers, two tasks, two candidates, made without starting anything but as
 * honest as a real one: references, tapes, gates, replayed attempts, verdicts. */
#ifndef TESTS_RELEASE_KIT_H
#define TESTS_RELEASE_KIT_H

#include "core/release/pack.h"
#include "core/release/verify.h"
#include "core/run/context.h"
#include "tests/unit/model_kit.h"

struct kit {
	as_buf dir; /* a folder of its own */
	as_manifest *manifest;
	as_registry *registry;
	as_store *store;
	as_engine *engine;
	as_worker *worker;
	assay_json *tasks[2];
	as_trace *references[2];
	as_tape *tapes[2];
	as_buf archive; /* after kit_pack */
	char identity[65];
};

/* evaluation: changes to the manifest's "evaluation" (NULL: none); launch: of server "mail" (NULL: plain). */
void kit_open(struct kit *k, const char *evaluation, const char *launch);
void kit_attempts(struct kit *k); /* every attempt that the manifest asks for */
void kit_close(struct kit *k);

/* Pack into the kit's folder. */
int kit_pack(struct kit *k, assay_error *err);
/* kit_open, kit_attempts, kit_pack, and the release's folder, unpacked: the caller frees the text. */
char *kit_release(struct kit *k);

/* Work on an unpacked release. */
assay_text read_file(const char *dir, const char *file);
void write_file(const char *dir, const char *file, assay_str bytes);
/* Replace the nth (from 0 on) occurrence; answers its line. */
uint32_t edit_file(const char *dir, const char *file, const char *from, const char *to, size_t nth);
/* Make release.json true of the files again, as a forger would. */
void mend(const char *dir);

/* Verify, and the findings as text, one a line, in *text (static). */
const as_release_findings *check_release(const char *path, const char **text);
/* There is a finding of this file, line (0: any) and text. */
void expect_finding(const char *dir, const char *file, uint32_t line, const char *text);

#endif
