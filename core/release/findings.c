#include "core/release/findings.h"

#include "core/base/error.h"
#include <stdio.h>

void as_finding(as_release_findings *f, const char *file, uint32_t line, const char *pointer, const char *format, ...)
{
	assay_error *e = f->n < AS_MAX_FINDINGS ? &f->list[f->n++] : NULL;
	va_list args;
	f->total++;
	if (!e) {
		return;
	}
	*e = (assay_error){0};
	va_start(args, format);
	as_failv(e, ASSAY_EDATA, format, args);
	va_end(args);
	as_error_where(e, file, line);
	if (pointer && pointer[0]) {
		as_error_pointer(e, "%s", pointer);
	}
}

int as_finding_of(as_release_findings *f, const char *file, uint32_t line, const char *prefix, const assay_error *found,
		  assay_error *err)
{
	char pointer[192];
	if (found->code == ASSAY_ENOMEM || found->code == ASSAY_ECANCELED || found->code == ASSAY_EIO ||
	    found->code == ASSAY_EINTERNAL) {
		if (err) {
			*err = *found;
		}
		return found->code;
	}
	snprintf(pointer, sizeof pointer, "%.64s%.120s", prefix ? prefix : "", found->pointer);
	as_finding(f, file, line, pointer, "%s", found->message);
	return 0;
}
