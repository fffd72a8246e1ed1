/* Opening, checking and closing a store. */
#include "core/store/store.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Asked beforehand because SQLite, refused, tries to open for reading and then knows only that there is no file. */
static int check_folder(const char *path, assay_error *err)
{
	const assay_str folder = as_path_dir(as_str(path));
	char *name = as_strndup(folder);
	int rc = 0;
	if (!name) {
		return as_fail_memory(err);
	}
	if (access(name, W_OK | X_OK) != 0) {
		rc = as_fail_errno(err, errno, path, "create the store");
	}
	free(name);
	return rc;
}

/* Looks without opening: closing a descriptor of our own would drop the record locks that SQLite holds on the file. */
static int check_path(const char *path, uint32_t flags, assay_error *err)
{
	struct stat st;
	int rc = 0;
	if (stat(path, &st) != 0) {
		if (errno == ENOENT && (flags & AS_STORE_CREATE)) {
			return check_folder(path, err);
		}
		rc = as_fail_errno(err, errno, path, "open the store");
		if (rc == ASSAY_ENOENT) {
			as_error_hint(err, "give the path of a store; a run makes one");
		}
		return rc;
	}
	if (S_ISDIR(st.st_mode)) {
		rc = as_fail(err, ASSAY_EDATA, "not an Assay store: a folder, expected a file");
	} else if (!S_ISREG(st.st_mode)) {
		rc = as_fail(err, ASSAY_EDATA, "not an Assay store: no regular file");
	} else if (st.st_size == 0 && !(flags & AS_STORE_CREATE)) {
		rc = as_fail(err, ASSAY_EDATA, "not an Assay store: the file is empty");
	}
	if (rc != 0) { /* else the place would be that of whatever goes wrong next */
		as_error_where(err, path, 0);
	}
	return rc;
}

/* SQLite gives some names a meaning (":memory:", "file:..."); as an escaped URI every path is only a path. */
static int make_uri(const char *path, bool immutable, as_buf *uri, assay_error *err)
{
	as_buf_puts(uri, path[0] == '/' ? "file://" : "file:./");
	for (const char *p = path; *p; p++) {
		if (*p == '%' || *p == '?' || *p == '#' || (unsigned char)*p <= ' ') {
			as_buf_printf(uri, "%%%02X", (unsigned)(unsigned char)*p);
		} else {
			as_buf_byte(uri, *p);
		}
	}
	as_buf_puts(uri, immutable ? "?immutable=1" : "");
	return as_buf_check(uri, err);
}

/* The file may come from anywhere: nothing in its schema may run code, and no value may be larger than ours. */
static int harden(as_store *s, assay_error *err)
{
	static const char pragmas[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
				      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;"
				      "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -2000;";
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, AS_STORE_BUSY_MS);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, (int)AS_STORE_MAX_BODY + (1 << 20));
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	int rc = sqlite3_exec(s->db, pragmas, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : as_store_fail(s, rc, "open the store", err);
}

static int connect(as_store *s, bool immutable, assay_error *err)
{
	int mode = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	as_buf uri = {0};
	int rc = make_uri(s->path, immutable, &uri, err);
	if (s->flags & AS_STORE_READ_ONLY) {
		mode |= SQLITE_OPEN_READONLY;
	} else {
		mode |= SQLITE_OPEN_READWRITE | (s->flags & AS_STORE_CREATE ? SQLITE_OPEN_CREATE : 0);
	}
	if (rc == 0) {
		int code = sqlite3_open_v2(uri.ptr, &s->db, mode, NULL);
		if (!s->db) {
			rc = as_fail_memory(err);
		} else if (code != SQLITE_OK) {
			rc = as_store_fail(s, code, s->flags & AS_STORE_CREATE ? "create the store" : "open the store",
					   err);
		}
	}
	as_buf_free(&uri);
	return rc == 0 ? harden(s, err) : rc;
}

/* The first column of the first row of a statement that is run once, cut to the size of answer. */
static int ask(as_store *s, const char *sql, char answer[24], assay_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
	answer[0] = '\0';
	if (rc == SQLITE_OK) {
		rc = sqlite3_step(stmt);
	}
	if (rc == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);
		snprintf(answer, 24, "%s", text ? text : "");
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? 0 : as_store_fail(s, rc, "open the store", err);
}

static int ask_number(as_store *s, const char *sql, long long *number, assay_error *err)
{
	char answer[24];
	int rc = ask(s, sql, answer, err);
	*number = strtoll(answer, NULL, 10);
	return rc;
}

/* 1: a store of ours, 0: an empty database, or negative. */
static int identify(as_store *s, assay_error *err)
{
	long long application = 0, version = 0, objects = 0;
	int rc = ask_number(s, "PRAGMA application_id", &application, err);
	if (rc == 0) {
		rc = ask_number(s, "PRAGMA user_version", &version, err);
	}
	if (rc == 0) {
		rc = ask_number(s, "SELECT count(*) FROM sqlite_schema", &objects, err);
	}
	if (rc != 0) {
		return rc;
	}
	if (application == AS_STORE_APPLICATION_ID && version > AS_STORE_SCHEMA_VERSION) {
		rc = as_fail(err, ASSAY_EDATA, "the store has schema %lld, this program knows schemas up to %d",
			     version, AS_STORE_SCHEMA_VERSION);
		as_error_hint(err, "use the newer assay that wrote it");
	} else if (application == AS_STORE_APPLICATION_ID && version > 0 && version < AS_STORE_SCHEMA_VERSION) {
		rc = as_fail(err, ASSAY_EDATA, "the store has schema %lld, this program makes schema %d", version,
			     AS_STORE_SCHEMA_VERSION);
		as_error_hint(err, "move it away and run again, or use the older assay that wrote it");
	} else if (application == AS_STORE_APPLICATION_ID && version < 1) {
		rc = as_fail(err, ASSAY_EDATA, "the store is damaged: schema %lld", version);
	} else if (application == AS_STORE_APPLICATION_ID) {
		return 1;
	} else if (application != 0 || version != 0 || objects != 0) {
		rc = as_fail(err, ASSAY_EDATA, "not an Assay store: a SQLite database of another program");
	}
	if (rc != 0) {
		as_error_where(err, s->path, 0);
	}
	return rc;
}

/* The three answers are of one moment, or a store that another process is just making looks like a stranger's. */
static int identify_at_once(as_store *s, assay_error *err)
{
	int code = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	int rc = code == SQLITE_OK ? identify(s, err) : as_store_fail(s, code, "open the store", err);
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
	return rc;
}

/* In one transaction and looked at again inside it, as another process may be creating the same file. */
static int create_schema(as_store *s, assay_error *err)
{
	int rc = as_store_begin(s, err);
	if (rc != 0) {
		return rc;
	}
	rc = identify(s, err);
	if (rc == 0) {
		for (size_t i = 0; as_store_schema[i] && rc == 0; i++) {
			int code = sqlite3_exec(s->db, as_store_schema[i], NULL, NULL, NULL);
			rc = code == SQLITE_OK ? 0 : as_store_fail(s, code, "create the store", err);
		}
	}
	return as_store_end(s, rc > 0 ? 0 : rc, err);
}

/* SQLite does not wait for others here: it answers at once that the file is busy. */
static int use_wal(as_store *s, char mode[24], assay_error *err)
{
	int64_t deadline = as_deadline(AS_STORE_BUSY_MS);
	int rc;
	while ((rc = ask(s, "PRAGMA journal_mode = WAL", mode, err)) == ASSAY_EAGAIN && as_remaining(deadline) > 0) {
		as_error_clear(err);
		sqlite3_sleep(5);
	}
	return rc;
}

static int set_up(as_store *s, assay_error *err)
{
	char mode[24];
	/* SQLite falls back to reading by itself. */
	if (!(s->flags & AS_STORE_READ_ONLY) && sqlite3_db_readonly(s->db, "main") == 1) {
		return as_store_fail(s, SQLITE_READONLY, "write the store", err);
	}
	int rc = identify_at_once(s, err);
	if (rc == 0 && !(s->flags & AS_STORE_CREATE)) {
		as_fail(err, ASSAY_EDATA, "not an Assay store: an empty database");
		as_error_where(err, s->path, 0);
		return ASSAY_EDATA;
	}
	if (rc == 0) {
		rc = create_schema(s, err);
	}
	if (rc < 0 || (s->flags & AS_STORE_READ_ONLY)) {
		return rc < 0 ? rc : 0;
	}
	rc = use_wal(s, mode, err);
	if (rc == 0 && strcmp(mode, "wal") != 0) {
		rc = as_fail(err, ASSAY_EIO,
			     "cannot open the store: its file system has no shared memory for SQLite's WAL");
		as_error_hint(err, "put the store on a local disk");
		as_error_where(err, s->path, 0);
	}
	return rc;
}

/* A closed store in a folder that is not writable: no file can be made beside it, and none is needed. */
static bool can_be_immutable(const as_store *s)
{
	as_buf wal = {0};
	struct stat st;
	as_buf_puts(&wal, s->path);
	as_buf_puts(&wal, "-wal");
	bool quiet = !wal.failed && (stat(wal.ptr, &st) != 0 ? errno == ENOENT : st.st_size == 0);
	as_buf_free(&wal);
	return quiet;
}

static int open_file(as_store *s, assay_error *err)
{
	assay_error first = {0};
	int rc = connect(s, false, &first);
	if (rc == 0) {
		rc = set_up(s, &first);
	}
	if (rc == ASSAY_EIO && (s->flags & AS_STORE_READ_ONLY) && can_be_immutable(s)) {
		sqlite3_close(s->db);
		s->db = NULL;
		as_error_clear(&first);
		rc = connect(s, true, &first);
		if (rc == 0) {
			rc = set_up(s, &first);
		}
	}
	if (rc != 0 && err && err->code == 0) {
		*err = first;
	}
	return rc;
}

int as_store_open(const char *path, uint32_t flags, as_store **out, assay_error *err)
{
	pthread_mutexattr_t attr;
	*out = NULL;
	if (!path || !path[0]) {
		return as_fail(err, ASSAY_EINVAL, "no path of a store given");
	}
	if ((flags & AS_STORE_CREATE) && (flags & AS_STORE_READ_ONLY)) {
		return as_fail(err, ASSAY_EINVAL, "a store cannot be created for reading only");
	}
	int rc = check_path(path, flags, err);
	if (rc != 0) {
		return rc;
	}
	as_store *s = as_new(1, sizeof *s);
	if (!s) {
		return as_fail_memory(err);
	}
	s->lock_fd = -1;
	s->flags = flags;
	s->path = as_strdup(path);
	if (pthread_mutexattr_init(&attr) == 0) {
		s->has_mutex = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
			       pthread_mutex_init(&s->mutex, &attr) == 0;
		pthread_mutexattr_destroy(&attr);
	}
	rc = s->path && s->has_mutex ? open_file(s, err) : as_fail_memory(err);
	if (rc != 0) {
		as_store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void as_store_close(as_store *s)
{
	if (!s) {
		return;
	}
	for (size_t i = 0; i < AS_SQL_COUNT; i++) {
		sqlite3_finalize(s->statements[i]);
	}
	sqlite3_close(s->db);
	as_store_unlock(s);
	if (s->has_mutex) {
		pthread_mutex_destroy(&s->mutex);
	}
	free(s->path);
	free(s);
}
