#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SH(script) ((const char *const[]){"sh", "-c", (script), NULL})

static as_process *spawn(const char *const *argv, uint32_t flags)
{
	as_process *p = NULL;
	assay_error err = {0};
	const as_process_spec spec = {.argv = argv, .flags = flags};
	ck_assert_msg(as_process_spawn(&spec, &p, &err) == 0, "%s", err.message);
	ck_assert_ptr_nonnull(p);
	return p;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Everything up to the end of its output. */
static void read_all(as_process *p, as_buf *out)
{
	size_t n;
	do {
		ck_assert(as_buf_reserve(out, 65536));
		ck_assert_int_eq(as_process_read(p, out->ptr + out->len, 65536, as_deadline(20000), NULL, &n, NULL), 0);
		out->len += n;
	} while (n > 0);
	as_buf_puts(out, "");
}

static void check_run(const char *const *argv, const char *input, const char *expected, int expected_status)
{
	assay_text out = {0};
	assay_error err = {0};
	int status = -1;
	const as_process_spec spec = {.argv = argv};
	int rc = as_process_run(&spec, as_str(input), 1 << 20, as_deadline(20000), NULL, &out, &status, &err);
	ck_assert_msg(rc == 0, "%s", err.message);
	ck_assert_str_eq(out.ptr, expected);
	ck_assert_int_eq(status, expected_status);
	as_text_free(&out);
}

START_TEST(test_run)
{
	check_run((const char *const[]){"cat", NULL}, "hello", "hello", 0);
	check_run(SH("cat; echo err >&2; exit 7"), "", "", 7);
	check_run(SH("kill -TERM $$"), "", "", 128 + SIGTERM);
	check_run(SH("echo $0"), "unread input", "sh\n", 0);
	check_run((const char *const[]){"/bin/sh", "-c", "printf %s \"$1\"", "x", "a b;$c", NULL}, "", "a b;$c", 0);
}
END_TEST

START_TEST(test_run_limits)
{
	assay_text out = {0};
	assay_error err = {0};
	int status;
	as_process_spec spec = {.argv = SH("yes")};
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 1000, as_deadline(20000), NULL, &out, &status, &err),
			 ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "sh printed more than 1000 bytes");
	as_error_clear(&err);
	int64_t start = as_now_ms();
	spec.argv = SH("sleep 30");
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 1000, as_deadline(50), NULL, &out, &status, &err),
			 ASSAY_ETIMEOUT);
	ck_assert_str_eq(err.message, "sh did not answer in time");
	ck_assert(as_now_ms() - start < 5000);
	ck_assert_ptr_null(out.ptr);
	spec.argv = SH("head -c 1000 /dev/zero | tr '\\0' x; cat > /dev/null");
	static const char input[300000];
	as_error_clear(&err);
	ck_assert_int_eq(as_process_run(&spec, (assay_str){input, sizeof input}, 1000, as_deadline(20000), NULL, &out,
					&status, &err),
			 0);
	ck_assert_uint_eq(out.len, 1000); /* exactly as much as allowed */
	as_text_free(&out);
}
END_TEST

START_TEST(test_conversation)
{
	char buf[100];
	size_t n;
	int status;
	as_process *p =
		spawn(SH("while read line; do echo \"<$line>\"; done; exit 3"), AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	ck_assert_int_gt(as_process_pid(p), 1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(as_process_write(p, ASSAY_STR("line\n"), as_deadline(20000), NULL, NULL), 0);
		ck_assert_int_eq(as_process_read(p, buf, sizeof buf, as_deadline(20000), NULL, &n, NULL), 0);
		ck_assert_uint_eq(n, 7);
		ck_assert_int_eq(memcmp(buf, "<line>\n", 7), 0);
	}
	assay_error err = {0};
	ck_assert_int_eq(as_process_read(p, buf, sizeof buf, as_deadline(20), NULL, &n, &err), ASSAY_ETIMEOUT);
	ck_assert_int_eq(as_process_wait(p, as_deadline(20), NULL, &status, NULL), ASSAY_ETIMEOUT);
	as_process_close_stdin(p);
	ck_assert_int_eq(as_process_read(p, buf, sizeof buf, as_deadline(20000), NULL, &n, NULL), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(as_process_wait(p, as_deadline(20000), NULL, &status, NULL), 0);
	ck_assert_int_eq(status, 3);
	ck_assert_int_eq(as_process_wait(p, 0, NULL, &status, NULL), 0); /* asked again */
	as_error_clear(&err);
	ck_assert_int_eq(as_process_write(p, ASSAY_STR("x"), AS_FOREVER, NULL, &err), ASSAY_EUNREACH);
	ck_assert(err.flags & ASSAY_ERR_PEER);
	as_process_stop(p, 1000);
}
END_TEST

START_TEST(test_never_reads_stdin)
{
	static const char big[1 << 20];
	assay_error err = {0};
	as_process *p = spawn(SH("sleep 30"), AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, as_deadline(50), NULL, &err),
			 ASSAY_ETIMEOUT);
	as_process_stop(p, 10);
}
END_TEST

START_TEST(test_both_sides_write)
{
	/* Ten megabytes go in and come back while the other end blocks on its own output. */
	size_t size = 10 << 20;
	char *big = malloc(size);
	as_buf out = {0};
	ck_assert_ptr_nonnull(big);
	for (size_t i = 0; i < size; i++) {
		big[i] = (char)(i * 31 + i / 1009);
	}
	as_process *p = spawn((const char *const[]){"cat", NULL}, AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, size}, as_deadline(20000), NULL, NULL), 0);
	as_process_close_stdin(p);
	read_all(p, &out);
	ck_assert_uint_eq(out.len, size);
	ck_assert_int_eq(memcmp(out.ptr, big, size), 0);
	as_process_stop(p, 1000);
	as_buf_free(&out);
	free(big);
}
END_TEST

START_TEST(test_output_without_end_while_writing)
{
	static const char big[1 << 20];
	assay_error err = {0};
	as_process *p = spawn(SH("exec yes"), AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, as_deadline(20000), NULL, &err),
			 ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "sh printed more than 33554432 bytes without reading its input");
	as_process_stop(p, 10);
}
END_TEST

START_TEST(test_prints_much)
{
	as_buf out = {0};
	as_process *p = spawn(SH("head -c 10485760 /dev/zero; head -c 1000000 /dev/zero >&2; printf end >&2"),
			      AS_PROCESS_STDOUT | AS_PROCESS_STDERR);
	int status;
	read_all(p, &out);
	ck_assert_uint_eq(out.len, 10485760);
	as_buf_free(&out);
	ck_assert_int_eq(as_process_wait(p, as_deadline(20000), NULL, &status, NULL), 0);
	assay_str tail = as_process_stderr(p);
	ck_assert_uint_eq(tail.len, 16384);
	ck_assert_int_eq(memcmp(tail.ptr + tail.len - 4, "\0end", 4), 0);
	as_process_stop(p, 1000);

	p = spawn(SH("head -c 10485760 /dev/zero"), AS_PROCESS_STDOUT); /* nobody reads: wait takes it in */
	ck_assert_int_eq(as_process_wait(p, as_deadline(20000), NULL, &status, NULL), 0);
	ck_assert_int_eq(status, 0);
	as_process_stop(p, 0);
}
END_TEST

START_TEST(test_stderr_tail)
{
	as_process *p = NULL;
	int status;
	as_process_spec spec = {.argv = SH("for i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done"),
				.flags = AS_PROCESS_STDERR,
				.stderr_keep = 10};
	ck_assert_int_eq(as_process_spawn(&spec, &p, NULL), 0);
	ck_assert_int_eq(as_process_wait(p, as_deadline(20000), NULL, &status, NULL), 0);
	ck_assert(as_str_is(as_process_stderr(p), " 8\nline 9\n"));
	as_process_stop(p, 0);
	p = spawn(SH("echo x >&2"), AS_PROCESS_STDOUT);
	ck_assert_uint_eq(as_process_stderr(p).len, 0);
	as_process_stop(p, 1000);
}
END_TEST

START_TEST(test_stop_is_quick)
{
	int64_t start = as_now_ms();
	as_process_stop(spawn((const char *const[]){"cat", NULL}, AS_PROCESS_STDIN | AS_PROCESS_STDOUT), 10000);
	as_process_stop(spawn((const char *const[]){"true", NULL}, 0), 10000);
	as_process_stop(spawn(SH("exec sleep 30"), 0), 200); /* TERM ends it */
	ck_assert(as_now_ms() - start < 3000);
	as_process_stop(NULL, 10000);
}
END_TEST

START_TEST(test_stop_kills)
{
	char byte;
	size_t n;
	as_process *p = spawn(SH("trap '' TERM; echo; while :; do sleep 1; done"), AS_PROCESS_STDOUT);
	int pid = as_process_pid(p);
	ck_assert_int_eq(as_process_read(p, &byte, 1, as_deadline(20000), NULL, &n, NULL), 0); /* the trap is set */
	int64_t start = as_now_ms();
	as_process_stop(p, 50);
	ck_assert(as_now_ms() - start >= 100 && as_now_ms() - start < 3000);
	ck_assert_int_eq(kill(pid, 0), -1);
	p = spawn(SH("kill -STOP $$; exit 0"), 0); /* stopped, not ended */
	sleep_ms(50);
	as_process_stop(p, 50);
}
END_TEST

static bool is_alive(int pid) /* an orphan may stay a zombie for as long as init likes */
{
	char path[64], state[64] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	if (!f) {
		return false;
	}
	size_t n = fread(state, 1, sizeof state - 1, f);
	fclose(f);
	const char *end = n > 0 ? strrchr(state, ')') : NULL;
	return end && end[2] != 'Z' && end[2] != 'X';
}

START_TEST(test_grandchild_holds_the_pipe)
{
	as_buf out = {0};
	int status;
	int64_t start = as_now_ms();
	as_process *p = spawn(SH("sleep 30 & echo $!"), AS_PROCESS_STDOUT | AS_PROCESS_STDIN);
	read_all(p, &out); /* ends with the shell, not with the sleep */
	int grandchild = (int)strtol(out.ptr, NULL, 10);
	ck_assert_int_gt(grandchild, 1);
	ck_assert_int_eq(as_process_wait(p, as_deadline(20000), NULL, &status, NULL), 0);
	ck_assert_int_eq(status, 0);
	ck_assert(!is_alive(grandchild)); /* what it left behind ended with it */
	as_process_stop(p, 5000);
	ck_assert(as_now_ms() - start < 4000);
	as_buf_free(&out);
	check_run(SH("sleep 30 & echo done"), "x", "done\n", 0);

	/* Its stdin is still held open, but nobody will ever read it. */
	static const char big[1 << 20];
	assay_error err = {0};
	p = spawn(SH("sleep 30 <&0 & exit"), AS_PROCESS_STDIN);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, as_deadline(20000), NULL, &err),
			 ASSAY_EUNREACH);
	/* Which of the two is noticed first is the scheduler's choice. */
	ck_assert(strcmp(err.message, "sh has ended") == 0 || strcmp(err.message, "sh has closed its input") == 0);
	as_process_stop(p, 10);
}
END_TEST

START_TEST(test_other_sessions)
{
	/* A daemon: its parents are gone, its session is its own, it minds no TERM. */
	as_process *p = spawn(SH("(setsid sh -c 'trap \"\" TERM HUP; echo $$; exec >&-; while :; do sleep 1; done' &)"
				 "; read x"),
			      AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	char text[32] = "";
	size_t n = 0;
	ck_assert_int_eq(as_process_read(p, text, sizeof text - 1, as_deadline(20000), NULL, &n, NULL), 0);
	int daemon = (int)strtol(text, NULL, 10);
	ck_assert(daemon > 1 && is_alive(daemon));
	as_process_stop(p, 5000); /* the shell ends with its input */
	ck_assert(!is_alive(daemon));
}
END_TEST

START_TEST(test_keeper_outlives_us)
{
	/* A process of ours that starts one and dies of KILL. */
	int fds[2];
	char text[32] = "";
	ck_assert_int_eq(pipe(fds), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		as_process *p = spawn(SH("trap '' TERM; echo $$; while :; do sleep 1; done"), AS_PROCESS_STDOUT);
		size_t n = 0;
		(void)as_process_read(p, text, sizeof text, as_deadline(20000), NULL, &n, NULL);
		(void)!write(fds[1], text, n);
		(void)kill(getpid(), SIGKILL);
	}
	close(fds[1]);
	ck_assert_int_gt(read(fds[0], text, sizeof text - 1), 0);
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	int orphan = (int)strtol(text, NULL, 10);
	ck_assert_int_gt(orphan, 1);
	for (int i = 0; i < 500 && is_alive(orphan); i++) {
		sleep_ms(10);
	}
	ck_assert(!is_alive(orphan));
}
END_TEST

START_TEST(test_no_keeper)
{
	as_process *p = NULL;
	assay_error err = {0};
	const as_process_spec spec = {.argv = SH("exit 0")};
	ck_assert_int_eq(setenv("ASSAY_LIB_DIR", "/no/such/folder", 1), 0);
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_ptr_null(p);
	ck_assert_str_eq(err.where, "/no/such/folder/keeper");
	ck_assert_str_eq(err.hint, "install the program again, or set ASSAY_LIB_DIR to its library folder");
}
END_TEST

START_TEST(test_missing_command)
{
	as_process *p = NULL;
	assay_error err = {0};
	as_process_spec spec = {.argv = (const char *const[]){"no-such-command-here", NULL}};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.message, "command not found: no-such-command-here");
	ck_assert_str_eq(err.where, "no-such-command-here");
	ck_assert_str_eq(err.hint, "install it, or add its folder to PATH");
	ck_assert_ptr_null(p);
	as_error_clear(&err);
	spec.argv = (const char *const[]){"/no/such/file", NULL};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.hint, "check the path");
	as_error_clear(&err);
	spec.argv = (const char *const[]){"no-such-command-here --flag", NULL};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.hint, "its arguments belong apart from it"));
	as_error_clear(&err);
	spec.argv = (const char *const[]){"", NULL};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_EINVAL);
	as_error_clear(&err);
	spec.argv = (const char *const[]){"/", NULL};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_EIO);
	ck_assert_int_eq(err.detail, EACCES);
	ck_assert_int_eq(as_process_spawn(&spec, &p, NULL), ASSAY_EIO);
}
END_TEST

START_TEST(test_folder)
{
	as_process *p = NULL;
	assay_error err = {0};
	assay_text out = {0};
	int status;
	as_process_spec spec = {.argv = (const char *const[]){"pwd", NULL}, .cwd = "/no/such/folder"};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.message, "cannot enter the folder: No such file or directory");
	ck_assert_str_eq(err.where, "/no/such/folder");
	spec.cwd = "/";
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 100, as_deadline(20000), NULL, &out, &status, NULL), 0);
	ck_assert_str_eq(out.ptr, "/\n");
	as_text_free(&out);
}
END_TEST

START_TEST(test_scripts)
{
	as_buf dir = {0}, file = {0};
	assay_error err = {0};
	as_process *p = NULL;
	ck_assert_int_eq(as_make_temp_dir(TEST_BUILDDIR, "test-process-", &dir, NULL), 0);
	as_buf_printf(&file, "%s/script", dir.ptr);
	ck_assert_int_eq(as_file_write(file.ptr, ASSAY_STR("#!/no/such/interpreter\n"), NULL), 0);
	as_process_spec spec = {.argv = (const char *const[]){file.ptr, NULL}};
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_EIO);
	ck_assert_str_eq(err.message, "cannot run the command: Permission denied");
	ck_assert_int_eq(chmod(file.ptr, 0755), 0);
	as_error_clear(&err);
	ck_assert_int_eq(as_process_spawn(&spec, &p, &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.hint, "the interpreter that its first line names is not"));
	as_error_clear(&err);
	as_process_spec relative = {.argv = (const char *const[]){"./script", NULL}, .cwd = dir.ptr};
	ck_assert_int_eq(as_process_spawn(&relative, &p, &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.hint, "the interpreter that its first line names is not"));
	ck_assert_int_eq(as_file_write(file.ptr, ASSAY_STR("#!/bin/sh\necho found\n"), NULL), 0);
	ck_assert_int_eq(chmod(file.ptr, 0755), 0);
	as_arena a = {0};
	as_buf path = {0};
	as_buf_printf(&path, "PATH=/no/such:%s:/usr/bin:/bin", dir.ptr);
	spec.argv = (const char *const[]){"script", NULL};
	spec.env = as_process_env(&a, (const char *const[]){path.ptr, NULL});
	assay_text out = {0};
	int status;
	as_error_clear(&err);
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 100, as_deadline(20000), NULL, &out, &status, &err), 0);
	ck_assert_str_eq(out.ptr, "found\n");
	as_text_free(&out);
	as_arena_free(&a);
	ck_assert_int_eq(as_remove_tree(dir.ptr, NULL), 0);
	as_buf_free(&path);
	as_buf_free(&file);
	as_buf_free(&dir);
}
END_TEST

START_TEST(test_stdin_closed_early)
{
	/* SIGPIPE has its default action here: the write must not end this program. */
	static const char big[1 << 20];
	assay_error err = {0};
	sigset_t pending;
	ck_assert(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
	as_process *p = spawn(SH("exec <&-; sleep 30"), AS_PROCESS_STDIN);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, as_deadline(20000), NULL, &err),
			 ASSAY_EUNREACH);
	ck_assert_str_eq(err.message, "sh has closed its input");
	ck_assert_int_eq(sigpending(&pending), 0);
	ck_assert_int_eq(sigismember(&pending, SIGPIPE), 0);
	as_process_stop(p, 10);
	p = spawn(SH("exit 0"), AS_PROCESS_STDIN);
	as_error_clear(&err);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, as_deadline(20000), NULL, &err),
			 ASSAY_EUNREACH);
	as_process_stop(p, 10);
}
END_TEST

static void *cancel_soon(void *cancel)
{
	sleep_ms(30);
	as_cancel_set(cancel);
	return NULL;
}

START_TEST(test_cancel)
{
	static const char big[1 << 20];
	as_cancel *c = NULL;
	pthread_t thread;
	char byte;
	size_t n;
	int status;
	as_process *p = spawn(SH("exec sleep 30"), AS_PROCESS_STDIN | AS_PROCESS_STDOUT);
	int64_t start = as_now_ms();
	ck_assert_int_eq(as_cancel_new(&c, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, c), 0);
	ck_assert_int_eq(as_process_wait(p, AS_FOREVER, c, &status, NULL), ASSAY_ECANCELED);
	ck_assert_int_eq(as_process_read(p, &byte, 1, AS_FOREVER, c, &n, NULL), ASSAY_ECANCELED);
	ck_assert_int_eq(as_process_write(p, (assay_str){big, sizeof big}, AS_FOREVER, c, NULL), ASSAY_ECANCELED);
	ck_assert(as_now_ms() - start < 5000);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	as_process_stop(p, 10);
	as_cancel_free(c);
}
END_TEST

static size_t open_descriptors(void)
{
	size_t n = 0;
	for (int fd = 0; fd < 200; fd++) {
		n += fcntl(fd, F_GETFD) >= 0;
	}
	return n;
}

START_TEST(test_many_without_leak)
{
	size_t before = open_descriptors();
	as_process_spec missing = {.argv = (const char *const[]){"/no/such", NULL},
				   .flags = AS_PROCESS_STDIN | AS_PROCESS_STDOUT | AS_PROCESS_STDERR};
	for (int i = 0; i < 200; i++) {
		as_process *p = spawn((const char *const[]){"true", NULL},
				      AS_PROCESS_STDIN | AS_PROCESS_STDOUT | AS_PROCESS_STDERR);
		as_process_stop(p, 5000);
		ck_assert_int_eq(as_process_spawn(&missing, &p, NULL), ASSAY_ENOENT);
	}
	ck_assert_uint_eq(open_descriptors(), before);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* and no zombie */
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_child_is_clean)
{
	/* Only 0-2 are open, though ours are not close-on-exec; no signal is blocked or ignored; a group of its own. */
	sigset_t set;
	assay_text out = {0};
	int status;
	/* Signals 32 and 33 are the C library's own: whoever started us may have left them ignored, and no call resets
	 * them. */
	as_process_spec spec = {.argv = SH("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status |"
					   " sed '/SigIgn/s/0000000180000000/0000000000000000/';"
					   " test $(ps -o pgid= -p $$ 2>/dev/null || echo $$) -eq $$ && echo own")};
	for (int i = 0; i < 50; i++) {
		ck_assert_int_ge(dup(0), 0);
	}
	sigfillset(&set);
	ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	ck_assert(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	ck_assert(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 1000, as_deadline(20000), NULL, &out, &status, NULL), 0);
	ck_assert_str_eq(out.ptr, "4\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nown\n"); /* 4: ls's own */
	as_text_free(&out);
}
END_TEST

START_TEST(test_closed_standard_descriptors)
{
	/* With 0-2 closed our pipes would land on them. */
	char buf[16];
	size_t n = 0;
	as_process *p = NULL;
	as_process_spec spec = {.argv = SH("read x; echo \"$x\""),
				.flags = AS_PROCESS_STDIN | AS_PROCESS_STDOUT | AS_PROCESS_STDERR};
	int saved[3];
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD, 10);
		close(i);
	}
	int rc = as_process_spawn(&spec, &p, NULL);
	int written = p ? as_process_write(p, ASSAY_STR("hi\n"), as_deadline(20000), NULL, NULL) : -1;
	int got = p ? as_process_read(p, buf, sizeof buf, as_deadline(20000), NULL, &n, NULL) : -1;
	as_process_stop(p, 1000);
	spec.flags = AS_PROCESS_PASS_OUT;
	spec.argv = SH("echo into nowhere");
	int passed = as_process_spawn(&spec, &p, NULL);
	as_process_stop(p, 1000);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(written, 0);
	ck_assert_int_eq(got, 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(memcmp(buf, "hi\n", 3), 0);
	ck_assert_int_eq(passed, 0);
}
END_TEST

START_TEST(test_pass_out)
{
	int fds[2];
	char buf[16];
	int saved = fcntl(2, F_DUPFD, 10);
	as_process *p = NULL;
	as_process_spec spec = {.argv = SH("echo shown; echo hidden >&2"), .flags = AS_PROCESS_PASS_OUT};
	ck_assert_int_eq(pipe(fds), 0);
	dup2(fds[1], 2);
	close(fds[1]);
	int rc = as_process_spawn(&spec, &p, NULL);
	as_process_stop(p, 5000);
	dup2(saved, 2);
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(read(fds[0], buf, sizeof buf), 6);
	ck_assert_int_eq(memcmp(buf, "shown\n", 6), 0);
	ck_assert_int_eq(read(fds[0], buf, sizeof buf), 0);
}
END_TEST

static const char *value_of(const char *const *env, const char *name)
{
	size_t n = strlen(name);
	for (; *env; env++) {
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
			return *env + n + 1;
		}
	}
	return NULL;
}

START_TEST(test_environment)
{
	as_arena a = {0};
	ck_assert_int_eq(setenv("SECRET_KEY", "s", 1), 0);
	ck_assert_int_eq(setenv("LC_ALL", "C", 1), 0);
	ck_assert_int_eq(setenv("HOME", "/ours", 1), 0);
	ck_assert_int_eq(setenv("PATHS", "no", 1), 0);
	const char *const *env = as_process_env(&a, (const char *const[]){"HOME=/theirs", "X=1", "X=2", "E=", NULL});
	ck_assert_ptr_nonnull(env);
	ck_assert_ptr_null(value_of(env, "SECRET_KEY"));
	ck_assert_ptr_null(value_of(env, "PATHS"));
	ck_assert_str_eq(value_of(env, "LC_ALL"), "C");
	ck_assert_str_eq(value_of(env, "HOME"), "/theirs");
	ck_assert_str_eq(value_of(env, "X"), "2");
	ck_assert_str_eq(value_of(env, "E"), "");
	ck_assert_ptr_nonnull(value_of(env, "PATH"));
	as_arena_free(&a);
	check_run(SH("echo \"${SECRET_KEY-unset} $HOME\""), "", "unset /ours\n", 0);
}
END_TEST

START_TEST(test_find)
{
	as_buf out = {0};
	as_process_find("sh", "/no/such:/bin", &out);
	ck_assert_str_eq(out.ptr, "/bin/sh");
	as_buf_clear(&out);
	as_process_find("/bin/sh", "/no/such", &out);
	ck_assert_str_eq(out.ptr, "/bin/sh");
	as_buf_clear(&out);
	as_process_find("sh", NULL, &out);
	ck_assert_uint_gt(out.len, 3);
	as_buf_clear(&out);
	as_process_find("sh", "/no/such", &out);
	as_process_find("etc", "/", &out);       /* a folder */
	as_process_find("passwd", "/etc", &out); /* no program */
	as_process_find("", "/bin", &out);
	ck_assert_uint_eq(out.len, 0);
	as_buf_free(&out);
}
END_TEST

static void *spawn_some(void *failures)
{
	for (int i = 0; i < 25; i++) {
		assay_text out = {0};
		int status;
		const as_process_spec spec = {.argv = (const char *const[]){"cat", NULL}};
		if (as_process_run(&spec, ASSAY_STR("x"), 10, as_deadline(20000), NULL, &out, &status, NULL) != 0 ||
		    out.len != 1) {
			*(int *)failures = 1;
		}
		as_text_free(&out);
	}
	return NULL;
}

START_TEST(test_threads)
{
	/* A child that inherited another's pipe would keep it open, and that one's run would not end. */
	pthread_t threads[4];
	int failures[4] = {0};
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_create(&threads[i], NULL, spawn_some, &failures[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_int_eq(failures[i], 0);
	}
}
END_TEST

UNIT_SUITE(suite, "process", test_run, test_run_limits, test_conversation, test_never_reads_stdin,
	   test_both_sides_write, test_output_without_end_while_writing, test_prints_much, test_stderr_tail,
	   test_stop_is_quick, test_stop_kills, test_grandchild_holds_the_pipe, test_other_sessions,
	   test_keeper_outlives_us, test_no_keeper, test_missing_command, test_folder, test_scripts,
	   test_stdin_closed_early, test_cancel, test_many_without_leak, test_child_is_clean,
	   test_closed_standard_descriptors, test_pass_out, test_environment, test_find, test_threads)
UNIT_MAIN(suite)
