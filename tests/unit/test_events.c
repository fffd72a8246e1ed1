/* The reader of event streams: every rule of the page, in pieces of every size. */
#include "core/base/memory.h"
#include "plugins/transport/events.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

typedef struct seen {
	as_buf text;
	int stop_at; /* the event whose callback answers STOP; 0: none */
	int n;
} seen;

static int on_event(void *payload, assay_str name, assay_str data)
{
	seen *s = payload;

	as_buf_printf(&s->text, "[%.*s|%.*s]", ASSAY_FMT(name), ASSAY_FMT(data));
	return ++s->n == s->stop_at ? ASSAY_STOP : 0;
}

static events reader(seen *s)
{
	return (events){.resize = realloc, .max = 100, .on_event = on_event, .payload = s};
}

/* Feed text in pieces of n bytes and compare what came out. */
static void check_cut(const char *text, size_t n, const char *expected, const char *id, int64_t retry)
{
	seen s = {0};
	events e = reader(&s);
	assay_str all = as_str(text);

	for (size_t at = 0; at < all.len; at += n) {
		ck_assert_int_eq(events_feed(&e, (assay_str){all.ptr + at, all.len - at < n ? all.len - at : n}), 0);
	}
	ck_assert_str_eq(s.text.len ? s.text.ptr : "", expected);
	ck_assert_str_eq(events_last_id(&e).len ? events_last_id(&e).ptr : "", id);
	ck_assert_int_eq(e.has_retry ? e.retry_ms : -1, retry);
	events_free(&e, free);
	as_buf_free(&s.text);
}

static void check(const char *text, const char *expected, const char *id, int64_t retry)
{
	for (size_t n = 1; n < 9; n++) {
		check_cut(text, n, expected, id, retry);
	}
	check_cut(text, 10000, expected, id, retry);
}

START_TEST(test_events)
{
	check("data: a\n\n", "[message|a]", "", -1);
	check("\xEF\xBB\xBF"
	      "data: a\n\n",
	      "[message|a]", "", -1);
	check("data:a\r\rdata:  b\r\n\r\n", "[message|a][message| b]", "", -1);
	check("event: endpoint\r\ndata: /m\r\n\r\ndata: x\n\n", "[endpoint|/m][message|x]", "", -1);
	check("data: a\ndata: b\ndata\n\n", "[message|a\nb\n]", "", -1);
	check(": comment\n:\nfoo: bar\ndata: a\n\n", "[message|a]", "", -1);
}
END_TEST

START_TEST(test_no_events)
{
	check("", "", "", -1);
	check("data: half", "", "", -1);
	check("data: half\n", "", "", -1);
	check("data:\n\ndata\n\nevent: x\n\n", "", "", -1);
	check("id: 7\nretry: 500\ndata:\n\n", "", "7", 500);
}
END_TEST

START_TEST(test_id_and_retry)
{
	check("id: 1\ndata: a\n\nid: 2\ndata: half", "[message|a]", "1", -1);
	check("id: 1\ndata: a\n\nid\ndata: b\n\n", "[message|a][message|b]", "", -1);
	check("retry: 10\n\nretry: 1x\n\nretry:\n\nretry: -1\n\n", "", "", 10);
	check("retry: 99999999999999999999999\n\n", "", "", 3600000);
}
END_TEST

START_TEST(test_id_with_nul_is_none)
{
	seen s = {0};
	events e = reader(&s);

	ck_assert_int_eq(events_feed(&e, ASSAY_STR("id: a\n\nid: b\0c\ndata: x\n\n")), 0);
	ck_assert_str_eq(s.text.ptr, "[message|x]");
	ck_assert_str_eq(events_last_id(&e).ptr, "a");
	events_free(&e, free);
	as_buf_free(&s.text);
}
END_TEST

START_TEST(test_restart_keeps_the_id)
{
	seen s = {0};
	events e = reader(&s);

	ck_assert_int_eq(events_feed(&e, ASSAY_STR("id: 5\ndata: a\n\nid: 6\nevent: e\ndata: half")), 0);
	events_restart(&e);
	ck_assert_int_eq(events_feed(&e, ASSAY_STR("data: b\n\n")), 0);
	ck_assert_str_eq(s.text.ptr, "[message|a][message|b]");
	ck_assert_str_eq(events_last_id(&e).ptr, "5");
	events_free(&e, free);
	as_buf_free(&s.text);
}
END_TEST

START_TEST(test_bounds)
{
	seen s = {0};
	events e = reader(&s);
	char line[120];

	memset(line, 'x', sizeof line);
	ck_assert_int_eq(events_feed(&e, (assay_str){line, sizeof line}), ASSAY_ELIMIT);
	events_free(&e, free);
	/* Lines that are short each make an event that is too long. */
	e = reader(&s);
	ck_assert_int_eq(events_feed(&e, ASSAY_STR("data: 0123456789012345678901234567890123456789\n")), 0);
	ck_assert_int_eq(events_feed(&e, ASSAY_STR("data: 0123456789012345678901234567890123456789\n")), 0);
	ck_assert_int_eq(events_feed(&e, ASSAY_STR("data: 0123456789012345678901234567890123456789\n")), ASSAY_ELIMIT);
	events_free(&e, free);
	ck_assert_int_eq(s.n, 0);
}
END_TEST

START_TEST(test_stop)
{
	seen s = {.stop_at = 1};
	events e = reader(&s);

	ck_assert_int_eq(events_feed(&e, ASSAY_STR("data: a\n\ndata: b\n\n")), ASSAY_STOP);
	ck_assert_str_eq(s.text.ptr, "[message|a]");
	events_free(&e, free);
	as_buf_free(&s.text);
}
END_TEST

UNIT_SUITE(make_suite, "event streams", test_events, test_no_events, test_id_and_retry, test_id_with_nul_is_none,
	   test_restart_keeps_the_id, test_bounds, test_stop)

UNIT_MAIN(make_suite)
