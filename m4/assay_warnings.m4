dnl ASSAY_WARNINGS: the warnings that the tree is clean under; --enable-werror makes them errors.
AC_DEFUN([ASSAY_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
	[], [enable_werror=no])
WARN_CFLAGS="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings"
WARN_CFLAGS="$WARN_CFLAGS -Wformat=2 -Wundef -Wvla"
AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
assay_warnings="errors: $enable_werror"
AC_SUBST([WARN_CFLAGS])
])
