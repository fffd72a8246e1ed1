/* What a sandbox lets through: entries of the list, and requests to the gate. */
#include "core/base/memory.h"
#include "core/world/destination.h"
#include "core/world/gate_request.h"
#include "tests/unit/unit.h"

#include <string.h>

static const char *read_as(const char *text, bool entry, as_destination *d)
{
	return as_destination_read(as_str(text), entry, d);
}

START_TEST(test_spellings)
{
	static const char *const pairs[][2] = {{"example.org", "example.org"},
					       {"EXAMPLE.Org:443", "example.org:443"},
					       {"example.org.", "example.org"},
					       {"example.org.:80", "example.org:80"},
					       {"a_b-c.x1", "a_b-c.x1"},
					       {"7up.example", "7up.example"},
					       {"localhost:65535", "localhost:65535"},
					       {"127.0.0.1:1", "127.0.0.1:1"},
					       {"[::1]:8080", "[::1]:8080"},
					       {"[0:0:0:0:0:0:0:1]", "[::1]"},
					       {"[2001:DB8::5]:1", "[2001:db8::5]:1"},
					       {"[::ffff:127.0.0.1]:80", "127.0.0.1:80"},
					       {"[::FFFF:7f00:1]", "127.0.0.1"}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char text[AS_DESTINATION_TEXT];
		as_destination d;
		ck_assert_msg(read_as(pairs[i][0], false, &d) == NULL, "%s", pairs[i][0]);
		as_destination_write(&d, text);
		ck_assert_str_eq(text, pairs[i][1]);
	}
}
END_TEST

START_TEST(test_no_hosts)
{
	static const char *const texts[] = {"", ".", "..", ":80", "a..b", ".a", "a..", "*", "*.", "*.org", "a.*.org",
					    "a b", "a/b", "a@b", "user:pw@host:80", "user@host", "host:", "host:0",
					    "host:65536", "host:99999999999999999999", "host:8o", "host:-1", "host: 80",
					    "host:80:90", "::1", "[::1", "[]", "[:]", "[127.0.0.1]", "[::1]x",
					    "[::1]:", "[::1%lo]", "[fe80::1%25eth0]:80",
					    /* other spellings of addresses, which a resolver would take */
					    "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "127.0.0.0x1",
					    "0177.0.0.01", "127.0.0.1.1", "256.0.0.1", "0x", "1", "host.1",
					    "ex\xC3\xA4mple.org", "%31%32%37.0.0.1", "host\\", "host?", "host#",
					    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl.org"};
	as_destination d;
	char longest[300];
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		ck_assert_msg(read_as(texts[i], false, &d) != NULL, "%s", texts[i]);
	}
	ck_assert_ptr_nonnull(as_destination_read((assay_str){"a\0b", 3}, false, &d));
	ck_assert_ptr_nonnull(as_destination_read((assay_str){"1.2.3.4\0", 8}, false, &d));
	ck_assert_ptr_nonnull(as_destination_read((assay_str){NULL, 0}, false, &d));
	for (size_t i = 0; i < sizeof longest - 1; i++) {
		longest[i] = i % 2 ? '.' : 'a';
	}
	longest[299] = '\0';
	ck_assert_str_eq(read_as(longest, false, &d), "its name is too long");
	longest[253] = '\0';
	ck_assert_ptr_null(read_as(longest, false, &d));
}
END_TEST

/* As the list and the wanted destination are read from text; what cannot be read is not listed. */
static bool lets_through(const char *entry, const char *wanted)
{
	as_destination list, d;
	ck_assert_msg(read_as(entry, true, &list) == NULL, "%s", entry);
	return read_as(wanted, false, &d) == NULL && as_destination_listed(&list, 1, &d);
}

START_TEST(test_list)
{
	ck_assert(lets_through("example.org", "example.org:443"));
	ck_assert(lets_through("example.org", "example.org:80"));
	ck_assert(!lets_through("example.org", "example.org:8080"));
	ck_assert(lets_through("Example.ORG.:8080", "eXAMPLE.org:8080"));
	ck_assert(!lets_through("example.org:8080", "example.org:443"));
	ck_assert(!lets_through("example.org", "www.example.org:443"));
	ck_assert(!lets_through("example.org", "example.org.evil.com:443"));
	ck_assert(!lets_through("example.org", "xexample.org:443"));
	ck_assert(lets_through("*.example.org", "www.example.org:443"));
	ck_assert(lets_through("*.example.org", "a.b.EXAMPLE.org.:80"));
	ck_assert(!lets_through("*.example.org", "example.org:443"));
	ck_assert(!lets_through("*.example.org", ".example.org:443"));
	ck_assert(!lets_through("*.example.org", "xexample.org:443"));
	ck_assert(!lets_through("*.example.org:81", "www.example.org:80"));
	ck_assert(lets_through("127.0.0.1:81", "[::ffff:127.0.0.1]:81"));
	ck_assert(!lets_through("127.0.0.1:81", "localhost:81"));
	ck_assert(!lets_through("localhost:81", "127.0.0.1:81"));
	ck_assert(!lets_through("127.0.0.1:81", "[::1]:81"));
	ck_assert(!lets_through("[::1]:81", "0.0.0.1:81"));
	ck_assert(!lets_through("1.2.3.4", "1.2.3.5:80"));
	ck_assert(lets_through("*.org", "example.org:80"));
	ck_assert(!lets_through("*.org", "1.2.3.4:80"));
}
END_TEST

static const char *read_head(const char *head, as_gate_request *r)
{
	return as_gate_read(as_str(head), r);
}

START_TEST(test_tunnels)
{
	as_gate_request r;
	char text[AS_DESTINATION_TEXT];
	ck_assert_ptr_null(read_head("CONNECT Example.org:443 HTTP/1.1\r\nHost: other:1\r\nX:\r\n\r\n", &r));
	ck_assert(r.tunnel);
	as_destination_write(&r.target, text);
	ck_assert_str_eq(text, "example.org:443");
	ck_assert_ptr_null(read_head("CONNECT [::1]:443 HTTP/1.0\r\n\r\n", &r));
}
END_TEST

START_TEST(test_forwarding)
{
	as_gate_request r;
	char out[AS_GATE_HEAD + 512];
	size_t n;
	ck_assert_ptr_null(
		read_head("GET HTTP://Example.org:81/a?b=http://c/ HTTP/1.1\r\nhOst: evil.com\r\nHost: evil.com\r\n"
			  "Accept: */*\r\nProxy-Authorization: x\r\nConnection: keep-alive\r\nX-A: b:c\r\n\r\n",
			  &r));
	ck_assert(!r.tunnel);
	n = as_gate_forward(&r, out, sizeof out);
	out[n] = '\0';
	ck_assert_str_eq(out,
			 "GET /a?b=http://c/ HTTP/1.1\r\nHost: example.org:81\r\nConnection: close\r\nAccept: */*\r\n"
			 "X-A: b:c\r\n\r\n");
	ck_assert_ptr_null(read_head("POST http://[::1]?q HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &r));
	n = as_gate_forward(&r, out, sizeof out);
	out[n] = '\0';
	ck_assert_str_eq(out, "POST /?q HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
	for (size_t cap = 0; cap < n; cap++) {
		ck_assert_uint_eq(as_gate_forward(&r, out, cap), 0);
	}
}
END_TEST

START_TEST(test_bad_requests)
{
	static const char *const heads[] = {
		"",
		"\r\n",
		"\r\n\r\n",
		"GET\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
		"GET https://example.org/ HTTP/1.1\r\n\r\n",
		"GET ftp://example.org/ HTTP/1.1\r\n\r\n",
		"GET //example.org/ HTTP/1.1\r\n\r\n",
		"GET http:/example.org/ HTTP/1.1\r\n\r\n",
		"GET http://user@example.org/ HTTP/1.1\r\n\r\n",
		"GET http://example.org:80@evil.com/ HTTP/1.1\r\n\r\n",
		"GET http://example.org\\@evil.com/ HTTP/1.1\r\n\r\n",
		"GET http:///path HTTP/1.1\r\n\r\n",
		"GET http://example.org/ HTTP/2.0\r\n\r\n",
		"GET http://example.org/ HTTP/1.1 x\r\n\r\n",
		"GET  http://example.org/ HTTP/1.1\r\n\r\n",
		"GET http://example.org/\tb HTTP/1.1\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\n\n",
		"GET http://example.org/ HTTP/1.1\r\nA: b\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\nA: b\rHost: evil.com\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\nHost : evil.com\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\nno colon\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\n: b\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\n\r\nGET http://evil.com/ HTTP/1.1\r\n\r\n",
		"GET http://example.org/ HTTP/1.1\r\nA: b",
		"CONNECT example.org HTTP/1.1\r\n\r\n",
		"CONNECT http://example.org:443 HTTP/1.1\r\n\r\n",
		"CONNECT u@example.org:443 HTTP/1.1\r\n\r\n",
		"CONNECT example.org:443/ HTTP/1.1\r\n\r\n",
		"CONNECT *.example.org:443 HTTP/1.1\r\n\r\n",
		"connect example.org:443 HTTP/1.1\r\n\r\n",
		"\x16\x03\x01\r\n\r\n",
		"\x05\x01"};
	as_gate_request r;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		ck_assert_msg(read_head(heads[i], &r) != NULL, "%s", heads[i]);
	}
	ck_assert_ptr_nonnull(as_gate_read((assay_str){"GET http://a/ HTTP/1.1\r\nA: \0\r\n\r\n", 31}, &r));
	ck_assert_ptr_nonnull(as_gate_read((assay_str){NULL, 0}, &r));
}
END_TEST

UNIT_SUITE(suite, "gate", test_spellings, test_no_hosts, test_list, test_tunnels, test_forwarding, test_bad_requests)
UNIT_MAIN(suite)
