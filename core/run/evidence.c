#include "core/run/evidence.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/score.h"
#include <string.h>

static int digest_of(const assay_json *request, char out[65], assay_error *err)
{
	assay_text text = {0};
	int rc = as_json_dump(request, ASSAY_JSON_CANONICAL, &text, err);
	if (rc == 0) {
		as_sha256_hex(as_text_str(text), out);
	}
	as_text_free(&text);
	return rc;
}

/* What no peer said stops the scoring, and is no evidence. */
static bool is_peers_word(int said, const assay_error *why)
{
	return (why->flags & ASSAY_ERR_PEER) || said == ASSAY_EUNREACH || said == ASSAY_EPROTO || said == ASSAY_EAGAIN;
}

static assay_json *failure_of(int said, const assay_error *why)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "code", as_json_integer(said));
	rc |= as_json_set(o, "reason", as_json_integer((int64_t)why->reason));
	rc |= as_json_set(o, "flags", as_json_integer((int64_t)why->flags));
	rc |= as_json_set(o, "message", as_json_cstring(why->message));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

int as_evidence_note(as_context *c, const assay_json *request, int said, const assay_json *reply,
		     const assay_error *why, assay_error *err)
{
	char digest[65];
	assay_json *o;
	int rc;
	if (said < 0 && !is_peers_word(said, why)) {
		return 0;
	}
	rc = digest_of(request, digest, err);
	if (rc < 0) {
		return rc;
	}
	o = as_json_object();
	rc = as_json_set(o, "request", as_json_cstring(digest));
	rc |= said < 0 ? as_json_set(o, "failed", failure_of(said, why))
		       : as_json_set(o, "reply", as_json_clone(reply));
	rc |= as_json_append(c->evidence, o);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_evidence_answer(as_context *c, const assay_json *request, assay_json **reply, assay_error *err)
{
	const assay_json *said = as_json_at(c->heard, c->n_heard++), *failed = as_json_get(said, "failed");
	char digest[65];
	int rc = digest_of(request, digest, err);
	if (rc < 0) {
		return rc;
	}
	if (!as_str_is(as_json_str(as_json_get(said, "request")), digest)) {
		return as_fail(err, ASSAY_EDATA, "the evidence holds no reply to request %zu that this scorer makes",
			       c->n_heard);
	}
	if (as_json_append(c->evidence, as_json_clone(said)) < 0) {
		return as_fail_memory(err);
	}
	if (failed) {
		rc = (int)as_json_i64(as_json_get(failed, "code"), ASSAY_EUNREACH);
		rc = as_fail(err, rc < 0 ? rc : ASSAY_EUNREACH, "%s", as_json_cstr(as_json_get(failed, "message"), ""));
		if (err) {
			err->reason = (uint32_t)as_json_i64(as_json_get(failed, "reason"), 0);
			err->flags = (uint32_t)as_json_i64(as_json_get(failed, "flags"), 0);
		}
		return rc;
	}
	*reply = as_json_clone(as_json_get(said, "reply"));
	return *reply ? 0 : as_fail(err, ASSAY_EDATA, "the evidence's entry %zu has no reply", c->n_heard);
}

int as_score_with_evidence(as_context *c, const as_instance *scorer, const assay_json *task, const as_trace *trace,
			   const assay_json *heard, assay_json **verdict, assay_error *err)
{
	bool asks = as_instance_info(scorer)->impl->flags & ASSAY_IMPL_NEEDS_MODEL;
	int rc;
	c->evidence = asks ? as_json_array() : NULL;
	c->heard = asks ? heard : NULL;
	if (asks && !c->evidence) {
		return as_fail_memory(err);
	}
	rc = as_score_trace(scorer, &c->call, task, trace, as_catalogue_tags(c->engine->catalogue), verdict, err);
	if (rc == 0) { /* programs are given secrets, and may say them */
		rc = as_redact_json(c->engine->redactor, verdict, err);
	}
	as_redact_error(c->engine->redactor, rc < 0 ? err : NULL);
	if (rc == 0 && c->evidence) {
		rc = as_json_set(*verdict, "evidence", c->evidence) < 0 ? as_fail_memory(err) : 0;
		c->evidence = NULL;
	}
	if (rc < 0) {
		as_json_free(*verdict);
		*verdict = NULL;
	}
	as_json_free(c->evidence);
	c->evidence = NULL;
	c->heard = NULL;
	return rc;
}

static const assay_json *failure_in(const assay_json *verdict)
{
	const assay_json *failed = NULL;
	for (const assay_json *e = as_json_first(as_json_get(verdict, "evidence")); e && !failed; e = as_json_next(e)) {
		failed = as_json_get(e, "failed");
	}
	return failed;
}

bool as_evidence_failed(const assay_json *verdict)
{
	return failure_in(verdict) && as_str_is(as_json_str(as_json_get(verdict, "verdict")), "unknown");
}

void as_evidence_failure(const assay_json *verdict, assay_error *out)
{
	const assay_json *failed = failure_in(verdict);
	as_error_clear(out);
	if (failed) {
		as_fail(out, ASSAY_EUNREACH, "%s", as_json_cstr(as_json_get(failed, "message"), ""));
	}
}
