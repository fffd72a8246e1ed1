#!/bin/sh
# Install what the tests need, build in every way that is supported, run every test. Ends with "N passed, N failed".
#   sh contrib/check.sh            what every change must pass
#   sh contrib/check.sh --full     the long tests too: valgrind, distcheck, fuzzing, many kills, the benchmark
#   sh contrib/check.sh STAGE...   only these stages
# Each stage has a log in _build/logs; _build/cache keeps what came from package registries.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$root/_build
LOGS=$build/logs
mkdir -p "$LOGS" "$build/cache"
. contrib/packages.sh

STAGES="gcc clang static lint conformance peers life faults kill"
full=no
kills=20
[ "$1" != --full ] || { full=yes kills=200; shift; }
[ $full = no ] || STAGES="$STAGES valgrind distcheck fuzz bench"
case $1 in -*) echo "check.sh: unknown option $1 (--full, or names of stages: $STAGES)" >&2; exit 2 ;; esac
[ $# -eq 0 ] || STAGES=$*

install_missing $BUILD_PACKAGES $TEST_PACKAGES
jobs=$(nproc 2>/dev/null || echo 2)
ASSAY_TEST_CACHE=$build/cache
export ASSAY_TEST_CACHE
# Golden vectors of the reference, where they lie beside the clone; distcheck would not find them from its own folder.
vectors=$root/../shared/data/dynamicmcpbench/golden
[ ! -d "$vectors" ] || { GOLDEN_VECTORS=$vectors; export GOLDEN_VECTORS; }
# tree NAME OPTION...: a build folder of its own, configured once.
tree() {
	mkdir -p "$build/$1" && cd "$build/$1" || return 1
	shift
	[ -f Makefile ] || ../../configure -q --enable-werror "$@"
}

gcc_tree() { tree gcc CC=gcc && make -j"$jobs"; }
stage_gcc() { gcc_tree && make -j"$jobs" check; }
stage_clang() {
	tree clang CC=clang CXX=clang++ --enable-sanitizers CFLAGS='-O1 -g' && make -j"$jobs" && make -j"$jobs" check
}
stage_valgrind() { gcc_tree && make -j"$jobs" valgrind; }
stage_static() { tree static CC=gcc --disable-shared CFLAGS=-O1 && make -j"$jobs" && make -j"$jobs" smoke; }
stage_lint() { gcc_tree && make lint; }
stage_distcheck() { gcc_tree && make -j"$jobs" distcheck; }
stage_conformance() { gcc_tree && make -j"$jobs" conformance; }
stage_peers() { gcc_tree && make -j"$jobs" peers; }
stage_life() { gcc_tree && make -j"$jobs" life; }
stage_faults() { gcc_tree && make -j"$jobs" faults; }
stage_kill() { gcc_tree && make -j"$jobs" kill KILLS=$kills; }
stage_fuzz() { gcc_tree && make fuzz SECONDS=60; }
stage_bench() { gcc_tree && make -j"$jobs" bench; }

passed=0 failed=0
# stage NAME: run it, show its sum; all such lines in its output count. Failing without one is one failure.
stage() {
	begun=$(date +%s)
	("stage_$1") >"$LOGS/$1.log" 2>&1 </dev/null
	status=$?
	set -- "$1" $(awk '/^[0-9]+ passed, [0-9]+ failed$/ { ok += $1; bad += $3 } END { print ok + 0, bad + 0 }' "$LOGS/$1.log")
	ok=$2
	bad=$3
	[ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok)) failed=$((failed + bad))
	printf '%-12s %5s ok %5s bad  %4s s\n' "$1" "$ok" "$bad" $(($(date +%s) - begun))
	if [ "$bad" -gt 0 ]; then
		awk '/^(FAIL|not ok)/ { show = 1 } /^ok / { show = 0 } /(error:|Error |\*\*\*)/ { print; next } show' \
			"$LOGS/$1.log" | head -n 150 | cut -c 1-400 | sed 's/^/  | /'
		echo "  | all of it: $LOGS/$1.log; its end:"
		tail -n 8 "$LOGS/$1.log" | cut -c 1-400 | sed 's/^/  | /'
	fi
}

if [ ! -x configure ] && ! ./autogen.sh >"$LOGS/autogen.log" 2>&1; then
	tail -n 20 "$LOGS/autogen.log"
	echo "0 passed, 1 failed"
	exit 1
fi
for name in $STAGES; do
	case " gcc clang valgrind static lint distcheck conformance peers life faults kill fuzz bench " in
	*" $name "*) stage "$name" ;;
	*) echo "check.sh: no stage is called $name" >&2; exit 2 ;;
	esac
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
