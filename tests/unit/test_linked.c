/* A --disable-shared build: modules and services are part of the program. */
#include "tests/unit/plugin_dirs.h"
#include "tests/unit/unit.h"

START_TEST(test_linked_plugins)
{
	assay_error err = {0};
	assay_json *all = NULL;
	const as_impl_info *info = NULL;
	char digest[65];
	as_registry *r = registry_over(NULL);
	ck_ok(as_registry_survey(r, 0, &all, &err));
	ck_assert_uint_ge(as_json_count(all), 1);
	for (const assay_json *m = as_json_first(all); m; m = as_json_next(m)) {
		ck_assert_str_eq(as_json_cstr(as_json_get(m, "state"), ""), "ok");
		ck_assert_str_eq(as_json_cstr(as_json_get(m, "file"), "none"), "");
	}
	as_json_free(all);
	ck_ok(as_registry_find(r, "transport/stdio", 0, &info, &err));
	ck_assert_str_eq(info->module, "transport_stdio");
	ck_assert_str_eq(info->path, "");
	const assay_str parts[] = {ASSAY_STR("transport_stdio"), as_str(info->version)};
	as_hash_parts("plugin", parts, 2, digest);
	ck_assert_str_eq(info->digest, digest);
	as_registry_free(r);
}
END_TEST

/* A file of the same name comes first; a folder adds to what is linked in. */
START_TEST(test_files_first)
{
	assay_error err = {0};
	const as_impl_info *info = NULL;
	char *dir = temp_dir();
	put_file(dir, "transport_stdio.so",
		 ASSAY_STR("no shared object at all, but long enough to have a head, if it were one"));
	copy_file(GOOD_DIR "/good.so", dir, "good.so");
	as_registry *r = registry_over(dir);
	ck_assert_int_eq(as_registry_find(r, "transport/stdio", 0, &info, &err), ASSAY_EPLUGIN);
	ck_assert_str_eq(err.where, in_dir(dir, "transport_stdio.so"));
	as_error_clear(&err);
	ck_ok(as_registry_find(r, "scorer/good", 0, &info, &err));
	as_registry_free(r);
	drop_dir(dir);
}
END_TEST

START_TEST(test_linked_services)
{
	assay_error err = {0};
	const as_http_ops *http = NULL;
	const as_archive_ops *archive = NULL;
	as_registry *r = registry_over(NULL);
	ck_ok(as_service_http(r, &http, &err));
	ck_assert_uint_eq(http->size, sizeof *http);
	ck_ok(as_service_archive(r, &archive, &err));
	ck_assert_uint_eq(archive->size, sizeof *archive);
	as_registry_free(r);
}
END_TEST

UNIT_SUITE(linked_suite, "linked", test_linked_plugins, test_files_first, test_linked_services)
UNIT_MAIN(linked_suite)
