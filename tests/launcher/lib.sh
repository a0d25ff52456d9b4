# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the launcher tests share; they run on the host and boot stock or patched
# kernels, whichever is built.
set -euo pipefail
# shellcheck source=tests/lib/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
run_uml=$top/vm-images/uml/run-uml

kernel=${VTPMFAST_KERNEL:-}
for candidate in "$top"/build/uml-patched/linux "$top"/build/uml-stock/linux \
	"$top"/build/6.12/stock/uml/linux; do
	[[ -n $kernel || ! -x $candidate ]] || kernel=$candidate
done
[[ -n $kernel ]] || bail "no UML kernel is built (make uml)"
[[ -d $top/build/uml-root/ ]] || bail "no guest root (vm-images/uml/mkroot)"

# Everything of this test, its temporary files and TMPDIR of what it starts, is
# in one directory: what is left in it is what somebody forgot.
launcher=
scratch=$(mktemp -d "${TMPDIR:-/tmp}/launcher.XXXXXX")
mkdir "$scratch/tmp"
# tap.sh has the EXIT trap: keep it
trap 'tap_at_exit_and_clean' EXIT
tap_at_exit_and_clean() {
	local code=$?
	[[ -z $launcher ]] || kill -TERM "$launcher" 2>/dev/null || true
	wait
	rm -rf "$scratch"
	(exit "$code")
	tap_at_exit
}

guest() {
	TMPDIR=$scratch/tmp "$run_uml" --kernel "$kernel" "$@"
}

# The same in the background, under job control, without which SIGINT would be
# ignored there. Sets launcher: run-uml itself, leader of its process group.
guest_in_background() {
	set -m
	TMPDIR=$scratch/tmp "$run_uml" --kernel "$kernel" "$@" \
		>"$scratch/stdout" 2>"$scratch/stderr" &
	launcher=$!
	set +m
}

# end_with SIGNAL [PID]: signals the launcher and waits; sets code
end_with() {
	code=0
	kill "-$1" -- "${2:-$launcher}"
	wait "$launcher" 2>/dev/null || code=$?
	launcher=
}

# Every process that has the path of our scratch directory in its arguments or
# its environment: the launcher, its helpers, UML and UML's own processes
ours() {
	local dir
	for dir in /proc/[0-9]*; do
		[[ $dir != "/proc/$$" && $dir != "/proc/$BASHPID" ]] || continue
		if cat "$dir/cmdline" "$dir/environ" 2>/dev/null |
			grep -aqF "$scratch/"; then
			echo "${dir#/proc/}:$(tr '\0' ' ' <"$dir/cmdline" 2>/dev/null | cut -c1-60)"
		fi
	done
}

wait_until() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < deadline)) || return 1
		sleep 0.05
	done
}

nothing_runs() {
	[[ -z $(ours) ]]
}

# The guest's program has started: it wrote its first line
started() {
	[[ -s $1/stdout ]]
}

leftovers() {
	find "$scratch/tmp" -mindepth 1
}
