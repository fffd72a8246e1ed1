#include "tests/unit/unit.h"

#include "core/base/error.h"
#include "core/base/hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EMPTY_DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC_DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

START_TEST(whole_texts)
{
	char hex[65];

	as_sha256_hex(ASSAY_STR(""), hex);
	ck_assert_str_eq(hex, EMPTY_DIGEST);
	as_sha256_hex((assay_str){NULL, 0}, hex);
	ck_assert_str_eq(hex, EMPTY_DIGEST);
	as_sha256_hex(ASSAY_STR("abc"), hex);
	ck_assert_str_eq(hex, ABC_DIGEST);
	ck_assert_uint_eq(as_hash_u64(hex), 0xba7816bf8f01cfeau);
}
END_TEST

START_TEST(piece_by_piece)
{
	char hex[65];
	unsigned char raw[32];
	as_sha256 *h = as_sha256_new();

	ck_assert_ptr_nonnull(h);
	as_sha256_add(h, ASSAY_STR("a"));
	as_sha256_add(h, (assay_str){NULL, 0});
	as_sha256_add(h, ASSAY_STR("bc"));
	as_sha256_end_hex(h, hex);
	ck_assert_str_eq(hex, ABC_DIGEST);
	h = as_sha256_new();
	as_sha256_add(h, ASSAY_STR("abc"));
	as_sha256_end(h, raw);
	ck_assert_uint_eq(raw[0], 0xba);
	ck_assert_uint_eq(raw[31], 0xad);
}
END_TEST

/* A caller that did not look whether memory was out gets no digest that could be taken for a real one. */
START_TEST(no_memory)
{
	char hex[65];

	as_sha256_add(NULL, ASSAY_STR("abc"));
	as_sha256_end_hex(NULL, hex);
	ck_assert_str_eq(hex, "0000000000000000000000000000000000000000000000000000000000000000");
}
END_TEST

START_TEST(files)
{
	char name[] = "/tmp/assay-hash-XXXXXX", hex[65], fifo[64];
	int fd = mkstemp(name);
	assay_error err = {0};

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "abc", 3), 3);
	close(fd);
	ck_assert_int_eq(as_sha256_file(name, hex, &err), 0);
	ck_assert_str_eq(hex, ABC_DIGEST);
	unlink(name);
	ck_assert_int_eq(as_sha256_file(name, hex, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.where, name);
	ck_assert_str_eq(hex, "");

	memset(&err, 0, sizeof err);
	ck_assert_int_eq(as_sha256_file("/tmp", hex, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.message, "is not a regular file");
	ck_assert_str_eq(err.where, "/tmp");

	/* Nobody writes to it: opening it the usual way would wait for ever. */
	snprintf(fifo, sizeof fifo, "%s.fifo", name);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(as_sha256_file(fifo, hex, NULL), ASSAY_EDATA);
	unlink(fifo);
}
END_TEST

START_TEST(parts)
{
	const assay_str ab_c[] = {ASSAY_STR("ab"), ASSAY_STR("c")};
	const assay_str a_bc[] = {ASSAY_STR("a"), ASSAY_STR("bc")};
	const assay_str abc[] = {ASSAY_STR("abc")};
	char one[65], two[65], three[65], four[65];

	as_hash_parts("label", ab_c, 2, one);
	as_hash_parts("label", a_bc, 2, two);
	as_hash_parts("label", abc, 1, three);
	as_hash_parts("other", ab_c, 2, four);
	ck_assert_str_ne(one, two);
	ck_assert_str_ne(one, three);
	ck_assert_str_ne(one, four);
	as_hash_parts("label", ab_c, 2, two);
	ck_assert_str_eq(one, two);
	/* Stored ids depend on this: the lengths are 64-bit little-endian. */
	as_hash_parts("x", NULL, 0, one);
	as_sha256_hex((assay_str){"\1\0\0\0\0\0\0\0x", 9}, two);
	ck_assert_str_eq(one, two);
}
END_TEST

START_TEST(uuids)
{
	const assay_str abc[] = {ASSAY_STR("abc")};
	char digest[65], uuid[37];
	uint32_t seed;

	as_hash_parts("task", abc, 1, digest);
	as_uuid_parts("task", abc, 1, uuid);
	ck_assert_uint_eq(strlen(uuid), 36);
	ck_assert_int_eq(strncmp(uuid, digest, 8), 0);
	ck_assert_int_eq(uuid[8], '-');
	ck_assert_int_eq(uuid[14], '8');
	ck_assert_ptr_nonnull(strchr("89ab", uuid[19]));
	ck_assert(as_uuid_seed(as_str(uuid), &seed));
}
END_TEST

START_TEST(seeds)
{
	static const char *const bad[] = {"",
					  "x",
					  "0e811add-6686-4db5-81a7-8fd7eead841",
					  "0e811add-6686-4db5-81a7-8fd7eead841g",
					  "0e811add06686-4db5-81a7-8fd7eead8415",
					  "0e811add-6686-4db5-81a7--fd7eead8415",
					  "{e811add-6686-4db5-81a7-8fd7eead8415}"};
	uint32_t seed = 7;

	ck_assert(as_uuid_seed(ASSAY_STR("0e811add-6686-4db5-81a7-8fd7eead8415"), &seed));
	ck_assert_uint_eq(seed, 1856865301u);
	ck_assert(as_uuid_seed(ASSAY_STR("0E811ADD66864DB581A78FD7EEAD8415"), &seed));
	ck_assert_uint_eq(seed, 1856865301u);
	ck_assert(as_uuid_seed(ASSAY_STR("ffffffff-ffff-ffff-ffff-ffffffffffff"), &seed));
	ck_assert_uint_eq(seed, 0x7fffffffu);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		seed = 7;
		ck_assert_msg(!as_uuid_seed(as_str(bad[i]), &seed), "%s", bad[i]);
		ck_assert_uint_eq(seed, 0);
	}
	ck_assert(!as_uuid_seed((assay_str){NULL, 0}, &seed));
}
END_TEST

UNIT_SUITE(suite, "hash", whole_texts, piece_by_piece, no_memory, files, parts, uuids, seeds)
UNIT_MAIN(suite)
