dnl ASSAY_SANITIZERS: --enable-sanitizers[=address,undefined] builds everything with them.
AC_DEFUN([ASSAY_SANITIZERS], [
AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
	[build with sanitizers (default list: address,undefined)])], [], [enable_sanitizers=no])
AS_CASE([$enable_sanitizers],
	[no], [assay_sanitizers=none; SAN_CFLAGS=],
	[yes], [assay_sanitizers=address,undefined],
	[assay_sanitizers=$enable_sanitizers])
AS_IF([test "$assay_sanitizers" != none],
	[SAN_CFLAGS="-fsanitize=$assay_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer -g"])
AM_CONDITIONAL([SANITIZERS], [test "$assay_sanitizers" != none])
AC_SUBST([SAN_CFLAGS])
])

dnl ASSAY_FUZZING: --enable-fuzzing links the fuzz targets with libFuzzer (clang); else they replay their corpora.
AC_DEFUN([ASSAY_FUZZING], [
AC_ARG_ENABLE([fuzzing], [AS_HELP_STRING([--enable-fuzzing], [link fuzz targets with libFuzzer (needs clang)])],
	[], [enable_fuzzing=no])
AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" = xyes])
AS_IF([test "x$enable_fuzzing" = xyes], [SAN_CFLAGS="$SAN_CFLAGS -fsanitize=fuzzer-no-link"])
])
