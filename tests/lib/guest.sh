# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the guest tests share. They run as root in a guest that is thrown away.
set -euo pipefail
# shellcheck source=tests/lib/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

now_ms() {
	local up
	read -r up _ </proc/uptime
	# hundredths of a second
	up=${up/./}
	echo "$((10#$up * 10))"
}

# value_of NAME TEXT: the value of the last NAME=VALUE in TEXT
value_of() {
	local word found=
	for word in $2; do
		[[ $word != "$1="* ]] || found=${word#*=}
	done
	echo "$found"
}

sysfs() {
	echo "/sys/class/tpm/$1/$2"
}

is_patched() {
	[[ -e $(sysfs "$1" completion_mode) ]]
}

# start_swtpm_with OPTION...: options of vtpm-up; sets tpm, pid and state
start_swtpm_with() {
	local text
	text=$(vtpm-up "$@") || bail "vtpm-up $*: failed"
	# shellcheck disable=SC2034 # for whoever called us
	{
		tpm=$(value_of tpm "$text")
		pid=$(value_of pid "$text")
		state=$(value_of state "$text")
	}
}

start_swtpm() {
	start_swtpm_with --banks sha256
}

wait_for_chip() {
	local deadline=$(($(now_ms) + 10000))
	until [[ -c /dev/tpmrm${1#tpm} ]]; do
		(($(now_ms) < deadline)) || return 1
		sleep 0.02
	done
}

wait_gone() {
	local deadline=$(($(now_ms) + 10000))
	while [[ -e /sys/class/tpm/$1 || -e /dev/$1 ]]; do
		(($(now_ms) < deadline)) || return 1
		sleep 0.02
	done
}

# results OP TEXT: how each OP ended, as one line
results() {
	sed -n "s/^op=$1 result=\([^ ]*\) .*/\1/p" <<<"$2" | paste -sd ' '
}

# start_scripted_with OPTION...: a scripted TPM; sets tpm, pid and log
start_scripted_with() {
	local dir
	dir=$(mktemp -d /run/scripted.XXXXXX)
	log=$dir/log
	scripted-tpm --log "$log" "$@" >"$dir/out" 2>"$dir/err" &
	pid=$!
	until [[ -s $dir/out ]]; do
		kill -0 "$pid" 2>/dev/null ||
			bail "scripted-tpm $*: $(cat "$dir/err")"
		sleep 0.01
	done
	tpm=$(value_of tpm "$(<"$dir/out")")
	wait_for_chip "$tpm" || bail "$tpm: not registered; $(cat "$log")"
}

# start_scripted RULE...: the same with nothing but rules
start_scripted() {
	local rule
	local -a args=()
	for rule in "$@"; do
		args+=(--on "$rule")
	done
	start_scripted_with "${args[@]}"
}

stop_scripted() {
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	wait_gone "$tpm" || bail "$tpm did not go away"
}

# The modes to repeat a test in: those of this kernel
modes() {
	if is_patched "$1"; then
		echo "stock usleep adaptive event auto"
	else
		echo "unpatched"
	fi
}

set_mode() {
	[[ $2 = unpatched ]] || echo "$2" >"$(sysfs "$1" completion_mode)"
}

# Resumes the stopped process PID, MS after it is seen to be stopped
cont_after() {
	local stat=""
	until [[ $stat = *") T "* ]]; do
		sleep 0.01
		stat=$(<"/proc/$1/stat")
	done
	sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
	kill -CONT "$1"
}

has_open() {
	[[ -n $(find "/proc/$1/fd" -lname "$2" 2>/dev/null) ]]
}

# Processes that nothing can wake, for longer than a command may take
stuck_tasks() {
	local first second
	first=$(ps -eo pid=,stat=,comm= | awk '$2 ~ /^D/ { print $1 }')
	[[ -n $first ]] || return 0
	sleep 3
	second=$(ps -eo pid=,stat=,comm= | awk '$2 ~ /^D/')
	awk 'NR == FNR { seen[$1] = 1; next } $1 in seen { print $1, $3 }' \
		<(echo "$first") <(echo "$second")
}
