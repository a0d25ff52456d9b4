#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guest-client.sh [OPTION...] - one boot's part of run-client, run in the guest
#
# Starts a TPM, lets IMA bind to it, and measures how long the commands of a client of
# /dev/tpmrmN take while IMA measures what many processes open: in each setting by turns.
#
#   --out DIR         where SETTING-RUN.json goes (default /out), and beside each
#                     SETTING-RUN.ima, what IMA did meanwhile
#   --settings LIST   MODE or MODE/BATCH_MAX, by turns (default stock,auto/1,auto/2,
#                     auto/4,auto/8,auto/16). A word before one: `idle` without the
#                     processes; `unmeasured` the processes do the same with files that
#                     IMA does not measure; `first` client and TPM never wait for a CPU
#                     (SCHED_FIFO), so that what is left is the wait for the chip
#   --runs N          of each (default 3)
#   --processes N     that make IMA measure (default 32)
#   --duration S      of the timed part (default 1)
#   --cpu N           the host's CPU that the guest is pinned to (recorded only)
#
# Exit: 0, 3 something is missing, 5 the list does not replay to the PCR, 6 the processes
# did not last as long as the client.
set -euo pipefail

out=/out
settings=stock,auto/1,auto/2,auto/4,auto/8,auto/16
runs=3
processes=32
duration=1
readers=
tpm_pid=
dir=

die() {
	local code=$1
	shift
	echo "guest-client.sh: $*" >&2
	exit "$code"
}

while (($#)); do
	case $1 in
	--help)
		sed -n '4,20s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--out | --settings | --runs | --processes | --duration | --cpu)
		(($# >= 2)) || die 2 "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--settings) settings=$2 ;;
		--runs) runs=$2 ;;
		--processes) processes=$2 ;;
		--duration) duration=$2 ;;
		--cpu) export VTPMFAST_CPU_PINNED=$2 ;;
		esac
		shift
		;;
	*) die 2 "unknown option '$1'" ;;
	esac
	shift
done

stop_readers() {
	[[ -n $readers ]] || return 0
	kill -KILL "$readers" 2>/dev/null || true
	wait "$readers" 2>/dev/null || true
	readers=
	# its children end after it, each when its last extend is done
	while pgrep -x ima-readers >/dev/null; do
		sleep 0.05
	done
}

clean_up() {
	stop_readers
	[[ -z $tpm_pid ]] || kill "$tpm_pid" 2>/dev/null || true
}
trap clean_up EXIT

start_tpm() {
	local vars name value
	vars=$(vtpm-up)
	while IFS='=' read -r name value; do
		case $name in
		tpm) tpm=$value ;;
		pid) tpm_pid=$value ;;
		esac
	done <<<"$vars"
	[[ -e /sys/kernel/security/ima/tpm ]] || die 3 "this kernel's IMA takes no TPM that comes late"
}

# new_files SETTING: the files of each point are new, on a file system that nothing else
# is on
new_files() {
	dir=$(mktemp -d /tmp/client.XXXXXX)
	mount -t tmpfs client "$dir"
	[[ $1 = unmeasured\ * ]] || echo "measure func=FILE_CHECK mask=MAY_READ fsuuid=$(fsuuid "$dir")" >/sys/kernel/security/ima/policy
}

# point SETTING RUN
point() {
	local setting=$1 name before code=0
	local mode=${setting#* }
	local -a first=()
	chrt -o -p 0 "$tpm_pid"
	if [[ $setting = first\ * ]]; then
		first=(chrt -f 10)
		chrt -f -p 10 "$tpm_pid"
	fi
	name=${setting//[\/ ]/-}-$2
	echo "${mode%/*}" >"/sys/class/tpm/$tpm/completion_mode"
	[[ $mode != */* ]] || echo "${mode#*/}" >/sys/module/ima/parameters/batch_max
	if [[ $setting != idle\ * ]]; then
		new_files "$setting"
		ima-readers --endless --workers "$processes" "$dir" >/run/readers &
		readers=$!
		# until all have begun
		until [[ -s /run/readers ]]; do
			sleep 0.05
		done
	fi
	before=$(</sys/kernel/security/ima/tpm)
	"${first[@]}" vtpmfast extend --device "/dev/tpmrm${tpm#tpm}" --tpm-pid "$tpm_pid" --pcr 23 --runs 1 \
		--warmup 0.2 --duration "$duration" --output "$out/$name.json" >/dev/null || code=$?
	{
		awk '{ print "before", $0 }' <<<"$before"
		sed 's/^/after /' /sys/kernel/security/ima/tpm
	} >"$out/$name.ima"
	((code == 0)) || die $code "$setting: the client ended with $code"
	if [[ -n $readers ]]; then
		kill -0 "$readers" 2>/dev/null || die 6 "$setting: the processes have ended"
		stop_readers
		umount -l "$dir"
	fi
	vtpmfast verify --device "/dev/tpmrm${tpm#tpm}" >/dev/null || die $? "$setting: the list"
}

start_tpm
IFS=, read -ra wanted <<<"$settings"
for ((run = 1; run <= runs; run++)); do
	for setting in "${wanted[@]}"; do
		echo "$setting, run $run" >"$out/progress"
		: >/run/readers
		point "$setting" "$run"
	done
done
