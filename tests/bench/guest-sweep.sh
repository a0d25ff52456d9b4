#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guest-sweep.sh [OPTION...] - one boot's part of the bench with IMA, run in the guest
#
# With a TPM: starts it, which lets an IMA that was booted with ima_tpm=late bind to
# it; measures raw extends (guest-raw.sh) while no policy is loaded and nothing is
# measured; then loads the policy and lets processes access files, in each of the
# completion modes. With --no-tpm only the last, in an IMA that has no TPM.
#
#   --no-tpm           no TPM and no raw extends: the ceiling
#   --no-raw           no raw extends
#   --out DIR          results (default /out): those of guest-raw.sh, sweep-*.json
#   --workload LIST    of read, create, exec, mmap; default read
#   --processes LIST   default 1,2,4,8,16,32,64
#   --modes LIST       default stock,auto
#   --duration S       of one run; default 0.5
#   --warmup S         before each run; default 0.1
#   --runs N           of each setting; default 1
#   --policy FILE      default /etc/ima-policy/bench-read.policy
#   --list-entries N   list entries to begin with
#   --banks LIST       active PCR banks; default sha256
#   --cpu N            the host's CPU that the guest is pinned to (recorded only)
#   -- OPTION...       passed to guest-raw.sh
#
# Exit: 0, else the code of the first part that failed (see vtpmfast --help).
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
out=/out
policy=/etc/ima-policy/bench-read.policy
workload="read"
processes=1,2,4,8,16,32,64
modes=stock,auto
duration=0.5
warmup=0.1
runs=1
banks=sha256
no_tpm=
raw=yes
raw_cpu=()
more=()
raw_options=()
tpm=
pid=

usage_error() {
	echo "guest-sweep.sh: $*" >&2
	exit 2
}

while (($#)); do
	case $1 in
	--help)
		sed -n '4,26s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--no-tpm) no_tpm=yes ;;
	--no-raw) raw= ;;
	--)
		shift
		raw_options=("$@")
		break
		;;
	--out | --workload | --processes | --modes | --duration | --warmup | --runs | --policy | \
		--list-entries | --banks | --cpu)
		(($# >= 2)) || usage_error "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--workload) workload=$2 ;;
		--processes) processes=$2 ;;
		--modes) modes=$2 ;;
		--duration) duration=$2 ;;
		--warmup) warmup=$2 ;;
		--runs) runs=$2 ;;
		--policy) policy=$2 ;;
		--list-entries) more+=(--list-entries "$2") ;;
		--banks) banks=$2 ;;
		--cpu)
			export VTPMFAST_CPU_PINNED=$2
			raw_cpu=(--cpu "$2")
			;;
		esac
		shift
		;;
	*) usage_error "unknown option '$1'" ;;
	esac
	shift
done

# What is under way, for the estimate on the host's terminal.
progress() {
	echo "$*" >"$out/progress"
}

stop_tpm() {
	[[ -z $pid ]] || kill "$pid" 2>/dev/null || true
}

start_tpm() {
	local vars name value
	progress "starting the TPM"
	vars=$(vtpm-up --banks "$banks")
	while IFS='=' read -r name value; do
		case $name in
		tpm) tpm=$value ;;
		pid) pid=$value ;;
		esac
	done <<<"$vars"
}

trap stop_tpm EXIT
if [[ -n $no_tpm ]]; then
	more+=(--no-tpm)
	name=no-tpm
else
	start_tpm
	[[ -z $raw ]] || "$here/guest-raw.sh" --out "$out" --banks "$banks" --chip "$tpm" \
		--tpm-pid "$pid" "${raw_cpu[@]}" "${raw_options[@]}"
	more+=(--chip "$tpm" --tpm-pid "$pid" --modes "$modes")
	name=ima
fi
progress "IMA, $workload"
vtpmfast sweep "${more[@]}" --workload "$workload" --processes "$processes" --duration "$duration" \
	--warmup "$warmup" --runs "$runs" --policy "$policy" --output "$out/sweep-$name.json" >/dev/null
progress "done"
