# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for our test scripts. Source it, state checks, end with `tap_done`.
#
#   plan N                     optional: how many checks there will be
#   ok DESC / not_ok DESC      say it outright
#   is GOT WANT DESC           equal strings
#   like GOT REGEX DESC        an extended regular expression
#   at_most GOT LIMIT DESC     whole numbers
#   at_least GOT LIMIT DESC
#   expect_pass DESC CMD...    CMD exits 0
#   expect_fail [-c CODE] DESC CMD...   CMD exits non-zero, or exactly CODE
#   skip DESC REASON           one check that cannot be made here
#   skip_all REASON            none can: ends the script
#   bail MESSAGE               nothing further makes sense: ends the script
#   diag TEXT...               a comment
#
# A script that ends without tap_done has failed, whatever it printed.

tap_count=0
tap_failed=0
tap_planned=
tap_finished=

tap_at_exit() {
	local code=$?
	if [[ -z $tap_finished ]]; then
		echo "not ok $((tap_count + 1)) - the script ended early (exit $code)"
		exit 1
	fi
}
trap tap_at_exit EXIT

diag() {
	local line
	while IFS= read -r line; do
		echo "# $line"
	done <<<"$*"
}

plan() {
	tap_planned=$1
	echo "1..$1"
}

ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# Not a failing command: a script under `set -e` goes on to its next check
not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
}

is() {
	if [[ $1 = "$2" ]]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got:  $1"
		diag "want: $2"
	fi
}

like() {
	if [[ $1 =~ $2 ]]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got:  $1"
		diag "want: /$2/"
	fi
}

at_most() {
	if [[ $1 =~ ^-?[0-9]+$ ]] && (($1 <= $2)); then
		ok "$3 ($1 of at most $2)"
	else
		not_ok "$3"
		diag "got $1, want at most $2"
	fi
}

at_least() {
	if [[ $1 =~ ^-?[0-9]+$ ]] && (($1 >= $2)); then
		ok "$3 ($1 of at least $2)"
	else
		not_ok "$3"
		diag "got $1, want at least $2"
	fi
}

expect_pass() {
	local desc=$1 output code=0
	shift
	output=$("$@" 2>&1) || code=$?
	if ((code == 0)); then
		ok "$desc"
	else
		not_ok "$desc"
		diag "exit $code of: $*"
		diag "$output"
	fi
}

expect_fail() {
	local want="" desc output code=0
	if [[ $1 = -c ]]; then
		want=$2
		shift 2
	fi
	desc=$1
	shift
	output=$("$@" 2>&1) || code=$?
	# a signal's death is no orderly refusal
	if ((code != 0 && code < 128)) && [[ -z $want || $code = "$want" ]]; then
		ok "$desc"
	else
		not_ok "$desc"
		diag "exit $code (want ${want:-a refusal}) of: $*"
		diag "$output"
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	tap_finished=yes
	echo "1..0 # SKIP $1"
	exit 0
}

bail() {
	tap_finished=yes
	echo "Bail out! $1"
	exit 1
}

tap_done() {
	tap_finished=yes
	[[ -n $tap_planned ]] || echo "1..$tap_count"
	if [[ -n $tap_planned && $tap_planned != "$tap_count" ]]; then
		diag "planned $tap_planned checks, made $tap_count"
		exit 1
	fi
	((tap_failed == 0)) || exit 1
	exit 0
}
