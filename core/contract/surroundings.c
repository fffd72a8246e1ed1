#include "core/contract/surroundings.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/contract/log.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void digest_environment(char out[65])
{
	as_buf all = {0};
	for (char **variable = environ; variable && *variable; variable++) {
		as_buf_add(&all, (assay_str){*variable, strlen(*variable) + 1});
	}
	as_sha256_hex(as_buf_str(&all), out);
	as_buf_free(&all);
}

static bool is_open(int fd, dev_t *device, ino_t *inode)
{
	struct stat st;
	if (fstat(fd, &st) != 0) {
		return false;
	}
	*device = st.st_dev;
	*inode = st.st_ino;
	return true;
}

void as_surroundings_note(as_surroundings *s)
{
	if (!getcwd(s->folder, sizeof s->folder)) {
		s->folder[0] = '\0';
	}
	digest_environment(s->environment);
	for (int fd = 0; fd < AS_SURROUNDINGS_FILES; fd++) {
		s->files[fd].open = is_open(fd, &s->files[fd].device, &s->files[fd].inode);
	}
}

static bool folder_changed(const as_surroundings *s, char *out, size_t size)
{
	char now[PATH_MAX];
	if (!s->folder[0] || (getcwd(now, sizeof now) && strcmp(now, s->folder) == 0)) {
		return false;
	}
	snprintf(out, size, "changes the working folder of the program");
	return chdir(s->folder) == 0; /* a folder that is gone is not its doing */
}

static bool environment_changed(as_surroundings *s, char *out, size_t size)
{
	char now[65];
	digest_environment(now);
	bool changed = strcmp(now, s->environment) != 0;
	memcpy(s->environment, now, sizeof now);
	snprintf(out, size, "changes the environment of the program (setenv, putenv or unsetenv)");
	return changed;
}

/* The log that a sanitizer opens when it has something to say is not the module's. */
static bool is_log(const char *file)
{
	return strstr(file, "/" AS_SANITIZER_LOG ".") != NULL;
}

static bool file_changed(as_surroundings *s, int fd, char *out, size_t size)
{
	char link[32], file[256];
	dev_t device = 0;
	ino_t inode = 0;
	bool before = s->files[fd].open, now = is_open(fd, &device, &inode);
	if (before == now && (!now || (device == s->files[fd].device && inode == s->files[fd].inode))) {
		return false;
	}
	s->files[fd].open = now;
	s->files[fd].device = device;
	s->files[fd].inode = inode;
	if (before) {
		snprintf(out, size, "closes a descriptor that is not its own (%d)", fd);
		return true;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, file, sizeof file - 1);
	file[n > 0 ? n : 0] = '\0';
	if (is_log(file)) {
		return false;
	}
	snprintf(out, size, "leaves a descriptor open (%d: %s)", fd, file);
	s->files[fd].open = false;
	return close(fd) == 0;
}

static bool child_left(as_surroundings *s, char *out, size_t size)
{
	pid_t pid = waitpid(-1, NULL, WNOHANG); /* 0: there is one that lives */
	if (pid < 0 || (pid == 0 && s->child)) {
		return false;
	}
	s->child = s->child || pid == 0;
	snprintf(out, size, "leaves a process behind that it has forked");
	return true;
}

bool as_surroundings_changed(as_surroundings *s, char *out, size_t size)
{
	if (folder_changed(s, out, size) || environment_changed(s, out, size)) {
		return true;
	}
	for (int fd = 0; fd < AS_SURROUNDINGS_FILES; fd++) {
		if (file_changed(s, fd, out, size)) {
			return true;
		}
	}
	return child_left(s, out, size);
}
