#include "core/store/schema.h"

#include <stddef.h>

/* What users may rely on are the views; tables may change with the schema version.
 *
 * v_tasks        a row per task: run, category, slot, task_id, certified, prompt
 * v_attempts     a row per try of an attempt: who, how, which task, how it ended, whether it is void
 * v_verdicts     a row per try and scorer: verdict with its bounds lo and hi; position is the scorer's place in the
 *                manifest, from 0, which tells two of one implementation apart
 * v_leaderboard  a row per run, condition, candidate and scorer over the attempts that are not void: rate_lo and
 *                rate_hi are the means of the bounds, tasks_passed counts tasks of which no attempt did anything but
 *                pass, void counts the tries that were left out, and pending those attempts that wait for a judge or
 *                a simulated reply, which are in the rates as in the tables: they may still fail or pass
 * v_funnel       a row per run and category: goal slots, and how many of them came how far
 * v_cost         a row per run, condition, candidate, purpose and model: requests, tokens, US dollars. The purpose is
 *                "attempt" (candidates, and judges of their attempts), "goalgen", "explorer", "distiller", "gates",
 *                "descriptions": all but the first are shared by the runs of a store, and name none
 * v_timing       a row per run and kind of work: count, total, mean and longest time in seconds
 *
 * Traces stand in a table of their own so that listing attempts does not read them. attempt_key is local to the file.
 * The times of the clock are in `timing` and nowhere else. */
static const char tables[] =
	"CREATE TABLE runs ("
	" run_id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, manifest TEXT NOT NULL,"
	" seed INTEGER NOT NULL, ordinal INTEGER NOT NULL UNIQUE) STRICT;"
	"CREATE TABLE parts ("
	" run_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,"
	" PRIMARY KEY (run_id, kind, name)) STRICT;"
	"CREATE TABLE goals ("
	" run_id TEXT NOT NULL, category TEXT NOT NULL, slot INTEGER NOT NULL, goal_id TEXT NOT NULL,"
	" body TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, trace_id TEXT NOT NULL, task_id TEXT NOT NULL,"
	" PRIMARY KEY (run_id, category, slot)) STRICT;"
	"CREATE TABLE documents ("
	" kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT;"
	"CREATE TABLE tasks ("
	" run_id TEXT NOT NULL, task_id TEXT NOT NULL, category TEXT NOT NULL, slot INTEGER NOT NULL,"
	" body TEXT NOT NULL, trace_id TEXT NOT NULL, tape_id TEXT NOT NULL, certified INTEGER NOT NULL,"
	" certificate TEXT NOT NULL, PRIMARY KEY (run_id, task_id), UNIQUE (run_id, category, slot)) STRICT;";

static const char attempt_tables[] =
	"CREATE TABLE attempts ("
	" attempt_key INTEGER PRIMARY KEY, run_id TEXT NOT NULL, attempt_id TEXT NOT NULL, try_number INTEGER NOT NULL,"
	" task_id TEXT NOT NULL, candidate TEXT NOT NULL, condition TEXT NOT NULL, repeat INTEGER NOT NULL,"
	" ended TEXT NOT NULL, end_class TEXT NOT NULL, voided INTEGER NOT NULL,"
	" UNIQUE (attempt_id, try_number, run_id)) STRICT;"
	"CREATE INDEX attempts_run ON attempts (run_id);"
	"CREATE TABLE attempt_traces (attempt_key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;"
	"CREATE TABLE verdicts ("
	" attempt_key INTEGER NOT NULL, position INTEGER NOT NULL, scorer TEXT NOT NULL, verdict TEXT NOT NULL,"
	" lo REAL NOT NULL, hi REAL NOT NULL, body TEXT NOT NULL,"
	" PRIMARY KEY (attempt_key, position)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE replies ("
	" attempt_id TEXT NOT NULL, try_number INTEGER NOT NULL, ordinal INTEGER NOT NULL, request_hash TEXT NOT NULL,"
	" model TEXT NOT NULL, request TEXT NOT NULL, body TEXT NOT NULL, prompt_tokens INTEGER NOT NULL,"
	" completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,"
	" usd REAL NOT NULL, PRIMARY KEY (attempt_id, try_number, ordinal, request_hash)) STRICT;"
	"CREATE TABLE timing ("
	" run_id TEXT NOT NULL, subject TEXT NOT NULL, what TEXT NOT NULL, start_us INTEGER NOT NULL,"
	" length_us INTEGER NOT NULL) STRICT;";

static const char views[] =
	"CREATE VIEW v_tasks AS SELECT t.run_id, r.name AS run, t.category, t.slot, t.task_id, t.certified,"
	" CASE WHEN json_valid(t.body) THEN json_extract(t.body, '$.prompt') END AS prompt, t.trace_id, t.tape_id"
	" FROM tasks t LEFT JOIN runs r USING (run_id);"
	"CREATE VIEW v_attempts AS SELECT a.run_id, a.condition, a.candidate, t.category, t.slot, a.task_id, a.repeat,"
	" a.try_number, a.attempt_id, a.ended, a.end_class, a.voided AS void"
	" FROM attempts a LEFT JOIN tasks t USING (run_id, task_id);"
	"CREATE VIEW v_verdicts AS SELECT a.run_id, a.condition, a.candidate, t.category, t.slot, a.task_id, a.repeat,"
	" a.try_number, a.attempt_id, a.ended, a.voided AS void, v.scorer, v.position, v.verdict, v.lo, v.hi, v.body"
	" FROM attempts a JOIN verdicts v USING (attempt_key) LEFT JOIN tasks t USING (run_id, task_id);"
	"CREATE VIEW v_leaderboard AS WITH tries AS ("
	" SELECT attempt_key, run_id, condition, candidate, task_id, ended, voided, voided"
	" AND ended IN ('judge_unreachable', 'simulator_unreachable') AND try_number = max(try_number) OVER"
	" (PARTITION BY run_id, attempt_id) AS pending FROM attempts), by_task AS ("
	" SELECT a.run_id, a.condition, a.candidate, v.scorer, v.position, a.task_id,"
	" count(*) FILTER (WHERE NOT a.voided OR a.pending) AS attempts,"
	" count(*) FILTER (WHERE (NOT a.voided OR a.pending) AND v.verdict = 'pass'"
	" AND NOT (a.pending AND a.ended = 'simulator_unreachable')) AS passed,"
	" total(CASE WHEN a.pending AND a.ended = 'simulator_unreachable' THEN 0 ELSE v.lo END) FILTER (WHERE NOT a.voided OR a.pending) AS lo,"
	" total(CASE WHEN a.pending AND a.ended = 'simulator_unreachable' THEN 1 ELSE v.hi END)"
	" FILTER (WHERE NOT a.voided OR a.pending) AS hi,"
	" count(*) FILTER (WHERE a.voided AND NOT a.pending) AS voids, count(*) FILTER (WHERE a.pending) AS pending"
	" FROM tries a JOIN verdicts v USING (attempt_key) GROUP BY 1, 2, 3, 4, 5, 6)"
	" SELECT run_id, condition, candidate, scorer, position, count(*) FILTER (WHERE attempts > 0) AS tasks,"
	" count(*) FILTER (WHERE attempts > 0 AND passed = attempts) AS tasks_passed, sum(attempts) AS attempts,"
	" sum(passed) AS passed, sum(lo) / nullif(sum(attempts), 0) AS rate_lo,"
	" sum(hi) / nullif(sum(attempts), 0) AS rate_hi, sum(voids) AS void, sum(pending) AS pending"
	" FROM by_task GROUP BY 1, 2, 3, 4, 5 ORDER BY run_id, condition, position, rate_lo DESC, candidate;"
	"CREATE VIEW v_funnel AS SELECT run_id, category, count(*) AS slots,"
	" count(*) FILTER (WHERE state <> 'empty') AS written,"
	" count(*) FILTER (WHERE state NOT IN ('empty', 'written', 'unexplored') AND trace_id <> '') AS explored,"
	" count(*) FILTER (WHERE task_id <> '') AS distilled, count(*) FILTER (WHERE state = 'certified') AS certified,"
	" count(*) FILTER (WHERE state = 'rejected') AS rejected, count(*) FILTER (WHERE state = 'surplus') AS surplus"
	" FROM goals GROUP BY run_id, category ORDER BY run_id, category;"
	"CREATE VIEW v_cost AS SELECT coalesce(a.run_id, '') AS run_id, coalesce(a.condition, '') AS condition,"
	" coalesce(a.candidate, '') AS candidate, CASE WHEN a.attempt_key IS NOT NULL THEN 'attempt'"
	" WHEN p.attempt_id LIKE 'describe:%' THEN 'descriptions' WHEN p.attempt_id NOT LIKE 'goal/%' THEN 'gates'"
	" WHEN p.try_number = 1 THEN 'goalgen' WHEN p.try_number = 2 THEN 'explorer' ELSE 'distiller' END AS purpose,"
	" p.model, count(*) AS requests,"
	" sum(p.prompt_tokens) AS prompt_tokens, sum(p.completion_tokens) AS completion_tokens,"
	" sum(p.cached_tokens) AS cached_tokens, sum(p.reasoning_tokens) AS reasoning_tokens, total(p.usd) AS usd"
	" FROM replies p LEFT JOIN attempts a USING (attempt_id, try_number)"
	" GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;"
	"CREATE VIEW v_timing AS SELECT run_id, what, count(*) AS count, total(length_us) / 1e6 AS total_s,"
	" avg(length_us) / 1e6 AS mean_s, max(length_us) / 1e6 AS max_s"
	" FROM timing GROUP BY run_id, what ORDER BY run_id, what;";

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
static const char marks[] = "PRAGMA application_id = " TEXT(AS_STORE_APPLICATION_ID) "; PRAGMA user_version = " TEXT(
	AS_STORE_SCHEMA_VERSION) ";";

const char *const as_store_schema[] = {tables, attempt_tables, views, marks, NULL};

const char *const as_store_statements[AS_SQL_COUNT] = {
	[AS_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[AS_SQL_COMMIT] = "COMMIT",
	[AS_SQL_ROLLBACK] = "ROLLBACK",
	[AS_SQL_PUT_RUN] = "INSERT INTO runs (run_id, name, version, manifest, seed, ordinal)"
			   " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(ordinal), 0) + 1 FROM runs))"
			   " ON CONFLICT (run_id) DO UPDATE SET name = excluded.name, version = excluded.version,"
			   " manifest = excluded.manifest, seed = excluded.seed, ordinal = excluded.ordinal",
	[AS_SQL_RUNS] = "SELECT run_id, name, version, manifest, seed, ordinal FROM runs ORDER BY ordinal DESC",
	[AS_SQL_PUT_PART] = "INSERT INTO parts (run_id, kind, name, body) VALUES (?, ?, ?, ?)"
			    " ON CONFLICT (run_id, kind, name) DO UPDATE SET body = excluded.body",
	[AS_SQL_PARTS] = "SELECT name, body FROM parts WHERE run_id = ? AND kind = ? ORDER BY name",
	[AS_SQL_PUT_GOAL] = "INSERT OR REPLACE INTO goals"
			    " (run_id, category, slot, goal_id, body, state, reason, trace_id, task_id)"
			    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[AS_SQL_GOALS] = "SELECT category, slot, goal_id, body, state, reason, trace_id, task_id FROM goals"
			 " WHERE run_id = ? ORDER BY category, slot",
	[AS_SQL_PUT_DOCUMENT] = "INSERT INTO documents (kind, id, body) VALUES (?, ?, ?)"
				" ON CONFLICT (kind, id) DO NOTHING",
	[AS_SQL_REPLACE_DOCUMENT] = "INSERT INTO documents (kind, id, body) VALUES (?, ?, ?)"
				    " ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body",
	[AS_SQL_GET_DOCUMENT] = "SELECT body FROM documents WHERE kind = ? AND id = ?",
	[AS_SQL_CLEAR_SLOT] = "DELETE FROM tasks WHERE run_id = ? AND category = ? AND slot = ? AND task_id <> ?",
	[AS_SQL_PUT_TASK] = "INSERT INTO tasks"
			    " (run_id, task_id, category, slot, body, trace_id, tape_id, certified, certificate)"
			    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
			    " ON CONFLICT (run_id, task_id) DO UPDATE SET category = excluded.category,"
			    " slot = excluded.slot, body = excluded.body, trace_id = excluded.trace_id,"
			    " tape_id = excluded.tape_id, certified = excluded.certified,"
			    " certificate = excluded.certificate",
	[AS_SQL_TASKS] = "SELECT task_id, category, slot, body, trace_id, tape_id, certified, certificate FROM tasks"
			 " WHERE run_id = ? AND certified >= ? ORDER BY category, slot",
	[AS_SQL_PUT_ATTEMPT] = "INSERT INTO attempts (run_id, attempt_id, try_number, task_id, candidate, condition,"
			       " repeat, ended, end_class, voided) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
			       " ON CONFLICT (attempt_id, try_number, run_id) DO UPDATE SET task_id = excluded.task_id,"
			       " candidate = excluded.candidate, condition = excluded.condition,"
			       " repeat = excluded.repeat, ended = excluded.ended, end_class = excluded.end_class,"
			       " voided = excluded.voided RETURNING attempt_key",
	[AS_SQL_PUT_TRACE] = "INSERT OR REPLACE INTO attempt_traces (attempt_key, body) VALUES (?, ?)",
	[AS_SQL_GET_TRACE] = "SELECT body FROM attempt_traces WHERE attempt_key = ?",
	[AS_SQL_ATTEMPTS] = "SELECT a.attempt_key, a.attempt_id, a.try_number, a.task_id, a.candidate, a.condition,"
			    " a.repeat, a.ended, a.end_class, a.voided"
			    " FROM attempts a LEFT JOIN tasks t USING (run_id, task_id) WHERE a.run_id = ?"
			    " ORDER BY a.condition, a.candidate, t.category, t.slot, a.task_id, a.repeat, a.try_number,"
			    " a.attempt_id",
	[AS_SQL_NEXT_ATTEMPT] = "SELECT attempt_key, attempt_id, try_number, task_id, candidate, condition,"
				" repeat, ended, end_class, voided FROM attempts"
				/* The plus keeps SQLite from sorting all attempts of the run for each. */
				" WHERE +run_id = ? AND (attempt_id, try_number) > (?, ?)"
				" ORDER BY attempt_id, try_number LIMIT 1",
	[AS_SQL_FIND_ATTEMPT] = "SELECT attempt_key FROM attempts WHERE attempt_id = ? AND try_number = ?",
	[AS_SQL_CLEAR_VERDICTS] = "DELETE FROM verdicts WHERE attempt_key = ?",
	[AS_SQL_PUT_VERDICT] = "INSERT INTO verdicts (attempt_key, position, scorer, verdict, lo, hi, body)"
			       " VALUES (?, ?, ?, ?, ?, ?, ?)",
	[AS_SQL_VERDICTS] =
		"SELECT scorer, verdict, lo, hi, body FROM verdicts WHERE attempt_key = ? ORDER BY position",
	[AS_SQL_PUT_REPLY] = "INSERT OR REPLACE INTO replies (attempt_id, try_number, ordinal, request_hash, model,"
			     " request, body, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, usd)"
			     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[AS_SQL_GET_REPLY] = "SELECT body FROM replies"
			     " WHERE attempt_id = ? AND try_number = ? AND ordinal = ? AND request_hash = ?",
	[AS_SQL_SPENT] = "SELECT total(usd) FROM replies",
	[AS_SQL_PUT_TIMING] = "INSERT INTO timing (run_id, subject, what, start_us, length_us) VALUES (?, ?, ?, ?, ?)",
	[AS_SQL_TIMINGS] = "SELECT what, count(*), CAST(total(length_us) AS INTEGER), max(length_us) FROM timing"
			   " WHERE run_id = ? GROUP BY what ORDER BY what",
};
