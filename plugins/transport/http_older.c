/* The older HTTP transport of MCP 2024-11-05 ("HTTP+SSE"): a GET stream that carries all messages of the server, and an
 * address, named by its first event, that takes ours. Source: reference page "MCP for a C implementer", section 7. */
#include "http_link.h"

int older_connect(link *l, assay_call *call, assay_error *err)
{
	int over = 0;
	int rc;

	l->older = 1;
	rc = link_begin(l, &l->listener, "GET", l->url, (assay_str){0}, NULL, err);
	while (!rc) {
		rc = link_take(l, &l->listener, &over, err);
		if (rc || l->endpoint) {
			break;
		}
		if (l->listener.status != 0 && l->listener.kind != STREAM_EVENTS) {
			rc = l->host->fail(err, ASSAY_EUNREACH, "HTTP status %d and no event stream at its address",
					   l->listener.status);
		} else if (over) {
			rc = l->host->fail(err, ASSAY_EUNREACH,
					   "its event stream ended before it named an endpoint for messages");
		} else {
			rc = l->host->http->wait(call, l->group, l->host->remaining_ms(call), err);
		}
	}
	return rc;
}

int older_send(link *l, assay_call *call, const assay_message *m, assay_error *err)
{
	if (!l->endpoint) {
		return l->host->fail(err, ASSAY_EINVAL, "not connected");
	}
	if (m->kind != ASSAY_MESSAGE_REQUEST) {
		return link_post_aside(l, call, l->endpoint, m->text, NULL, err);
	}
	return link_begin(l, &l->request, "POST", l->endpoint, m->text, NULL, err);
}

/* The POST of the open request: only a refusal is of interest. */
static int look_at_request(link *l, assay_error *err)
{
	int over = 0;
	int rc;

	if (!l->request.exchange) {
		return 0;
	}
	rc = link_take(l, &l->request, &over, err);
	if (!rc && over && l->request.status >= 300) {
		return link_refuse(l, &l->request, err);
	}
	if (!rc && over) {
		link_end(l, &l->request);
	}
	return rc;
}

int older_receive(link *l, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	int64_t end = link_now() + (timeout_ms < 86400000 ? timeout_ms : 86400000);

	for (;;) {
		int over = 0, stop = 0;
		int rc = link_deliver(l, messages, &stop, err);
		int64_t left = end - link_now();

		if (rc) {
			return rc < 0 ? rc : 0;
		}
		rc = look_at_request(l, err);
		if (!rc && !l->listener.exchange) {
			rc = l->host->fail(err, ASSAY_EUNREACH, "not connected");
		}
		if (!rc) {
			rc = link_take(l, &l->listener, &over, err);
		}
		if (rc) {
			return rc;
		}
		if (l->first) {
			continue;
		}
		if (over) {
			return l->host->fail(err, ASSAY_EUNREACH, "its event stream ended, and the session with it");
		}
		rc = l->host->http->wait(call, l->group, left > 0 ? left : 0, err);
		if (rc) {
			return rc;
		}
	}
}
