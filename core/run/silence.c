#include "core/run/silence.h"

#include "core/base/error.h"
#include "core/base/text.h"

enum { ENOUGH = 2 };

int as_silence_open(as_silence *s, assay_error *err)
{
	s->tools = as_json_object();
	if (s->tools && pthread_mutex_init(&s->lock, NULL) == 0) {
		return 0;
	}
	as_json_free(s->tools);
	s->tools = NULL;
	return as_fail_memory(err);
}

void as_silence_close(as_silence *s)
{
	as_json_free(s->tools);
	pthread_mutex_destroy(&s->lock);
	s->tools = NULL;
}

static void name_tool(as_buf *out, assay_str server, assay_str tool)
{
	as_buf_printf(out, "%.*s %.*s", ASSAY_FMT(server), ASSAY_FMT(tool));
}

bool as_silence_is(as_silence *s, assay_str server, assay_str tool)
{
	as_buf name = {0};
	bool is;
	name_tool(&name, server, tool);
	pthread_mutex_lock(&s->lock);
	is = as_json_i64(as_json_get_n(s->tools, as_buf_str(&name)), 0) >= ENOUGH;
	pthread_mutex_unlock(&s->lock);
	as_buf_free(&name);
	return is;
}

void as_silence_note(as_silence *s, as_log *log, assay_str server, assay_str tool, const assay_error *why)
{
	as_buf name = {0};
	char line[900];
	int64_t times;
	name_tool(&name, server, tool);
	pthread_mutex_lock(&s->lock);
	times = as_json_i64(as_json_get_n(s->tools, as_buf_str(&name)), 0) + 1;
	as_json_set_n(s->tools, as_buf_str(&name), as_json_integer(times)); /* without memory: told again */
	pthread_mutex_unlock(&s->lock);
	as_buf_free(&name);
	if (times == 1) {
		as_error_format(why, line, sizeof line);
		as_log_put(log, "run", ASSAY_LOG_WARN,
			   "tool \"%.*s\" of server \"%.*s\" gave no answer, and is passed over: %s", ASSAY_FMT(tool),
			   ASSAY_FMT(server), line);
	}
}
