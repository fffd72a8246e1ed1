/* Frozen values and the pool of them: copies share memory, and nobody sees what another does with his own. */
#include "core/base/json.h"
#include "core/base/json_pool.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <string.h>

static const char text[] =
	"{\"name\":\"a\",\"schema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":[\"string\",\"null\"]},"
	"\"y\":{}}},\"list\":[1,2.50,{\"k\":\"v\"}],\"none\":[]}";

static assay_json *parse(const char *json)
{
	assay_json *v = NULL;
	ck_assert_int_eq(as_json_parse(as_str(json), ASSAY_JSON_STRICT, &v, NULL), 0);
	return v;
}

static void is_text(const assay_json *v, const char *expected)
{
	assay_text out;
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_COMPACT, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, expected);
	as_text_free(&out);
}

START_TEST(test_copies_outlive)
{
	assay_json *v = as_json_freeze(parse(text)), *copy, *part, *around;
	is_text(v, text);
	copy = as_json_clone(v);
	part = as_json_clone(as_json_get(v, "schema"));
	ck_assert(as_json_shares(v, copy));
	ck_assert(!as_json_shares(v, part));
	ck_assert_ptr_eq(as_json_get(copy, "list"), as_json_get(v, "list")); /* the very same memory */
	around = as_json_object();
	ck_assert_int_eq(as_json_set(around, "a", as_json_clone(copy)), 0);
	ck_assert_int_eq(as_json_set(around, "b", as_json_integer(3)), 0);
	as_json_free(v);
	is_text(copy, text);
	v = as_json_clone(around); /* a block with a lent value in it */
	as_json_free(around);
	as_json_free(copy);
	is_text(as_json_get(v, "a"), text);
	is_text(part, "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":[\"string\",\"null\"]},\"y\":{}}}");
	part = (as_json_free(part), as_json_detach(v, "a"));
	as_json_free(v);
	is_text(part, text);
	as_json_free(part);
}
END_TEST

START_TEST(test_own_copies_change)
{
	assay_json *v = as_json_freeze(parse(text)), *copy = as_json_clone(v), *out;
	ck_assert_int_eq(as_json_set(copy, "name", as_json_cstring("other")), 0);
	out = as_json_detach(copy, "list");
	is_text(out, "[1,2.50,{\"k\":\"v\"}]");
	ck_assert_int_eq(as_json_append(out, as_json_truth(1)), 0);
	is_text(out, "[1,2.50,{\"k\":\"v\"},true]");
	as_json_free(as_json_take_first(out));
	is_text(out, "[2.50,{\"k\":\"v\"},true]");
	/* What lies in an own member's member is shared still, and that member may be changed, too. */
	ck_assert_int_eq(as_json_set(as_json_edit(as_json_get(copy, "schema")), "type", as_json_null()), 0);
	is_text(copy,
		"{\"name\":\"other\",\"schema\":{\"type\":null,\"properties\":{\"x\":{\"type\":[\"string\",\"null\"]},"
		"\"y\":{}}},\"none\":[]}");
	is_text(v, text);
	as_json_free(v);
	as_json_free(out);
	as_json_free(copy);
}
END_TEST

START_TEST(test_frozen_does_not_change)
{
	assay_json *v = as_json_freeze(parse(text)), *copy = as_json_clone(v);
	assay_json *deep = as_json_edit(as_json_pointer(copy, "/schema/properties"));
	ck_assert_int_eq(as_json_set(v, "z", as_json_null()), ASSAY_EINVAL);
	ck_assert_int_eq(as_json_set(deep, "z", as_json_null()), ASSAY_EINVAL);
	ck_assert_int_eq(as_json_append(as_json_edit(as_json_get(v, "list")), as_json_null()), ASSAY_EINVAL);
	ck_assert_ptr_null(as_json_detach(v, "name"));
	ck_assert_ptr_null(as_json_take_first(as_json_edit(as_json_get(v, "list"))));
	is_text(v, text);
	is_text(copy, text);
	as_json_free(copy);
	as_json_free(v);
}
END_TEST

START_TEST(test_what_is_frozen)
{
	/* Built piece by piece, with a frozen part in it; and what has nothing to share. */
	assay_json *part = as_json_freeze(parse("{\"p\":[1]}")), *built = as_json_object(), *copy;
	as_json_set(built, "part", as_json_clone(part));
	as_json_set(built, "whole", part);
	as_json_set(built, "n", as_json_integer(7));
	built = as_json_freeze(built);
	is_text(built, "{\"part\":{\"p\":[1]},\"whole\":{\"p\":[1]},\"n\":7}");
	copy = as_json_clone(built);
	ck_assert_ptr_eq(as_json_freeze(copy), copy);
	as_json_free(built);
	is_text(copy, "{\"part\":{\"p\":[1]},\"whole\":{\"p\":[1]},\"n\":7}");
	as_json_free(copy);
	ck_assert_ptr_null(as_json_freeze(NULL));
	copy = as_json_freeze(as_json_object());
	ck_assert(!as_json_shares(copy, copy));
	ck_assert_int_eq(as_json_set(copy, "a", as_json_null()), 0);
	as_json_free(copy);
}
END_TEST

START_TEST(test_images)
{
	assay_json *v = as_json_freeze(parse(text)), *copy = as_json_clone(v);
	void *room = malloc(as_json_image_size(copy));
	ck_assert_ptr_nonnull(room);
	const assay_json *image = as_json_image(copy, room);
	as_json_free(v);
	as_json_free(copy);
	is_text(image, text);
	copy = as_json_clone(image);
	free(room);
	is_text(copy, text);
	as_json_free(copy);
}
END_TEST

static void *copy_often(void *payload)
{
	const assay_json *v = payload;
	for (int i = 0; i < 20000; i++) {
		assay_json *a = as_json_clone(v), *b = as_json_clone(as_json_get(a, "schema"));
		if (i % 16 == 0) {
			as_json_set(a, "name", as_json_integer(i));
		}
		as_json_free(a);
		as_json_free(b);
	}
	return NULL;
}

START_TEST(test_many_threads)
{
	assay_json *v = as_json_freeze(parse(text)), *last;
	pthread_t threads[8];
	for (size_t i = 0; i < 8; i++) {
		ck_assert_int_eq(pthread_create(&threads[i], NULL, copy_often, v), 0);
	}
	for (size_t i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
	}
	last = as_json_clone(v);
	as_json_free(v);
	is_text(last, text);
	as_json_free(last);
}
END_TEST

START_TEST(test_pool)
{
	static const assay_str none = {NULL, 0};
	as_json_pool *p;
	assay_json *a, *b, *c;
	ck_assert_int_eq(as_json_pool_new(&p, NULL), 0);
	a = as_json_pool_put(p, none, parse(text));
	b = as_json_pool_put(p, none, parse(text));
	ck_assert(as_json_shares(a, b));
	c = as_json_pool_put(p, none, parse("[1]"));
	ck_assert(!as_json_shares(a, c));
	as_json_free(c);
	ck_assert_ptr_null(as_json_pool_get(p, ASSAY_STR("key")));
	c = as_json_pool_put(p, ASSAY_STR("key"), parse("[2]"));
	as_json_free(b);
	b = as_json_pool_put(p, ASSAY_STR("key"), parse("[3]")); /* what is there stays */
	ck_assert(as_json_shares(b, c));
	as_json_free(b);
	b = as_json_pool_get(p, ASSAY_STR("key"));
	ck_assert(as_json_shares(b, c));
	as_json_free(c);
	/* Many that nobody keeps push out each other, and none that is held. */
	for (int i = 0; i < 1000; i++) {
		assay_json *passing = as_json_array();
		as_json_append(passing, as_json_integer(i + 100));
		as_json_free(as_json_pool_put(p, none, passing));
	}
	c = as_json_pool_get(p, ASSAY_STR("key"));
	ck_assert(as_json_shares(b, c));
	ck_assert_ptr_null(as_json_pool_get(p, ASSAY_STR("[100]")));
	as_json_free(c);
	c = as_json_pool_put(NULL, ASSAY_STR("key"), parse("[4]"));
	is_text(c, "[4]");
	as_json_pool_free(p);
	is_text(a, text);
	is_text(b, "[2]");
	as_json_free(a);
	as_json_free(b);
	as_json_free(c);
}
END_TEST

UNIT_SUITE(suite, "json_share", test_copies_outlive, test_own_copies_change, test_frozen_does_not_change,
	   test_what_is_frozen, test_images, test_many_threads, test_pool)
UNIT_MAIN(suite)
