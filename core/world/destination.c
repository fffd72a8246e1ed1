#include "core/world/destination.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const char *read_port(assay_str text, uint16_t *out)
{
	unsigned number = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || number > 65535) {
			return "its port is no number";
		}
		number = number * 10 + (unsigned)(text.ptr[i] - '0');
	}
	if (number == 0 || number > 65535) {
		return "its port is not from 1 to 65535";
	}
	*out = (uint16_t)number;
	return NULL;
}

void as_destination_address(as_destination *d, const void *address, bool v6)
{
	static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
	const unsigned char *bytes = address;
	d->name[0] = '\0';
	d->v6 = v6 && memcmp(bytes, mapped, sizeof mapped) != 0;
	if (d->v6) {
		memcpy(d->address, bytes, 16);
	} else {
		memcpy(d->address, v6 ? bytes + 12 : bytes, 4);
	}
}

/* inet_pton takes no short and no octal forms. */
static bool read_address(const char *text, as_destination *out)
{
	unsigned char address[16];
	bool v6 = strchr(text, ':') != NULL;
	if (inet_pton(v6 ? AF_INET6 : AF_INET, text, address) != 1) {
		return false;
	}
	as_destination_address(out, address, v6);
	return true;
}

/* "2130706433", "127.1" and "0x7f000001" are addresses to the resolver, though not to inet_pton. */
static bool is_number(const char *label)
{
	bool hex = label[0] == '0' && label[1] == 'x';
	const char *digits = hex ? label + 2 : label;
	return digits[strspn(digits, hex ? "0123456789abcdef" : "0123456789")] == '\0';
}

static const char *check_name(const char *name)
{
	static const char known[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	for (const char *label = name;; label++) {
		size_t n = strspn(label, known);
		bool last = label[n] == '\0';
		if ((!last && label[n] != '.') || (last && is_number(label))) {
			return "it is no host name and no address";
		}
		if (n == 0 || n > 63) {
			return "a part of its name is empty or longer than 63 characters";
		}
		if (last) {
			return NULL;
		}
		label += n;
	}
}

static const char *read_name(assay_str text, as_destination *out)
{
	size_t n = text.len;
	if (n > 0 && text.ptr[n - 1] == '.') {
		n--;
	}
	if (n == 0 || n >= sizeof out->name) {
		return n == 0 ? "it names no host" : "its name is too long";
	}
	for (size_t i = 0; i < n; i++) {
		char c = text.ptr[i];
		out->name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	out->name[n] = '\0';
	if (strlen(out->name) != n) {
		return "it is no host name and no address";
	}
	return !out->below && read_address(out->name, out) ? NULL : check_name(out->name);
}

static const char *read_bracketed(assay_str text, as_destination *out)
{
	char address[64];
	if (text.len >= sizeof address) {
		return "it is no host name and no address";
	}
	memcpy(address, text.ptr, text.len);
	address[text.len] = '\0';
	return strlen(address) == text.len && strchr(address, ':') && read_address(address, out)
		       ? NULL
		       : "what stands in brackets is no IPv6 address";
}

const char *as_destination_read(assay_str text, bool entry, as_destination *out)
{
	const char *bracket = text.len > 0 && text.ptr[0] == '[' ? memchr(text.ptr, ']', text.len) : NULL;
	const char *fault;
	assay_str host = text;
	*out = (as_destination){0};
	if (text.len == 0) {
		return "it names no host";
	}
	if (bracket) {
		host = (assay_str){text.ptr + 1, (size_t)(bracket - text.ptr) - 1};
		text = (assay_str){bracket + 1, text.len - host.len - 2};
		fault = text.len > 0 && text.ptr[0] != ':' ? "it goes on after the bracket" : read_bracketed(host, out);
	} else {
		const char *colon = text.len > 0 ? memchr(text.ptr, ':', text.len) : NULL;
		host.len = colon ? (size_t)(colon - text.ptr) : text.len;
		text = (assay_str){text.ptr + host.len, text.len - host.len};
		if (entry && host.len > 2 && memcmp(host.ptr, "*.", 2) == 0) {
			out->below = true;
			host = (assay_str){host.ptr + 2, host.len - 2};
		}
		fault = text.len > 1 && memchr(text.ptr + 1, ':', text.len - 1)
				? "an IPv6 address is written in brackets"
				: read_name(host, out);
	}
	return fault || text.len == 0 ? fault : read_port((assay_str){text.ptr + 1, text.len - 1}, &out->port);
}

static bool same_host(const as_destination *entry, const as_destination *wanted)
{
	size_t n = strlen(entry->name), all = strlen(wanted->name);
	if (n == 0 || all == 0) {
		return n == all && entry->v6 == wanted->v6 &&
		       memcmp(entry->address, wanted->address, entry->v6 ? 16 : 4) == 0;
	}
	if (entry->below) {
		return all > n + 1 && wanted->name[all - n - 1] == '.' &&
		       strcmp(wanted->name + (all - n), entry->name) == 0;
	}
	return strcmp(entry->name, wanted->name) == 0;
}

bool as_destination_listed(const as_destination *list, size_t n, const as_destination *wanted)
{
	for (size_t i = 0; i < n; i++) {
		bool port = list[i].port ? list[i].port == wanted->port : wanted->port == 80 || wanted->port == 443;
		if (port && same_host(&list[i], wanted)) {
			return true;
		}
	}
	return false;
}

void as_destination_write(const as_destination *d, char out[AS_DESTINATION_TEXT])
{
	char address[INET6_ADDRSTRLEN] = "", port[8] = "";
	if (!d->name[0]) {
		inet_ntop(d->v6 ? AF_INET6 : AF_INET, d->address, address, sizeof address);
	}
	if (d->port) {
		snprintf(port, sizeof port, ":%u", (unsigned)d->port);
	}
	snprintf(out, AS_DESTINATION_TEXT, "%s%s%s%s",
		 d->below ? "*."
		 : d->v6  ? "["
			  : "",
		 d->name[0] ? d->name : address, d->v6 ? "]" : "", port);
}
