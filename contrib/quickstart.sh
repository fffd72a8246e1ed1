#!/bin/sh
# Install what is missing, build Assay, and make a benchmark out of the demo servers. Everything lands below the clone:
# _build (objects), _install (the program), _demo (the benchmark). A second run goes on where the first one stopped.
set -e
cd "$(dirname "$0")/.."
root=$PWD
LOGS=$root/_build/logs
mkdir -p "$LOGS"
. contrib/packages.sh

# quietly WHAT COMMAND...: run it, and show what it printed only when it fails.
quietly() {
	what=$1
	shift
	if ! "$@" >"$LOGS/$what.log" 2>&1 </dev/null; then
		tail -n 40 "$LOGS/$what.log" >&2
		echo "quickstart.sh: $what failed; all of its output: $LOGS/$what.log" >&2
		exit 1
	fi
}

install_missing $BUILD_PACKAGES
jobs=$(nproc 2>/dev/null || echo 2)
[ -x configure ] || quietly autogen ./autogen.sh
mkdir -p _build/quick
cd _build/quick
[ -f Makefile ] || quietly configure ../../configure -q --prefix="$root/_install"
echo "building (some minutes the first time)"
quietly make make -j"$jobs"
quietly install make install
cd "$root"

PATH=$root/_install/bin:$PATH
export PATH
[ -f _demo/assay.json ] || assay init _demo
cd _demo
assay run
cat <<END

All of this lies in $root:
  _install/bin/assay     the program (add _install/bin to PATH)
  _demo/assay.json       the manifest of this benchmark
  _demo/assay.db         the store: goals, traces, tasks, attempts, verdicts
END
for file in report*; do [ ! -e "$file" ] || printf '  %-22s the report\n' "_demo/$file"; done
for file in *.tar.*; do [ ! -e "$file" ] || printf '  %-22s the release\n' "_demo/$file"; done
echo 'Next: cd _demo && assay servers check; assay --help'
