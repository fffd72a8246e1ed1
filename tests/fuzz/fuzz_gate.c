/* Requests to the gate of a sandbox: one that is taken means one host, which is the one that is written on. */
#include "core/base/memory.h"
#include "core/world/gate_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_target(const as_destination *target)
{
	char text[AS_DESTINATION_TEXT], again[AS_DESTINATION_TEXT];
	as_destination read, list;

	as_destination_write(target, text);
	if (target->port == 0 || as_destination_read(as_str(text), false, &read)) {
		abort();
	}
	as_destination_write(&read, again);
	if (strcmp(text, again) != 0 || as_destination_read(ASSAY_STR("*.b.c:1"), true, &list)) {
		abort();
	}
	size_t n = strlen(text);
	if (as_destination_listed(&list, 1, target) != (n > 6 && strcmp(text + n - 6, ".b.c:1") == 0)) {
		abort();
	}
}

/* The second line is the host, and there is no other. */
static void check_forwarded(const as_gate_request *r)
{
	char out[AS_GATE_HEAD + 512];
	char host[AS_DESTINATION_TEXT + 16] = "\r\nHost: ", again[AS_GATE_HEAD + 600];
	as_destination target = r->target;
	as_gate_request same;
	size_t n = as_gate_forward(r, out, sizeof out - 1), hosts = 0;

	target.port = target.port == 80 ? 0 : target.port;
	as_destination_write(&target, host + strlen(host));
	out[n] = '\0';
	const char *line = strstr(out, "\r\n");
	if (n == 0 || strlen(out) != n || !line || strncmp(line, host, strlen(host)) != 0 ||
	    strncmp(line + strlen(host), "\r\nConnection: close\r\n", 21) != 0) {
		abort();
	}
	for (const char *c = out; (c = strchr(c, '\n')) != NULL; c++) {
		hosts += (c[1] | 0x20) == 'h' && (c[2] | 0x20) == 'o' && (c[3] | 0x20) == 's' && (c[4] | 0x20) == 't' &&
			 c[5] == ':';
		if (c[-1] != '\r') {
			abort();
		}
	}
	/* What is written on is a head again. */
	const char *path = strchr(out, ' ') + 1;
	int length = snprintf(again, sizeof again, "%.*shttp://x%s", (int)(path - out), out, path);
	if (hosts != 1 || length <= 0 || as_gate_read((assay_str){again, (size_t)length}, &same)) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_gate_request r;
	const assay_str head = {(const char *)data, size};

	if (size > AS_GATE_HEAD || as_gate_read(head, &r)) {
		return 0;
	}
	check_target(&r.target);
	if (!r.tunnel) {
		check_forwarded(&r);
	}
	return 0;
}
