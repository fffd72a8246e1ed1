# Sourced by quickstart.sh and check.sh: which packages of Debian 12 are needed, and installing the missing ones.

BUILD_PACKAGES="gcc make libc6-dev autoconf automake libtool pkg-config libltdl-dev libcjson-dev libsqlite3-dev
	libpcre2-dev libssl-dev libcurl4-openssl-dev libarchive-dev"
TEST_PACKAGES="g++ check libmicrohttpd-dev bubblewrap clang libclang-rt-14-dev llvm clang-tidy clang-format cppcheck universal-ctags valgrind sqlite3
	curl time procps xz-utils python3 python3-venv nodejs npm zsh fish"

# missing PACKAGE...: those that are neither installed nor replaced by a command of the same purpose from elsewhere.
missing() {
	for package in "$@"; do
		case $package in
		nodejs) command -v node >/dev/null 2>&1 && continue ;;
		npm) command -v npm >/dev/null 2>&1 && continue ;;
		esac
		dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || printf '%s ' "$package"
	done
}

# install_missing PACKAGE...: with apt-get, as root or by sudo; ends the script with one clear line where that cannot be.
install_missing() {
	if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
		echo "$0: this is no Debian; install the counterparts of: $*" | tr -s '\t\n ' ' ' >&2
		echo >&2
		return 0 # configure tells what is really missing
	fi
	lacking=$(missing "$@")
	[ -n "$lacking" ] || return 0
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		as_root=sudo
		command -v sudo >/dev/null 2>&1 || as_root=none
	fi
	if [ "$as_root" = none ]; then
		echo "$0: packages are missing and there is no sudo; as root: apt-get install $lacking" >&2
		exit 1
	fi
	echo "installing $lacking"
	for step in update "install $lacking"; do
		# Neither word list holds anything to quote.
		if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
			-o Acquire::Retries=3 $step >"$LOGS/apt.log" 2>&1 </dev/null; then
			tail -n 20 "$LOGS/apt.log" >&2
			echo "$0: apt-get $step failed" >&2
			exit 1
		fi
	done
}
