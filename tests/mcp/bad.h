/* bad-server from the inside: what its behaviours share. */
#ifndef TESTS_MCP_BAD_H
#define TESTS_MCP_BAD_H

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define SAID(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

#define LINE_SIZE (1 << 22)
extern char line[LINE_SIZE]; /* the line that was read last */
extern long counter;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void answer(long id, const char *result);
void refuse(long id, int code, const char *message);
int next(void);
int is(const char *method);
/* Ask the client and wait for its answer, whose text must hold `expected`. */
void ask(long id, const char *method, const char *expected);
void good_call(long id);

/* bad_newer.c */
void modern_call(long id);
void modern_changing_call(long id);
void modern_discover(long id);
void modern_empty(long id);
void modern_failed(long id);
void modern_insatiable(long id);
void modern_wordy(long id);
void modern_list(long id);
void modern_news(long id);
void modern_task(long id);
void task_asks(long id);
void task_call(long id);
void task_endless(long id);
void task_init(long id);
void task_list(long id);
void task_nameless(long id);
void task_other(long id);
void task_strange(long id);

#endif
