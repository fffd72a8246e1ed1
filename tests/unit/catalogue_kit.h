/* A catalogue for tests: a server of notes that can be changed, another one in the same group, and one that only reads.
 */
#ifndef TESTS_CATALOGUE_KIT_H
#define TESTS_CATALOGUE_KIT_H

#include "core/task/catalogue.h"
#include "tests/unit/model_kit.h"

#define KIT_RECORDS                                                                                                           \
	"[{'server_id':'notes','class':'stateful_write','group':'desk','tags':['text','files'],"                              \
	"'effects':{'save':'write','peek':'read'},'fingerprint':{'server_id':'notes','server_name':'Notes'},"                 \
	"'tools':[{'name':'save','description':'Save a note','inputSchema':{'type':'object'}},"                               \
	"{'name':'read_note','outputSchema':{'type':'object'}},{'name':'peek'},{'name':'poke'},"                              \
	"{'name':'look','annotations':{'readOnlyHint':true}},{'name':'delete_note'},{'name':'save','description':'twice'}]}," \
	"{'server_id':'index','class':'stateful_write','group':'desk','tags':['text'],"                                       \
	"'tools':[{'name':'search_notes'},{'name':'rebuild'}]},"                                                              \
	"{'server_id':'almanac','class':'live_read','tools':[{'name':'set_day'},{'name':'search_notes'}]}]"

static inline as_catalogue *kit_catalogue(void)
{
	assay_error err = {0};
	as_catalogue *c = NULL;
	ck_ok(as_catalogue_new(json(KIT_RECORDS), &c, &err));
	return c;
}

#endif
