# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0
# (names are shared between the parts of kernel-tree: seen alone, a part looks wrong)
# Messages, needed programs, names of trees. Sourced by kernel-tree.

# git exports these to hooks; they would send our commands to the wrong tree
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX
# patches must come out the same under every user's settings
export GIT_CONFIG_NOSYSTEM=1 LC_ALL=C TZ=UTC

AUTHOR_NAME="vtpm-fast developers"
AUTHOR_EMAIL="developers@vtpm-fast.invalid"

say() { printf 'kernel-tree: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
die_usage() { say "$*"; say "try: kernel-tree --help"; exit 2; }
die_missing() { say "$*"; exit 3; }

# need PROGRAM[=PACKAGE]...: exit 3 with one line that installs all that lack
need() {
	local item prog lacks=() packages=()

	for item in "$@"; do
		prog=${item%%=*}
		command -v "$prog" >/dev/null && continue
		lacks+=("$prog")
		packages+=("${item#*=}")
	done
	[ ${#lacks[@]} -eq 0 ] && return 0
	say "missing: ${lacks[*]}"
	die_missing "install with: apt-get install --no-install-recommends ${packages[*]}"
}

# load_base NAME: sets the names that everything else works with
load_base() {
	local repo

	repo=$(cd "$here/.." && pwd)
	REPO=$repo
	BUILD=${VTPMFAST_BUILD:-$repo/build}
	PATCHES=${VTPMFAST_PATCHES:-$here}
	BASE_NAME=$1
	BASE_DIR=$PATCHES/$1
	[ -r "$BASE_DIR/BASE" ] || die_usage "no base '$1': $BASE_DIR/BASE is not there"
	# shellcheck source=/dev/null
	. "$BASE_DIR/BASE"
	mkdir -p "$BUILD/$1"
	BUILD=$(cd "$BUILD" && pwd)
	WORK=$BUILD/$1
	STOCK=$WORK/stock
	PATCHED=$WORK/patched
	PREFIX=$WORK/prefix
	LOGS=$BUILD/logs
	JOBS=${VTPMFAST_JOBS:-$(nproc)}
	mkdir -p "$LOGS"
}

# One command at a time changes the trees of a base; a reader needs no lock.
lock_base() {
	need flock=util-linux
	exec 9>"$WORK/.lock"
	flock -n 9 || {
		say "waiting for another kernel-tree on base $BASE_NAME"
		flock 9
	}
}

git_stock() { git -C "$STOCK" "$@"; }
git_patched() { git -C "$PATCHED" "$@"; }

# value of KEY=value in FILE, empty when there is none
value_of() {
	[ -r "$2" ] && sed -n "s/^$1=//p" "$2" | tail -n 1
	return 0
}

TMP_DIR=
cleanup() { [ -z "$TMP_DIR" ] || rm -rf "$TMP_DIR"; }
trap cleanup EXIT
# INT and TERM must end through EXIT, else temporary files stay
trap 'exit 130' INT
trap 'exit 143' TERM

# one folder for all temporary files of this run
make_tmp() {
	[ -n "$TMP_DIR" ] || TMP_DIR=$(mktemp -d "${TMPDIR:-/tmp}/kernel-tree.XXXXXX")
}
