#include "core/base/secret.h"

#include "core/base/text.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- names -------------------------------------------------------------------------------------------------------- */

/* A name says that its value is a secret when one of its words is in the first list, or its last word ends like those
 * of the second (PGPASSWORD); but not when the last word is in the third, which makes it the name of something about
 * it. */
static const char *const secret_words[] = {"key",           "apikey",      "token",  "secret",      "password",
					   "passwd",        "pwd",         "pass",   "jwt",         "passphrase",
					   "credential",    "credentials", "auth",   "accesstoken", "pat",
					   "authorization", "cookie",      "bearer", "accountkey",  "sig",
					   "dsn",           "cred",        "creds",  "pin",         "passcode",
					   "mnemonic",      "psk",         NULL};
static const char *const secret_ends[] = {"password", "passwd", "secret", "token", "apikey", NULL};
static const char *const about_words[] = {"file",   "path",   "dir",      "folder",   "limit",   "count",
					  "name",   "type",   "url",      "id",       "env",     "var",
					  "stdin",  "mode",   "method",   "header",   "sha",     "hash",
					  "commit", "digest", "checksum", "revision", "version", NULL};

static bool is_among(assay_str word, const char *const *list)
{
	for (size_t i = 0; list[i]; i++) {
		if (as_str_is(word, list[i])) {
			return true;
		}
	}
	return false;
}

static bool ends_like(assay_str word, const char *const *list)
{
	for (size_t i = 0; list[i]; i++) {
		size_t n = strlen(list[i]);
		if (word.len > n && memcmp(word.ptr + word.len - n, list[i], n) == 0) {
			return true;
		}
	}
	return false;
}

/* *last: the last word of the name. */
static bool has_secret_word(assay_str words, assay_str *last)
{
	bool yes = false;
	*last = (assay_str){NULL, 0};
	for (size_t i = 0; i < words.len;) {
		size_t end = i;
		while (end < words.len && words.ptr[end] != ' ') {
			end++;
		}
		*last = (assay_str){words.ptr + i, end - i};
		yes = yes || is_among(*last, secret_words);
		i = end + 1;
	}
	return yes;
}

static bool is_about(assay_str name)
{
	as_buf words = {0};
	assay_str last;
	as_words(&words, name);
	has_secret_word(as_buf_str(&words), &last);
	bool yes = is_among(last, about_words);
	as_buf_free(&words);
	return yes;
}

bool as_secret_name(assay_str name)
{
	as_buf words = {0};
	assay_str last;
	as_words(&words, name);
	bool yes = has_secret_word(as_buf_str(&words), &last) && !is_among(last, about_words);
	yes = yes || ends_like(last, secret_ends);
	as_buf_free(&words);
	return yes;
}

assay_str as_secret_flag(assay_str argument)
{
	size_t from = 0;
	while (from < argument.len && argument.ptr[from] == '-') {
		from++;
	}
	return from > 0 && !memchr(argument.ptr, '=', argument.len) && !memchr(argument.ptr, ':', argument.len) &&
			       !memchr(argument.ptr, '$', argument.len)
		       ? (assay_str){argument.ptr + from, argument.len - from}
		       : (assay_str){NULL, 0};
}

/* --- looks -------------------------------------------------------------------------------------------------------- */

#define LEAST_MARKED 16 /* bytes of a word with a mark */
#define LEAST_RANDOM 20 /* and of one that is only random */
#define LEAST_SHORT 8   /* bytes of a key behind "-k" */

static const char *const header_flags[] = {"H", "header", "headers", NULL};
static const char *const schemes[] = {"Bearer ", "Basic ", "Token ", NULL};
static const char *const marks[] = {"sk-",    "sk_",   "ghp_",  "gho_", "ghs_",    "github_pat_",
				    "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza",    "hf_",
				    "npm_",   "pypi-", "eyJ",   "ntn_", "dop_v1_", NULL};

/* Length of a scheme that stays in front of a header's secret. */
static size_t scheme_length(assay_str s)
{
	for (size_t i = 0; schemes[i]; i++) {
		size_t n = strlen(schemes[i]);
		if (s.len > n && strncasecmp(s.ptr, schemes[i], n) == 0) {
			return n;
		}
	}
	return 0;
}

static int kind_of(char c)
{
	return isdigit((unsigned char)c) ? 1 : islower((unsigned char)c) ? 2 : isupper((unsigned char)c) ? 3 : 0;
}

/* Letters and digits without the order of words: the kind of character changes at every fourth or more often. */
static bool is_random(assay_str s)
{
	size_t changes = 0, kinds[4] = {0};
	int last = 0;
	for (size_t i = 0; i < s.len; i++) {
		int kind = kind_of(s.ptr[i]);
		kinds[kind]++;
		if (s.ptr[i] == '.') {
			return false;
		}
		changes += kind && last && kind != last;
		last = kind ? kind : last;
	}
	return s.len >= LEAST_RANDOM && kinds[1] > 0 && kinds[2] + kinds[3] > 0 && changes * 4 >= s.len;
}

static bool has_digit(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (isdigit((unsigned char)s.ptr[i])) {
			return true;
		}
	}
	return false;
}

static bool is_uuid(assay_str s)
{
	return s.len == 36 && s.ptr[8] == '-' && s.ptr[13] == '-' && s.ptr[18] == '-' && s.ptr[23] == '-';
}

static bool is_marked(assay_str s)
{
	for (size_t i = 0; marks[i]; i++) {
		if (s.len >= LEAST_MARKED && as_str_starts(s, as_str(marks[i]))) {
			return true;
		}
	}
	return false;
}

/* --- a text ------------------------------------------------------------------------------------------------------- */

static char at(const as_secret_scan *s, size_t i)
{
	return i < s->text.len ? s->text.ptr[i] : '\0';
}

static assay_str part(const as_secret_scan *s, size_t from, size_t to)
{
	return (assay_str){s->text.ptr + from, to - from};
}

static bool starts_at(const as_secret_scan *s, size_t i, const char *what)
{
	return i < s->text.len && as_str_starts(part(s, i, s->text.len), as_str(what));
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.+~", c));
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.", c));
}

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n", c);
}

/* What ends a value that no quote does; the second also where a text is over. */
static bool ends_value(const as_secret_scan *s, size_t i)
{
	char c = at(s, i);
	return i >= s->text.len || is_blank(c) || strchr(";&\"'`", c) || (c == '#' && s->url);
}

static size_t skip_slashes(const as_secret_scan *s, size_t i)
{
	while (at(s, i) == '\\') {
		i++;
	}
	return i;
}

/* A quote, also one with the backslashes that keep it from an outer one; its length. */
static size_t quote_at(const as_secret_scan *s, size_t i)
{
	size_t quote = skip_slashes(s, i);
	return at(s, quote) == '"' || at(s, quote) == '\'' ? quote + 1 - i : 0;
}

static size_t skip_blanks(const as_secret_scan *s, size_t i)
{
	while (is_blank(at(s, i))) {
		i++;
	}
	return i;
}

static size_t first_blank(const as_secret_scan *s)
{
	size_t i = 0;
	while (i < s->text.len && !is_blank(at(s, i))) {
		i++;
	}
	return i;
}

static bool is_header_name(assay_str name)
{
	static const char *const whole[] = {"authorization", "proxy-authorization", "cookie"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		if (name.len == strlen(whole[i]) && strncasecmp(name.ptr, whole[i], name.len) == 0) {
			return true;
		}
	}
	return name.len > 2 && strncasecmp(name.ptr, "x-", 2) == 0;
}

/* "-k V": a key, when V may be one. */
static bool is_short_key(assay_str name, assay_str value)
{
	return as_str_is(name, "k") && value.len >= LEAST_SHORT && has_digit(value) &&
	       !memchr(value.ptr, '/', value.len);
}

/* Where a value ends that begins at `from`, behind a quote with so many backslashes before it; the length of the text
 * when nothing closes it. A quote within the value has more of them: its own, and as often the one that escapes it. */
static size_t closing_at(const as_secret_scan *s, size_t from, char quote, size_t slashes)
{
	size_t run = 0;
	for (size_t i = from; i < s->text.len; i++) {
		if (at(s, i) == quote && run >= slashes && (run - slashes) / (slashes + 1) % 2 == 0) {
			return i - slashes;
		}
		run = at(s, i) == '\\' ? run + 1 : 0;
	}
	return s->text.len;
}

/* The value that begins at `from`: up to its closing quote, to the end of the text (whole), or to what ends it. */
static bool read_value(const as_secret_scan *s, size_t from, bool whole, as_secret *out)
{
	size_t quote = quote_at(s, from), start = from + quote, to;
	from = start + (start < s->text.len ? scheme_length(part(s, start, s->text.len)) : 0);
	out->from = out->to = from;
	/* What a shell puts there, or we, and what only begins a structure, is no literal. */
	if (strchr("${[", at(s, from))) {
		return false;
	}
	to = quote > 0 ? closing_at(s, from, at(s, start - 1), quote - 1) : from;
	while (quote == 0 && to < s->text.len && (whole || !ends_value(s, to))) {
		to++;
	}
	out->to = to;
	return to > from;
}

/* What binds a value to the name at [from, to): "=" or ":", or a blank behind a flag, or a comma between two texts of a
 * list; behind the quote of a member's name, too. *whole: the value has the rest of the text to itself. */
static bool read_join(const as_secret_scan *s, size_t from, size_t to, size_t *value, bool *whole)
{
	size_t quote = quote_at(s, to), sign = skip_blanks(s, to + quote), dashes = 0;
	bool apart = sign > to + quote;
	while (dashes < from && at(s, from - dashes - 1) == '-') {
		dashes++;
	}
	bool first = from == dashes;
	*value = skip_blanks(s, sign + 1);
	*whole = false;
	if (at(s, sign) == '=' && at(s, sign + 1) != '=') {
		*whole = first && (dashes > 0 || s->blank == s->text.len);
		*value = apart ? *value : sign + 1;
		return true;
	}
	if (at(s, sign) == ':' && !apart) {
		bool header = (first && is_among(s->key, header_flags)) ||
			      (from > 0 && from == s->value && is_among(s->before, header_flags));
		*whole = quote == 0 && s->blank >= from;
		return quote > 0 || header || dashes > 0 || is_blank(at(s, sign + 1)) ||
		       (first && is_header_name(part(s, from, to)));
	}
	if (at(s, sign) == ',' && dashes > 0 && quote > 0) {
		size_t next = quote_at(s, *value);
		return next > 0 && at(s, *value + next) != '-';
	}
	*value = sign;
	return dashes > 0 && quote == 0 && apart && sign < s->text.len && at(s, sign) != '-';
}

/* --- looks of a text's words -------------------------------------------------------------------------------------- */

static bool follows(const as_secret_scan *s, size_t i, const char *what)
{
	size_t n = strlen(what);
	return i >= n && strncasecmp(s->text.ptr + i - n, what, n) == 0;
}

static bool follows_scheme(const as_secret_scan *s, size_t i)
{
	for (size_t k = 0; schemes[k]; k++) {
		if (follows(s, i, schemes[k])) {
			return true;
		}
	}
	return false;
}

static bool looks_secret(const as_secret_scan *s, size_t from, size_t to)
{
	assay_str word = part(s, from, to);
	bool path = follows(s, from, "/");
	if (is_marked(word)) {
		return true;
	}
	if ((from == 0 && is_about(s->key)) || (from > 0 && from == s->value && is_about(s->before))) {
		return false;
	}
	if (is_uuid(word)) {
		return path && s->url;
	}
	if (follows_scheme(s, from) && word.len >= LEAST_MARKED && has_digit(word)) {
		return true;
	}
	return is_random(word) && !(path && !s->url) && !follows(s, from, "@") && !follows(s, from, "#") &&
	       !follows(s, from, "sha256:");
}

/* "user:password@", "token@" or "token:@" behind "://". A user alone is one where the web is spoken to, or when it is
 * long. */
static bool read_userinfo(const as_secret_scan *s, as_secret *out)
{
	size_t from = s->url, end = from, colon = SIZE_MAX, at_sign = SIZE_MAX;
	bool web = follows(s, from, "http://") || follows(s, from, "https://");
	for (; !ends_value(s, end) && !strchr("/?\\", at(s, end)); end++) {
		if (starts_at(s, end, "${")) {
			return false;
		}
		colon = at(s, end) == ':' && colon == SIZE_MAX ? end : colon;
		at_sign = at(s, end) == '@' ? end : at_sign;
	}
	if (at_sign == SIZE_MAX || at_sign == from) {
		return false;
	}
	colon = colon < at_sign ? colon : at_sign;
	*out = (as_secret){ASSAY_STR("password"), from, colon};
	if (colon > from && looks_secret(s, from, colon)) {
		out->to = at_sign;
		return true;
	}
	if (colon + 1 < at_sign) {
		out->from = colon + 1;
		out->to = at_sign;
		return true;
	}
	return colon > from && (web || colon - from >= LEAST_RANDOM);
}

/* --- flags of single commands ------------------------------------------------------------------------------------- */

/* Commands that have a password behind a flag of one letter: right behind it, or (apart) also as the next argument. */
static const struct taker {
	const char *command;
	char flag;
	bool apart;
} takers[] = {{"mysql", 'p', false},    {"mysqldump", 'p', false},    {"mysqladmin", 'p', false},
	      {"mariadb", 'p', false},  {"mariadb-dump", 'p', false}, {"sshpass", 'p', true},
	      {"mongosh", 'p', true},   {"mongo", 'p', true},         {"mongodump", 'p', true},
	      {"redis-cli", 'a', true}, {"ldapsearch", 'w', true},    {"curl", '\0', false},
	      {"docker", '\0', false},  {"podman", '\0', false}};
/* Behind these comes "user:password". */
static const char *const user_flags[] = {"u", "user", "U", "proxy-user", NULL};

static const struct taker *taker_of(assay_str command)
{
	for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
		if (as_str_is(command, takers[i].command)) {
			return &takers[i];
		}
	}
	return NULL;
}

static bool is_number(assay_str s)
{
	size_t n = 0;
	while (n < s.len && isdigit((unsigned char)s.ptr[n])) {
		n++;
	}
	return n == s.len;
}

/* "user:password" at [from, to): the password. Not "user:group" of containers, nor "1000:1000" and "host:80", which
 * other commands take there. */
static bool read_user(const as_secret_scan *s, size_t from, size_t to, as_secret *out)
{
	const char *colon = to > from ? memchr(s->text.ptr + from, ':', to - from) : NULL;
	size_t i = colon ? (size_t)(colon - s->text.ptr) : to;
	if (i + 1 >= to || i == from || starts_at(s, i, "://") || at(s, i + 1) == '$') {
		return false;
	}
	assay_str user = part(s, from, i), password = part(s, i + 1, to);
	if (as_str_eq(user, password) || as_str_is(s->command, "docker") || as_str_is(s->command, "podman") ||
	    (is_number(password) && password.len <= 5 && !as_str_is(s->command, "curl"))) {
		return false;
	}
	*out = (as_secret){ASSAY_STR("password"), i + 1, to};
	return true;
}

/* "-pPASSWORD" of a command that is not known: letters of both cases and digits, or more than that. */
static bool looks_password(assay_str s)
{
	size_t kinds[4] = {0};
	for (size_t i = 0; i < s.len; i++) {
		if (strchr("/:,=.", s.ptr[i])) {
			return false;
		}
		kinds[kind_of(s.ptr[i])]++;
	}
	return s.len >= 5 && kinds[1] > 0 && kinds[2] + kinds[3] > 0 && kinds[0] + kinds[3] > 0;
}

/* A flag of one letter at [from, to), with a password right behind it. */
static bool read_flag(const as_secret_scan *s, size_t from, as_secret *out)
{
	const struct taker *taker = taker_of(s->command);
	char letter = at(s, from + 1);
	size_t to = from + 2;
	bool known = taker && letter && taker->flag == letter;
	if (at(s, from) != '-' || (from > 0 && !is_blank(at(s, from - 1)) && !quote_at(s, from - 1)) ||
	    (!known && letter != 'p' && letter != 'u')) {
		return false;
	}
	while (!ends_value(s, to)) {
		to++;
	}
	if (letter == 'u') {
		return as_str_is(s->command, "curl") && read_user(s, from + 2, to, out);
	}
	if (quote_at(s, from + 2) > 0 ? from > 0 || known : known || looks_password(part(s, from + 2, to))) {
		out->name = ASSAY_STR("password");
		return at(s, from + 2) != '$' && read_value(s, from + 2, false, out);
	}
	return false;
}

/* --- looking through ---------------------------------------------------------------------------------------------- */

/* The whole text is the value of a secret's name. */
static bool is_whole(const as_secret_scan *s, as_secret *out)
{
	const struct taker *taker = taker_of(s->command);
	bool apart = taker && taker->apart && s->key.len == 1 && s->key.ptr[0] == taker->flag;
	if (is_among(s->key, user_flags) && read_user(s, 0, s->text.len, out)) {
		return true;
	}
	if (s->key.len == 0 || s->text.len == 0 || as_str_contains(s->text, ASSAY_STR("${")) ||
	    (!as_secret_name(s->key) && !is_short_key(s->key, s->text) && !apart)) {
		return false;
	}
	*out = (as_secret){apart ? ASSAY_STR("password") : s->key, scheme_length(s->text), s->text.len};
	return out->from < out->to;
}

/* A word at s->at, which is left behind. */
static bool take_word(as_secret_scan *s, as_secret *out)
{
	size_t from = s->at, to = from, name, end, value;
	bool whole;
	while (is_word_byte(at(s, to))) {
		to++;
	}
	s->at = to;
	if (taker_of(part(s, from, to))) {
		s->command = part(s, from, to);
	}
	if (read_flag(s, from, out)) {
		return true;
	}
	if (looks_secret(s, from, to)) {
		while (!ends_value(s, to) && !(s->url && strchr("/?", at(s, to)))) {
			to++;
		}
		bool first = from == 0 || from == scheme_length(s->text);
		*out = (as_secret){first && s->key.len > 0            ? s->key
				   : s->value > 0 && from == s->value ? s->before
								      : ASSAY_STR("secret"),
				   from, to};
		return true;
	}
	for (name = from; at(s, name) == '-'; name++) {
	}
	for (end = name; is_name_byte(at(s, end)); end++) {
	}
	if (end == name || !read_join(s, name, end, &value, &whole)) {
		return false;
	}
	s->at = end;
	s->before = part(s, name, end);
	s->value = value + quote_at(s, value);
	const struct taker *taker = taker_of(s->command);
	bool apart = taker && taker->apart && s->before.len == 1 && *s->before.ptr == taker->flag;
	bool secret = as_secret_name(s->before) || (apart && name > from);
	bool user = name > from && is_among(s->before, user_flags);
	if ((!secret && !user && !as_str_is(s->before, "k")) || (!secret && value < s->guessed) ||
	    !read_value(s, value, whole, out)) {
		return false;
	}
	s->guessed = out->to;
	if (user && read_user(s, out->from, out->to, out)) {
		return true;
	}
	out->name = apart ? ASSAY_STR("password") : s->before;
	return secret || (name == from + 1 && is_short_key(s->before, part(s, out->from, out->to)));
}

bool as_secret_next(as_secret_scan *s, as_secret *out)
{
	bool found = s->at == 0 && is_whole(s, out);
	s->blank = s->at == 0 ? first_blank(s) : s->blank;
	while (!found && s->at < s->text.len && !as_cancel_is_set(s->cancel)) {
		if (starts_at(s, s->at, "${")) {
			while (s->at < s->text.len && s->text.ptr[s->at++] != '}') {
			}
		} else if (starts_at(s, s->at, "://")) {
			s->url = s->at += 3;
			found = read_userinfo(s, out);
		} else if (is_word_byte(at(s, s->at))) {
			found = take_word(s, out);
		} else {
			size_t slashes = skip_slashes(s, s->at) - s->at; /* at once: there may be many */
			s->url = is_blank(at(s, s->at)) || quote_at(s, s->at) ? 0 : s->url;
			s->command = strchr(";|&\n", at(s, s->at)) ? (assay_str){NULL, 0} : s->command;
			s->at += slashes > 0 ? slashes : 1;
		}
	}
	if (found) {
		s->at = out->to;
	}
	return found;
}
