#include "core/cli/endings.h"

#include "core/base/called.h"
#include "core/base/process.h"
#include <assay/plugin.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUCK_MS 1000 /* an operation that has called nothing for so long is waited for */
#define RECENT 4u     /* operations that a crash outside of any is told with */
#define EXITS 64      /* threads that may call exit at once: each call takes one handler away */

/* Handlers of signals and of exits are given nothing, so this has to be there: set once, before they are. */
static const as_cli *running;
static bool on_terminal;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[sizeof crashes / sizeof *crashes];

/* A line, put together by means that a handler may use. */
typedef struct line {
	char text[512];
	size_t len;
} line;

static void add(line *l, const char *text)
{
	while (*text && l->len + 1 < sizeof l->text) {
		l->text[l->len++] = *text++;
	}
}

static void put(const line *l)
{
	ssize_t ignored = write(STDERR_FILENO, l->text, l->len);
	(void)ignored;
}

/* One thread tells, once. False: it has, and a sanitizer, which has had its say since, ends the program now. */
static bool may_tell(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	static _Thread_local bool here;
	if (here) {
		return false;
	}
	while (atomic_flag_test_and_set(&told)) {
		(void)pause(); /* another thread is at it, and ends all of them */
	}
	here = true;
	return true;
}

/* "scorer/mine DID in its operation score", once, whatever other threads are at. */
static void tell(const char *did, const char *detail)
{
	const as_called at = as_called_now();
	line l = {.len = 0};
	if (!may_tell()) {
		return;
	}
	add(&l, "assay: ");
	add(&l, at.use ? at.use : "a plugin");
	add(&l, did);
	add(&l, at.use ? " in its operation " : "");
	add(&l, at.use ? at.operation : "");
	add(&l, detail);
	add(&l, ", which ended the program (\"assay plugins check");
	add(&l, at.use ? " " : "");
	add(&l, at.use ? at.use : "");
	add(&l, at.use ? "\" shows the fault: mend it" : "\" finds out which: mend it");
	add(&l, ", or take it away)\n");
	put(&l);
}

/* Is it the program itself? Its children come here, too, and those that try plugins out. */
static bool is_ours(void)
{
	return running && !running->expendable && running->pid == getpid();
}

/* Nobody knows who it was: who was called last may have left a thread, or spoilt what others stumble over. */
static void tell_last(const char *signal_name)
{
	as_called recent[RECENT];
	size_t n = as_called_recent(recent, RECENT);
	line l = {.len = 0};
	if (n == 0 || !may_tell()) {
		return;
	}
	add(&l, "assay: crashed (");
	add(&l, signal_name ? signal_name : "signal");
	add(&l, ") in no plugin's operation; last in ");
	for (size_t i = 0; i < n; i++) {
		add(&l, i > 0 ? ", " : "");
		add(&l, recent[i].use);
		add(&l, " ");
		add(&l, recent[i].operation);
	}
	add(&l, ": if that is not shipped, \"assay plugins check\" it, or try without it\n");
	put(&l);
}

void as_endings_interrupted(void)
{
	int64_t ms;
	as_called at = as_called_stuck(STUCK_MS, &ms);
	line l = {.len = 0};
	if (!at.use || !is_ours()) {
		return;
	}
	add(&l, on_terminal ? "\n" : ""); /* progress is on the line */
	add(&l, "assay: interrupted; waits for ");
	add(&l, at.use);
	add(&l, " to end its operation ");
	add(&l, at.operation);
	add(&l, "; interrupt again to end at once\n");
	put(&l);
}

static void on_exit_within(void)
{
	if (is_ours()) {
		tell(" called exit", "");
		_Exit(AS_EXIT_PLUGIN);
	}
}

/* Stands before the C library's, so that it is called by plugins, which would otherwise end everything in silence. */
ASSAY_EXPORT void _exit(int status)
{
	if (is_ours()) {
		tell(" called _exit", "");
		status = AS_EXIT_PLUGIN;
	}
	_Exit(status);
}

static size_t place_of(int number)
{
	size_t i = 0;
	while (i + 1 < sizeof crashes / sizeof *crashes && crashes[i] != number) {
		i++;
	}
	return i;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	const struct sigaction *old = &before[place_of(number)];
	const char *name = as_signal_name(number);
	(void)context;
	if (is_ours() && as_called_now().use && info->si_code != SI_USER) {
		line detail = {.len = 0};
		add(&detail, " (");
		add(&detail, name ? name : "signal");
		add(&detail, ")");
		detail.text[detail.len] = '\0';
		tell(" crashed", detail.text);
		if (!(old->sa_flags & SA_SIGINFO) && old->sa_handler == SIG_DFL) {
			_Exit(AS_EXIT_PLUGIN);
		}
	} else if (is_ours() && info->si_code != SI_USER) {
		tell_last(name);
	}
	(void)sigaction(number, old, NULL); /* what crashed does so again, and then as ever */
	if (info->si_code <= 0) {
		(void)raise(number); /* nobody would send it again */
	}
}

void as_endings_watch(const as_cli *cli)
{
	struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	running = cli;
	on_terminal = isatty(STDERR_FILENO);
	for (int i = 0; i < EXITS; i++) {
		(void)atexit(on_exit_within); /* where it cannot be had, an exit is silent */
		(void)at_quick_exit(on_exit_within);
	}
	(void)sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
		(void)sigaction(crashes[i], &action, &before[i]);
	}
}

void as_endings_over(void)
{
	running = NULL;
}
