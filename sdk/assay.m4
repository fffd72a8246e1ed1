# ASSAY_PLUGIN_SDK([ACTION-IF-FOUND], [ACTION-IF-NOT-FOUND])
# For a plugin that is built with autoconf: sets ASSAY_CFLAGS, ASSAY_PLUGINDIR (where assay looks for plugins of this ABI)
# and ASSAY_PROGRAM. Needs pkg.m4.
AC_DEFUN([ASSAY_PLUGIN_SDK], [
AC_REQUIRE([PKG_PROG_PKG_CONFIG])
PKG_CHECK_MODULES([ASSAY], [assay], [
  PKG_CHECK_VAR([ASSAY_PLUGINDIR], [assay], [plugindir])
  PKG_CHECK_VAR([ASSAY_PROGRAM], [assay], [assay])
  m4_default([$1], [:])
], [m4_default([$2], [AC_MSG_ERROR([assay.pc not found: install assay, or set PKG_CONFIG_PATH])])])
])
