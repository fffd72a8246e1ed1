/* Records; frozen values and the pool of them: copies share memory, and nobody sees what another does with his own. */
#include "core/base/json.h"
#include "core/base/json_pool.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

/* --- wide objects ------------------------------------------------------------------------------------------------- */

static assay_str key_of(unsigned n, char out[24])
{
	/* Some are long, some short, one is empty, one has a NUL in it. */
	int length = n == 7 ? 0 : snprintf(out, 24, n % 3 ? "%u" : "a-longer-key-%u", n);
	out[length] = '\0';
	if (n == 8) {
		out[0] = '\0';
		length = 1;
	}
	return (assay_str){out, (size_t)length};
}

/* The members of `step` apart are n each, and no others are there. */
static void has_members(const assay_json *v, unsigned n, unsigned step, int64_t plus)
{
	char key[24];
	for (unsigned i = 0; i < n; i++) {
		const assay_json *m = as_json_get_n(v, key_of(i, key));
		ck_assert_int_eq(as_json_i64(m, -1), i % step ? -1 : (int64_t)i + plus);
	}
	ck_assert_ptr_null(as_json_get(v, "nobody"));
	ck_assert_uint_eq(as_json_count(v), (n + step - 1) / step);
}

static void put_members(assay_json *v, unsigned n, unsigned step, int64_t plus)
{
	char key[24];
	for (unsigned i = 0; i < n; i += step) {
		ck_assert_int_eq(as_json_set_n(v, key_of(i, key), as_json_integer((int64_t)i + plus)), 0);
	}
}

START_TEST(test_wide)
{
	const unsigned n = 1000;
	assay_json *v = as_json_object(), *copy, *parsed = NULL, *around = as_json_object();
	assay_text out;
	put_members(v, n, 2, 0);
	put_members(v, n, 2, 5); /* in their stead */
	has_members(v, n, 2, 5);
	copy = as_json_clone(v);
	put_members(copy, n, 1, 6); /* a copy grows */
	has_members(copy, n, 1, 6);
	has_members(v, n, 2, 5);
	as_json_free(as_json_detach(copy, "a-longer-key-999"));
	as_json_free(as_json_detach(copy, "998"));
	has_members(copy, n - 2, 1, 6);
	ck_assert_int_eq(as_json_set(copy, "998", as_json_integer(1)), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(copy, "998"), 0), 1);
	ck_assert_ptr_null(as_json_get(copy, "a-longer-key-999"));
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_COMPACT, &out, NULL), 0);
	ck_assert_int_eq(as_json_parse(as_text_str(out), ASSAY_JSON_PEER, &parsed, NULL), 0);
	as_text_free(&out);
	has_members(parsed, n, 2, 5);
	put_members(parsed, n, 1, 7);
	has_members(parsed, n, 1, 7);
	ck_assert_int_eq(as_json_set(around, "wide", v), 0);
	ck_assert_int_eq(as_json_i64(as_json_pointer(around, "/wide/a-longer-key-12"), 0), 17);
	v = as_json_clone(around); /* within a block */
	put_members(as_json_edit(as_json_get(v, "wide")), n, 1, 8);
	has_members(as_json_get(v, "wide"), n, 1, 8);
	as_json_free(v);
	as_json_free(around);
	as_json_free(parsed);
	as_json_free(copy);
}
END_TEST

START_TEST(test_wide_and_frozen)
{
	const unsigned n = 500;
	assay_json *v = as_json_object(), *copy, *other, *around = as_json_object();
	void *room;
	put_members(v, n, 1, 0);
	v = as_json_freeze(v);
	copy = as_json_clone(v);
	other = as_json_clone(v);
	ck_assert_int_eq(as_json_set(around, "wide", as_json_clone(v)), 0);
	room = malloc(as_json_image_size(v));
	has_members(as_json_image(v, room), n, 1, 0);
	free(room);
	as_json_free(v);
	has_members(copy, n, 1, 0);
	put_members(copy, n, 2, 0); /* has children of its own now */
	ck_assert_int_eq(as_json_set(copy, "new", as_json_integer(3)), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(copy, "new"), 0), 3);
	as_json_free(copy);
	copy = as_json_clone(around); /* a block with what is lent in it */
	as_json_free(around);
	put_members(as_json_edit(as_json_get(copy, "wide")), n, 1, 1);
	has_members(as_json_get(copy, "wide"), n, 1, 1);
	as_json_free(copy);
	has_members(other, n, 1, 0);
	as_json_free(other);
}
END_TEST

START_TEST(test_wide_record)
{
	assay_member members[100];
	char keys[100][8];
	assay_json *v, *copy;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(keys[i], sizeof keys[i], "m%u", i);
		members[i] = (assay_member){.key = keys[i], .kind = ASSAY_WITH_INTEGER, .integer = i};
	}
	v = as_json_freeze(as_json_record(members, 100));
	copy = as_json_clone(v);
	as_json_free(v);
	for (unsigned i = 0; i < 100; i++) {
		ck_assert_int_eq(as_json_i64(as_json_get(copy, keys[i]), -1), i);
	}
	as_json_free(copy);
}
END_TEST

/* A walk along the members for each would take minutes. */
START_TEST(test_wide_in_time)
{
	const unsigned n = 100000;
	assay_json *v = as_json_object(), *parsed = NULL;
	assay_text out;
	put_members(v, n, 1, 0);
	has_members(v, n, 1, 0);
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_COMPACT, &out, NULL), 0);
	ck_assert_int_eq(as_json_parse(as_text_str(out), ASSAY_JSON_PEER, &parsed, NULL), 0);
	has_members(parsed, n, 1, 0);
	as_json_free(v);
	v = as_json_clone(parsed);
	as_json_free(parsed);
	has_members(v, n, 1, 0);
	as_text_free(&out);
	as_json_free(v);
}
END_TEST

/* A record is what setting one member after another makes of it, and changes, goes and is shared like any other value.
 */
START_TEST(test_record)
{
	const assay_json *borrowed = as_json_freeze(parse(text));
	assay_json *one = parse("{\"a\":[1]}"), *built = as_json_array(), *v, *part;
	as_json_append(built, as_json_null());
	const assay_member members[] = {assay_with_text("text", ASSAY_STR("x\"y\xC3\xA4z")),
					assay_with_text("odd", (assay_str){"a\0b\xFF", 4}),
					assay_with_text("empty", ASSAY_STR("")),
					assay_with_integer("n", INT64_MIN),
					assay_with_real("r", 0.1),
					assay_with_real("inf", (double)INFINITY),
					assay_with_truth("yes", 7),
					assay_with_copy("copy", as_json_get(borrowed, "list")),
					assay_with_copy("none", NULL),
					assay_with_value("parsed", one),
					assay_with_value("built", built),
					assay_with_value("scalar", as_json_integer(3)),
					assay_with_text("a rather long key, which is longer than a node has room for",
							ASSAY_STR("k"))};
	v = as_json_record(members, sizeof members / sizeof *members);
	as_json_free(as_json_edit(borrowed));
	is_text(v,
		"{\"text\":\"x\\\"y\xC3\xA4z\",\"odd\":\"a\\u0000b\xEF\xBF\xBD\",\"empty\":\"\",\"n\":-9223372036854775808,"
		"\"r\":0.1,\"inf\":null,\"yes\":true,\"copy\":[1,2.50,{\"k\":\"v\"}],\"none\":null,\"parsed\":{\"a\":[1]},"
		"\"built\":[null],\"scalar\":3,\"a rather long key, which is longer than a node has room for\":\"k\"}");
	part = as_json_detach(v, "parsed");
	ck_assert_int_eq(as_json_append(as_json_edit(as_json_get(v, "built")), part), 0);
	as_json_free(as_json_detach(v, "scalar"));
	as_json_free(as_json_detach(v, "text"));
	ck_assert_int_eq(as_json_set(v, "n", as_json_truth(0)), 0);
	part = as_json_detach(v, "copy");
	v = as_json_freeze(v);
	is_text(v,
		"{\"odd\":\"a\\u0000b\xEF\xBF\xBD\",\"empty\":\"\",\"n\":false,\"r\":0.1,\"inf\":null,\"yes\":true,\"none\":null,"
		"\"built\":[null,{\"a\":[1]}],\"a rather long key, which is longer than a node has room for\":\"k\"}");
	is_text(part, "[1,2.50,{\"k\":\"v\"}]");
	as_json_free(v);
	as_json_free(part);
}
END_TEST

START_TEST(test_records_at_the_edge)
{
	const assay_member twice[] = {assay_with_value("a", as_json_array()), assay_with_integer("b", 1),
				      assay_with_text("a", ASSAY_STR("last"))};
	const assay_member missing[] = {assay_with_value("a", parse(text)), assay_with_value("b", NULL),
					assay_with_value("c", parse(text))};
	assay_json *v = as_json_record(twice, 3);
	is_text(v, "{\"a\":\"last\",\"b\":1}");
	as_json_free(v);
	ck_assert_ptr_null(as_json_record(missing, 3)); /* and nothing is left behind */
	v = as_json_record(NULL, 0);
	is_text(v, "{}");
	ck_assert_int_eq(as_json_set(v, "k", as_json_null()), 0);
	is_text(v, "{\"k\":null}");
	as_json_free(v);
}
END_TEST

UNIT_SUITE(suite, "json_share", test_record, test_records_at_the_edge, test_copies_outlive, test_own_copies_change,
	   test_frozen_does_not_change, test_what_is_frozen, test_images, test_many_threads, test_pool, test_wide,
	   test_wide_and_frozen, test_wide_record, test_wide_in_time)
UNIT_MAIN(suite)
