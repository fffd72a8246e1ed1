/* What is a secret, and how it is taken out of texts and documents. */
#include "core/base/error.h"
#include "core/base/redact.h"
#include "core/base/secret.h"
#include "unit.h"
#include <stdio.h>
#include <time.h>

START_TEST(test_names)
{
	static const char *const yes[] = {"API_KEY",       "apiKey",        "X-Api-Key",  "GITHUB_TOKEN", "PGPASSWORD",
					  "Authorization", "client_secret", "AccountKey", "DB_PASS",      "KEY_2",
					  "CRED",          "DB_CREDS",      "PIN",        "CARD_PIN"};
	static const char *const no[] = {"KEY_FILE", "TOKEN_LIMIT", "MAX_TOKENS", "MONKEY",    "ACCESS_KEY_ID", "MODE",
					 "",         "AUTHOR",      "TOKENIZER",  "KEYBOARD",  "PASSWORD_ENV",  "url",
					 "PINNED",   "PING",        "CREDIT",     "SPIN_COUNT"};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		ck_assert_msg(as_secret_name(as_str(yes[i])), "%s", yes[i]);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		ck_assert_msg(!as_secret_name(as_str(no[i])), "%s", no[i]);
	}
}
END_TEST

/* All secrets of a text, each as "name=value ". */
static void list(as_buf *out, const char *key, const char *text)
{
	as_secret_scan scan = {.text = as_str(text), .key = as_str(key)};
	as_secret found;
	as_buf_clear(out);
	as_buf_puts(out, "");
	while (as_secret_next(&scan, &found)) {
		ck_assert_uint_lt(found.from, found.to);
		ck_assert_uint_le(found.to, scan.text.len);
		as_buf_printf(out, "%.*s=%.*s ", ASSAY_FMT(found.name), (int)(found.to - found.from),
			      text + found.from);
	}
}

/* tests/cli/import-servers has many more, from the outside. */
START_TEST(test_texts)
{
	static const struct {
		const char *key, *text, *found;
	} rows[] = {{"API_KEY", "x", "API_KEY=x "},
		    {"API_KEY", "${X}", ""},
		    {"Authorization", "Bearer abc", "Authorization=abc "},
		    {"X", "Bearer abcdefghijklmno1", "X=abcdefghijklmno1 "},
		    {"", "Bearer of bad news about x", ""},
		    {"", "a --token \"two words\" b", "token=two words "},
		    {"", "{\"a\":{\"token\":\"x\"},\"key\":\"y\"}", "token=x key=y "},
		    {"", "token=${A:-b c}; key='d'", "key=d "},
		    {"", "https://u:p@h/?key=a&b=c&sig=d#e", "password=p key=a sig=d "},
		    {"", "https://tok:@h/", "password=tok "},
		    {"", "https://h/@scope/name", ""},
		    {"", "--key", ""},
		    {"", "--key=", ""},
		    {"", "key: ", ""},
		    {"", "://", ""},
		    {"", "\\\\\"key\\\\\":\\\\\"v\\\\\"", "key=v "},
		    {"", "-", ""},
		    /* a quote that is escaped within the value, at any depth */
		    {"", "{\"apiKey\":\"se\\\"cret\",\"x\":\"y\"}", "apiKey=se\\\"cret "},
		    {"", "{\"apiKey\":\"secret\\\\\",\"x\":\"y\"}", "apiKey=secret\\\\ "},
		    {"", "\"{\\\"key\\\":\\\"a\\\\\\\"b\\\",\\\"x\\\":1}\"", "key=a\\\\\\\"b "},
		    {"", "x 'password': 'it\\'s', 'y'", "password=it\\'s "},
		    /* what binds a value to its name */
		    {"", "--password:S25longer", "password=S25longer "},
		    {"", "-Password:a b", "Password=a b "},
		    {"", "x --token:abc -Region:eu y", "token=abc "},
		    {"", "[\"--token\",\"abc\", \"--key\", \"--port\",\"80\"]", "token=abc "},
		    {"", "x \"[\\\"--token\\\",\\\"abc\\\"]\"", "token=abc "},
		    {"", "X-Token:abc", "X-Token=abc "},
		    {"", "authorization:Bearer abc", "authorization=abc "},
		    {"", "h/github-token:latest", ""},
		    {"", "github-token:latest", ""},
		    /* flags of single commands */
		    {"", "mysql -u root -p\"S3 c\" db", "password=S3 c "},
		    {"", "x && mysqldump -phunter db | gzip -p2", "password=hunter "},
		    {"", "cd a; dump -p'x y'", "password=x y "},
		    {"", "dump -pS3cret!x db", "password=S3cret!x "},
		    {"", "-pS3cret9Z", "password=S3cret9Z "},
		    {"", "mysql -p${PW} -p$PW", ""},
		    {"", "mkdir -p /a/b1; cp -pr a b; ssh -p22 h; run -p8080:80 -profile2 -port 80", ""},
		    {"", "sshpass -p 'top' ssh h; ssh -p 22", "password=top "},
		    {"", "redis-cli -a top get x", "password=top "},
		    {"", "curl -s -u admin:1234 https://h/", "password=1234 "},
		    {"", "curl --user 'a:b c' -uroot:toor h", "password=b c password=toor "},
		    {"", "curl -u $U:$P -u root h; docker run -u 1000:1000 -u node:staff x; y -u n:n -u h:80", ""},
		    {"u", "admin:hunter", "password=hunter "},
		    {"user", "${A}:${B}", ""},
		    {"u", "https://example.com/a", ""}};
	as_buf found = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		list(&found, rows[i].key, rows[i].text);
		ck_assert_msg(strcmp(found.ptr, rows[i].found) == 0, "%s: %s", rows[i].text, found.ptr);
	}
	as_buf_free(&found);
}
END_TEST

/* Every ending of a text is read to its end and no further. */
START_TEST(test_prefixes)
{
	static const char text[] = "A_KEY=1 --k -k aaaaaaaa1 {\\\"pass\\\": \\\"x\\\"} http://u:p@h/${X:-y}?sig=1#z";
	for (size_t n = 0; n < sizeof text; n++) {
		char *copy = as_strndup((assay_str){text, n});
		as_secret_scan scan = {.text = {copy, n}};
		as_secret found;
		ck_assert_ptr_nonnull(copy);
		for (int i = 0; as_secret_next(&scan, &found); i++) {
			ck_assert_int_lt(i, 10);
			ck_assert_uint_le(found.to, n);
		}
		free(copy);
	}
}
END_TEST

/* Twice the text, twice the time: none of these is read again from each of its places. */
START_TEST(test_long_texts)
{
	static const char *const parts[] = {"\\",       "https://h/?", "://a:b", "http://u:", "-a=",       "-k=",
					    "-u=x",     "-u=",         "key={",  "a:",        "-H=a:\"",   "x+",
					    "${A",      "-p",          "-pa/",   "key=\"${",  "\\\"",      "'",
					    "k=\\\\\"", "-- ",         "://${",  "--key: $",  "\"-k\",\"", "-k/",
					    "mysql -p", "a@",          "eyJ.",   "-k=\\"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		as_buf text = {0};
		while (text.len < (size_t)1 << 18) {
			as_buf_puts(&text, parts[i]);
		}
		as_secret_scan scan = {.text = as_buf_str(&text)};
		as_secret found;
		clock_t began = clock();
		while (as_secret_next(&scan, &found)) {
		}
		ck_assert_msg((double)(clock() - began) / CLOCKS_PER_SEC < 2.0 * unit_slow(), "%s", parts[i]);
		as_buf_free(&text);
	}
}
END_TEST

START_TEST(test_redact_text)
{
	as_redactor *r = NULL;
	as_buf text = {0};
	assay_error err = {0};
	ck_assert_int_eq(as_redactor_new(&r, NULL), 0);
	ck_assert(as_redactor_add(r, "KEY", ASSAY_STR("sk-\"quoted\"-abc")));
	ck_assert(as_redactor_add(r, "LONGER", ASSAY_STR("sk-\"quoted\"-abcdef")));
	ck_assert(as_redactor_add(r, "SHORT", ASSAY_STR("abc"))); /* found in anything */
	as_buf_puts(&text, "a sk-\"quoted\"-abcdef b sk-\\\"quoted\\\"-abc c abc");
	ck_assert(as_redact(r, &text));
	ck_assert_str_eq(text.ptr, "a \xC2\xABsecret:LONGER\xC2\xBB b \xC2\xABsecret:KEY\xC2\xBB c abc");
	ck_assert(!as_redact(r, &text));
	as_buf_free(&text);
	as_fail(&err, ASSAY_EAUTH, "%.490s sk-\"quoted\"-abcdef", /* cut in the middle of the secret */
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	as_error_hint(&err, "is sk-\"quoted\"-abcdef right?");
	ck_assert_ptr_nonnull(strstr(err.message, "sk-\"q"));
	as_redact_error(r, &err);
	ck_assert_ptr_null(strstr(err.message, "sk-\"q"));
	ck_assert_str_eq(err.hint, "is \xC2\xABsecret:LONGER\xC2\xBB right?");
	ck_assert_str_eq(as_redact_find(r, ASSAY_STR("xsk-\"quoted\"-abcx")), "KEY");
	ck_assert_ptr_null(as_redact_find(r, ASSAY_STR("sk-")));
	ck_assert_ptr_null(as_redact_find(NULL, ASSAY_STR("sk-")));
	as_redactor_free(r);
}
END_TEST

/* A value comes back as it is, in JSON with and without escaped slashes, in a URL, within JSON within JSON. */
/* The ways of Python's json.dumps and urllib.parse.quote and quote_plus, and of those that write hex in lower case. */
START_TEST(test_redact_spellings)
{
	static const char *const texts[] = {"P\\u00e4ss/w+r d=1", "P%C3%A4ss/w%2Br%20d%3D1", "P%C3%A4ss%2Fw%2Br+d%3D1",
					    "P%c3%a4ss%2fw%2br%20d%3d1", "P\303\244ss\\/w+r d=1"};
	assay_error err = {0};
	as_redactor *r;
	ck_assert_int_eq(as_redactor_new(&r, &err), 0);
	ck_assert(as_redactor_add(r, "KEY", ASSAY_STR("P\303\244ss/w+r d=1")));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		ck_assert_msg(as_redact_find(r, as_str(texts[i])) != NULL, "%s", texts[i]);
	}
	ck_assert_ptr_null(as_redact_find(r, ASSAY_STR("P+ss/w+r d=1")));
	as_redactor_free(r);
}
END_TEST

/* Python's base64 of "", "x", "me" and "me:" with the value behind them, in both alphabets, within JSON and a URL; and
 * its quote(quote(value)). */
START_TEST(test_redact_base64)
{
	static const char *const texts[] = {"UMOkL3M/dytyfmQ9MQ==",
					    "UMOkL3M_dytyfmQ9MQ==",
					    "UMOkL3M/dytyfmQ9MQo=",
					    "UMOkL3M_dytyfmQ9MQo=",
					    "eFDDpC9zP3crcn5kPTE=",
					    "eFDDpC9zP3crcn5kPTEK",
					    "bWVQw6Qvcz93K3J+ZD0x",
					    "bWVQw6Qvcz93K3J-ZD0x",
					    "bWVQw6Qvcz93K3J+ZD0xCg==",
					    "bWVQw6Qvcz93K3J-ZD0xCg==",
					    "bWU6UMOkL3M/dytyfmQ9MQ==",
					    "bWU6UMOkL3M_dytyfmQ9MQ==",
					    "bWU6UMOkL3M/dytyfmQ9MQo=",
					    "bWU6UMOkL3M_dytyfmQ9MQo=",
					    "bWU6UMOkL3M\\/dytyfmQ9MQ==",
					    "dTpQw6Qvcz93K3J%2BZD0xeA%3D%3D",
					    "P%25C3%25A4%252Fs%253Fw%252Br~d%253D1",
					    "P%25C3%25A4/s%253Fw%252Br~d%253D1",
					    "P%25c3%25a4%252fs%253fw%252br~d%253d1"};
	assay_error err = {0};
	as_redactor *r;
	ck_assert_int_eq(as_redactor_new(&r, &err), 0);
	ck_assert(as_redactor_add(r, "KEY", ASSAY_STR("P\303\244/s?w+r~d=1")));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		as_buf text = {0};
		as_buf_puts(&text, texts[i]);
		ck_assert_msg(as_redact(r, &text), "%s", texts[i]);
		/* But for what the bytes around it decide. */
		ck_assert_msg(text.len < sizeof "\xC2\xABsecret:KEY\xC2\xBB" + 12, "%s: %s", texts[i], text.ptr);
		as_buf_free(&text);
	}
	ck_assert_ptr_null(as_redact_find(r, ASSAY_STR("UMOkL3M_dytyfmQ9")));
	as_redactor_free(r);
}
END_TEST

/* Of two that overlap nothing is left, and the longest at a place counts however many there are. */
START_TEST(test_redact_many)
{
	assay_error err = {0};
	as_redactor *r;
	as_buf text = {0};
	ck_assert_int_eq(as_redactor_new(&r, &err), 0);
	for (int i = 0; i < 500; i++) {
		char name[16], value[32];
		snprintf(name, sizeof name, "K%d", i);
		snprintf(value, sizeof value, "token-%d/%0*d", i % 50, 3 + i / 50, i % 50);
		ck_assert(as_redactor_add(r, name, as_str(value)));
	}
	ck_assert(as_redactor_add(r, "A", ASSAY_STR("abcdefgh")));
	ck_assert(as_redactor_add(r, "B", ASSAY_STR("efghijklmnop")));
	as_buf_puts(&text, "[token-7/007][token-49/000000000049][token-7/0007][token-7/07] abcdefghijklmnopabcdefgh");
	ck_assert(as_redact(r, &text));
	ck_assert_str_eq(text.ptr,
			 "[\xC2\xABsecret:K7\xC2\xBB][\xC2\xABsecret:K499\xC2\xBB][\xC2\xABsecret:K57\xC2\xBB]"
			 "[token-7/07] \xC2\xABsecret:B\xC2\xBB\xC2\xABsecret:A\xC2\xBB");
	as_buf_clear(&text);
	as_buf_puts(&text, "abcdefg abcdefgi token-49/00 tok");
	ck_assert(!as_redact(r, &text));
	as_buf_free(&text);
	as_redactor_free(r);
}
END_TEST

START_TEST(test_redact_document)
{
	static const char text[] =
		"{\"a\":[\"see p/w +\\u0031234\",{\"k=p/w +1234\":1.50}],\"n\":12345678,\"m\":912345678,\"j\":"
		"\"{\\\"x\\\":\\\"p\\\\/w +1234\\\"}\",\"u\":\"?q=p%2Fw%20%2B1234&r\"}";
	static const char want[] = "{\"a\":[\"see «secret:W»\",{\"k=«secret:W»\":1.50}],\"n\":\"«secret:N»\",\"m\":"
				   "912345678,\"j\":\"{\\\"x\\\":\\\"«secret:W»\\\"}\",\"u\":\"?q=«secret:W»&r\"}";
	as_redactor *r = NULL;
	assay_json *doc = NULL, *clean = NULL;
	assay_text got = {0};
	ck_assert_int_eq(as_redactor_new(&r, NULL), 0);
	ck_assert_int_eq(as_json_parse(as_str(text), ASSAY_JSON_PEER, &doc, NULL), 0);
	clean = doc;
	ck_assert_int_eq(as_redact_json(r, &doc, NULL), 0);
	ck_assert_ptr_eq(doc, clean); /* nothing known, nothing touched */
	ck_assert(as_redactor_add(r, "W", ASSAY_STR("p/w +1234")) && as_redactor_add(r, "N", ASSAY_STR("12345678")));
	ck_assert_int_eq(as_redact_json(r, &doc, NULL), 0);
	ck_assert_int_eq(as_json_dump(doc, ASSAY_JSON_COMPACT, &got, NULL), 0);
	ck_assert_str_eq(got.ptr, want);
	clean = doc;
	ck_assert_int_eq(as_redact_json(r, &doc, NULL), 0);
	ck_assert_ptr_eq(doc, clean);
	as_text_free(&got);
	as_json_free(doc);
	as_redactor_free(r);
}
END_TEST

UNIT_SUITE(suite, "secret", test_names, test_texts, test_prefixes, test_long_texts, test_redact_text,
	   test_redact_spellings, test_redact_base64, test_redact_many, test_redact_document)
UNIT_MAIN(suite)
