/* Assay SDK: what every plugin needs to do with texts. Compiled into the plugin; nothing is called. */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

#include <assay/types.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline assay_str assay_text_of(const char *ptr, size_t len)
{
	assay_str s;
	s.ptr = ptr;
	s.len = len;
	return s;
}

/* The text of a C string; NULL: an empty one. */
static inline assay_str assay_text_of_cstr(const char *c)
{
	size_t len = 0;
	while (c && c[len]) {
		len++;
	}
	return assay_text_of(c, len);
}

static inline int assay_text_same(assay_str a, assay_str b)
{
	size_t i = 0;
	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i]) {
		i++;
	}
	return i == a.len && i == b.len;
}

static inline int assay_text_is(assay_str s, const char *c)
{
	return assay_text_same(s, assay_text_of_cstr(c));
}

#ifdef __cplusplus
}
#endif
#endif
