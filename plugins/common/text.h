/* Memory and texts for modules that read a lot of both: compiled into each of them, as a module links nothing of
 * another. Thread: an arena belongs to one thread. */
#ifndef PLUGINS_COMMON_TEXT_H
#define PLUGINS_COMMON_TEXT_H

#include <assay/host.h>
#include <stdbool.h>

/* An arena of the host's blocks. Sticky failure: NULL once memory is out. */
struct text_arena {
	const assay_host *host;
	struct text_block *head;
	bool failed;
};

void *text_alloc(struct text_arena *a, size_t count, size_t size); /* zeroed */
assay_str text_copy(struct text_arena *a, assay_str s);
assay_str text_format(struct text_arena *a, const char *format, ...) ASSAY_PRINTF(2, 3);
/* Room for one more element of `size` bytes at the end of *items: its address, zeroed; NULL when memory is out. */
void *text_push(struct text_arena *a, void *items, size_t *n, size_t *cap, size_t size);
void text_arena_free(struct text_arena *a);

/* Text that grows in an arena, NUL-terminated once it has grown. */
struct text_buf {
	struct text_arena *arena;
	char *ptr;
	size_t len, cap;
};
void text_add(struct text_buf *b, assay_str s);
void text_puts(struct text_buf *b, const char *s);
assay_str text_of(const struct text_buf *b);

bool text_digit(char c);
bool text_upper(char c);
bool text_letter(char c); /* of ASCII */
bool text_blank(char c);  /* a blank, a tab, an end of line */
char text_lower(char c);  /* of ASCII */
/* Letters, digits, "_", and all bytes of other scripts, so that a word is never cut inside a character. */
bool text_word_byte(char c);

bool text_same(assay_str a, assay_str b);
bool text_same_fold(assay_str a, assay_str b); /* ASCII case folded */
bool text_is(assay_str a, const char *b);
bool text_in(assay_str a, const char *const *list); /* NULL-terminated */
bool text_starts(assay_str s, const char *prefix);  /* ASCII case folded */
assay_str text_trim(assay_str s);
assay_str text_cstr(const char *s);
assay_str text_head(assay_str s,
		    size_t max); /* the longest prefix of at most max bytes that ends at a character's end */
/* Where `needle` stands in `hay` at word bounds, ASCII case folded; SIZE_MAX when it does not. */
size_t text_find_word(assay_str hay, assay_str needle);

#endif
