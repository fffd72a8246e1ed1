/* The low-level interface keeps its state on our stack: it neither allocates nor fails, as the functions here promise.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/base/hash.h"

#include "core/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct as_sha256 {
	SHA256_CTX state;
};

static void to_hex(const unsigned char *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * n] = '\0';
}

/* -1 when c is no hex digit. */
static int hex_value(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	if (c >= 'a' && c <= 'f') {
		return c - 'a' + 10;
	}
	if (c >= 'A' && c <= 'F') {
		return c - 'A' + 10;
	}
	return -1;
}

as_sha256 *as_sha256_new(void)
{
	as_sha256 *h = as_new(1, sizeof *h);

	if (h) {
		SHA256_Init(&h->state);
	}
	return h;
}

void as_sha256_add(as_sha256 *h, assay_str bytes)
{
	if (h && bytes.len > 0) {
		SHA256_Update(&h->state, bytes.ptr, bytes.len);
	}
}

void as_sha256_end(as_sha256 *h, unsigned char out[32])
{
	memset(out, 0, 32);
	if (h) {
		SHA256_Final(out, &h->state);
		free(h);
	}
}

void as_sha256_end_hex(as_sha256 *h, char out[65])
{
	unsigned char digest[32];

	as_sha256_end(h, digest);
	to_hex(digest, sizeof digest, out);
}

void as_sha256_hex(assay_str bytes, char out[65])
{
	struct as_sha256 h;
	unsigned char digest[32];

	SHA256_Init(&h.state);
	as_sha256_add(&h, bytes);
	SHA256_Final(digest, &h.state);
	to_hex(digest, sizeof digest, out);
}

int as_sha256_file(const char *path, char out[65], assay_error *err)
{
	struct as_sha256 h;
	unsigned char digest[32];
	unsigned char block[16384];
	struct stat st;
	int code = 0;
	/* Not blocking, so that a pipe in a file's place is refused below instead of waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	out[0] = '\0';
	if (fd < 0) {
		return as_fail_errno(err, errno, path, "open");
	}
	if (fstat(fd, &st) != 0) {
		code = as_fail_errno(err, errno, path, "read");
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		code = as_fail(err, ASSAY_EDATA, "is not a regular file");
		as_error_where(err, path, 0);
		goto out;
	}
	SHA256_Init(&h.state);
	for (;;) {
		ssize_t n = read(fd, block, sizeof block);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			code = as_fail_errno(err, errno, path, "read");
			goto out;
		}
		if (n == 0) {
			break;
		}
		SHA256_Update(&h.state, block, (size_t)n);
	}
	SHA256_Final(digest, &h.state);
	to_hex(digest, sizeof digest, out);
out:
	close(fd);
	return code;
}

static void add_part(struct as_sha256 *h, assay_str part)
{
	unsigned char length[8];

	for (unsigned i = 0; i < sizeof length; i++) {
		length[i] = (unsigned char)((uint64_t)part.len >> (8 * i));
	}
	SHA256_Update(&h->state, length, sizeof length);
	as_sha256_add(h, part);
}

static void digest_parts(const char *label, const assay_str *parts, size_t n, unsigned char out[32])
{
	struct as_sha256 h;

	SHA256_Init(&h.state);
	add_part(&h, as_str(label));
	for (size_t i = 0; i < n; i++) {
		add_part(&h, parts[i]);
	}
	SHA256_Final(out, &h.state);
}

void as_hash_parts(const char *label, const assay_str *parts, size_t n, char out[65])
{
	unsigned char digest[32];

	digest_parts(label, parts, n, digest);
	to_hex(digest, sizeof digest, out);
}

void as_uuid_parts(const char *label, const assay_str *parts, size_t n, char out[37])
{
	static const unsigned char group[] = {4, 2, 2, 2, 6}; /* bytes between the hyphens */
	unsigned char digest[32];
	size_t at = 0;

	digest_parts(label, parts, n, digest);
	digest[6] = (unsigned char)((digest[6] & 0x0f) | 0x80); /* version 8 */
	digest[8] = (unsigned char)((digest[8] & 0x3f) | 0x80); /* variant of RFC 9562 */
	for (size_t i = 0; i < sizeof group; i++) {
		to_hex(digest + at, group[i], out);
		at += group[i];
		out += 2 * (size_t)group[i];
		*out++ = '-';
	}
	out[-1] = '\0';
}

bool as_uuid_seed(assay_str uuid, uint32_t *seed)
{
	uint32_t low = 0; /* the last eight digits are the low 32 bits */

	*seed = 0;
	if (uuid.len != 36 && uuid.len != 32) {
		return false;
	}
	for (size_t i = 0; i < uuid.len; i++) {
		bool hyphen = uuid.len == 36 && (i == 8 || i == 13 || i == 18 || i == 23);
		int digit = hex_value(uuid.ptr[i]);

		if (hyphen ? uuid.ptr[i] != '-' : digit < 0) {
			return false;
		}
		if (!hyphen) {
			low = low << 4 | (uint32_t)digit;
		}
	}
	*seed = low & 0x7fffffffu;
	return true;
}

uint64_t as_hash_u64(const char hex[65])
{
	uint64_t value = 0;

	for (size_t i = 0; i < 16; i++) {
		int digit = hex_value(hex[i]);

		if (digit < 0) {
			break;
		}
		value = value << 4 | (uint64_t)digit;
	}
	return value;
}
