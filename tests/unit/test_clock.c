#include "core/base/clock.h"
#include "core/base/error.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

START_TEST(test_now)
{
	int64_t a = as_now_us();
	int64_t b = as_now_us();
	ck_assert(a > 0 && b >= a);
	ck_assert(as_now_ms() >= a / 1000);
	ck_assert(as_us_to_ms(1234567) == 1234.5);
	ck_assert(as_wall_us() > INT64_C(1700000000) * 1000000);
}
END_TEST

START_TEST(test_deadline)
{
	int64_t now = as_now_ms();
	int64_t d = as_deadline(1000);
	ck_assert(d >= now + 1000 && d <= now + 2000);
	ck_assert(as_remaining(d) <= 1000 && as_remaining(d) > 0);
	ck_assert_int_eq(as_remaining(now - 5), 0);
	ck_assert_int_eq(as_remaining(as_deadline(-5)), 0);
	ck_assert(as_deadline(AS_FOREVER) == AS_FOREVER);
	ck_assert(as_deadline(AS_FOREVER - 1) == AS_FOREVER);
	ck_assert(as_remaining(AS_FOREVER) == AS_FOREVER);
}
END_TEST

static void check_time(int64_t us, const char *text)
{
	char out[32];
	memset(out, '#', sizeof out);
	as_format_time(us, out);
	ck_assert_str_eq(out, text);
}

START_TEST(test_format_time)
{
	check_time(0, "1970-01-01T00:00:00Z");
	check_time(1, "1970-01-01T00:00:00.000001Z");
	check_time(INT64_C(1785411296) * 1000000 + 120000, "2026-07-30T11:34:56.120000Z");
	check_time(-1, "1969-12-31T23:59:59.999999Z");
	check_time(INT64_C(951782400) * 1000000, "2000-02-29T00:00:00Z");
	check_time(INT64_C(253402300799) * 1000000 + 999999, "9999-12-31T23:59:59.999999Z");
	check_time(INT64_C(-62135596800) * 1000000, "0001-01-01T00:00:00Z");
	check_time(INT64_MAX, "1970-01-01T00:00:00Z"); /* no such year: the epoch stands in */
	check_time(INT64_MIN, "1970-01-01T00:00:00Z");
}
END_TEST

START_TEST(test_cancel)
{
	as_cancel *c = NULL;
	assay_error err = {0};
	ck_assert_int_eq(as_cancel_new(&c, &err), 0);
	ck_assert(!as_cancel_is_set(c));
	struct pollfd p = {.fd = as_cancel_fd(c), .events = POLLIN};
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	ck_assert(fcntl(p.fd, F_GETFD) & FD_CLOEXEC);
	for (int i = 0; i < 100000; i++) { /* never blocks, however often */
		as_cancel_set(c);
	}
	ck_assert(as_cancel_is_set(c));
	ck_assert_int_eq(poll(&p, 1, 0), 1);
	ck_assert_int_eq(poll(&p, 1, 0), 1); /* for good */
	as_cancel_free(c);

	ck_assert(!as_cancel_is_set(NULL));
	ck_assert_int_eq(as_cancel_fd(NULL), -1);
	as_cancel_set(NULL);
	as_cancel_free(NULL);
}
END_TEST

START_TEST(test_wait)
{
	int fds[2];
	assay_error err = {0};
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(as_wait_fd(fds[1], POLLOUT, AS_FOREVER, NULL, &err), 0);

	int64_t start = as_now_ms();
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, as_deadline(30), NULL, &err), ASSAY_ETIMEOUT);
	ck_assert(as_now_ms() - start >= 30);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, 0, NULL, NULL), ASSAY_ETIMEOUT); /* long past: asks once */

	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, 0, NULL, NULL), 0);

	as_cancel *c = NULL;
	ck_assert_int_eq(as_cancel_new(&c, NULL), 0);
	as_cancel_set(c);
	as_error_clear(&err);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, AS_FOREVER, c, &err), ASSAY_ECANCELED); /* wins over data */
	ck_assert_int_eq(err.code, ASSAY_ECANCELED);
	as_cancel_free(c);

	close(fds[1]);
	char byte;
	ck_assert_int_eq(read(fds[0], &byte, 1), 1);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, AS_FOREVER, NULL, NULL), 0); /* a hang-up is readable */
	close(fds[0]);
	as_error_clear(&err);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, AS_FOREVER, NULL, &err), ASSAY_EIO);
}
END_TEST

static void *cancel_soon(void *cancel)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	as_cancel_set(cancel);
	return NULL;
}

START_TEST(test_wait_is_woken)
{
	int fds[2];
	as_cancel *c = NULL;
	pthread_t thread;
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(as_cancel_new(&c, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, c), 0);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, as_deadline(20000), c, NULL), ASSAY_ECANCELED);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	as_cancel_free(c);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

static as_cancel *from_handler; /* a handler can reach nothing else */

static void on_alarm(int number)
{
	(void)number;
	as_cancel_set(from_handler);
}

START_TEST(test_cancel_from_a_signal_handler)
{
	int fds[2];
	struct sigaction action = {.sa_handler = on_alarm};
	struct sigaction old;
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(as_cancel_new(&from_handler, NULL), 0);
	ck_assert_int_eq(sigaction(SIGUSR1, &action, &old), 0);
	ck_assert_int_eq(raise(SIGUSR1), 0);
	ck_assert_int_eq(as_wait_fd(fds[0], POLLIN, AS_FOREVER, from_handler, NULL), ASSAY_ECANCELED);
	ck_assert_int_eq(sigaction(SIGUSR1, &old, NULL), 0);
	as_cancel_free(from_handler);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

UNIT_SUITE(suite, "clock", test_now, test_deadline, test_format_time, test_cancel, test_wait, test_wait_is_woken,
	   test_cancel_from_a_signal_handler)
UNIT_MAIN(suite)
