#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guest-raw.sh [OPTION...] - one boot's part of the raw bench, run in the guest
#
# Starts a software TPM (or takes the one named) and measures in one boot: the floors, PCR extends by one
# client on /dev/tpmN, by several on /dev/tpmrmN, in every completion mode that the
# chip accepts (a kernel without modes is measured as it is), the floors again.
# Whatever drifts during a boot is then seen as a difference of the two floors.
#
#   --out DIR          results (default /out): floor-*.json, extend-*.json, progress
#   --modes LIST       default stock,usleep,adaptive,event,auto
#   --clients LIST     on /dev/tpmrmN; default 1,2,4,8,16,32,64
#   --duration S       of one run; default 0.4
#   --warmup S         before each run; default 0.05
#   --runs N           of each setting on /dev/tpmrmN; default 2
#   --single-runs N    of each setting on /dev/tpmN; default 3
#   --banks LIST       active PCR banks; default sha256
#   --cpu N            the host's CPU that the guest is pinned to (recorded only)
#   --chip NAME, --tpm-pid N   a TPM that runs already, such as tpm0, and its process
#
# Exit: 0, else the code of the first part that failed (see vtpmfast --help).
set -euo pipefail

out=/out
modes=stock,usleep,adaptive,event,auto
clients=1,2,4,8,16,32,64
duration=0.4
warmup=0.05
runs=2
single_runs=3
banks=sha256
tpm=
pid=
own=

usage_error() {
	echo "guest-raw.sh: $*" >&2
	exit 2
}

while (($#)); do
	case $1 in
	--help)
		sed -n '4,23s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--out | --modes | --clients | --duration | --warmup | --runs | --single-runs | --banks | --cpu | \
		--chip | --tpm-pid)
		(($# >= 2)) || usage_error "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--modes) modes=$2 ;;
		--clients) clients=$2 ;;
		--duration) duration=$2 ;;
		--warmup) warmup=$2 ;;
		--runs) runs=$2 ;;
		--single-runs) single_runs=$2 ;;
		--banks) banks=$2 ;;
		--cpu) export VTPMFAST_CPU_PINNED=$2 ;;
		--chip) tpm=$2 ;;
		--tpm-pid) pid=$2 ;;
		esac
		shift 2
		;;
	*) usage_error "unknown option '$1'" ;;
	esac
done
[[ -z $tpm$pid || -n $tpm && -n $pid ]] || usage_error "--chip and --tpm-pid belong together"

# What is under way, for the estimate on the host's terminal.
progress() {
	echo "$*" >"$out/progress"
}

stop_tpm() {
	[[ -z $own ]] || kill "$own" 2>/dev/null || true
}

# The modes that this chip accepts, in the order asked for; empty on a kernel without modes.
usable_modes() {
	local file=/sys/class/tpm/$tpm/completion_mode found mode list=
	[[ -e $file ]] || return 0
	read -r found <"$file"
	for mode in ${modes//,/ }; do
		if echo "$mode" 2>/dev/null >"$file"; then
			list+=${list:+,}$mode
		else
			echo "guest-raw.sh: $tpm does not accept completion mode $mode" >&2
		fi
	done
	echo "$found" >"$file"
	echo "$list"
}

floors() {
	progress "floors, $1"
	vtpmfast floor --pingpong --banks "$banks" --runs "$single_runs" --warmup "$warmup" \
		--duration "$duration" --output "$out/floor-pingpong-$1.json" >/dev/null
}

extends() {
	local node=$1
	shift
	progress "extends through /dev/$node"
	# not PCR 16: on that the kernel tries, once it is zeros, whether extends may share a
	# command, and what is measured after this is to show it
	vtpmfast extend --device "/dev/$node" --pcr 23 --duration "$duration" --warmup "$warmup" \
		--tpm-pid "$pid" "${mode_options[@]}" "$@" \
		--output "$out/extend-$node.json" >/dev/null
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
	own=$pid
}

trap stop_tpm EXIT
[[ -n $tpm ]] || start_tpm

usable=$(usable_modes)
mode_options=()
[[ -z $usable ]] || mode_options=(--modes "$usable")

floors before
vtpmfast floor --libtpms --banks "$banks" --runs "$runs" --warmup "$warmup" --duration "$duration" \
	--output "$out/floor-libtpms.json" >/dev/null
extends "$tpm" --clients 1 --runs "$single_runs"
extends "tpmrm${tpm#tpm}" --clients "$clients" --runs "$runs"
floors after
progress "done"
