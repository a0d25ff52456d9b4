#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# sweep on a machine where it has nothing to measure: what it refuses, how fast,
# with which code. What it measures is tested in guests.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

# a machine without a TPM and without IMA, whatever this one has
export VTPMFAST_SYSFS=$work/sys
mkdir -p "$work/sys"

usage() { # DESC ARG...
	local desc=$1
	shift
	run_timed "$vtpmfast" sweep "$@"
	is "$code" 2 "usage: $desc"
	[[ $code != 2 ]] || is "$out" "" "... nothing on standard output"
}
usage "PCR 10 is fixed" --pcr 16
usage "it forces nothing" --force
usage "banks are the TPM's" --banks sha256
usage "no workers" --processes 0
usage "too many" --processes 65
usage "no list of numbers" --processes 1,,2
usage "unknown workload" --workload read,write
usage "empty workload" --workload read,
usage "unknown mode" --modes stock,fast
usage "modes without a TPM" --no-tpm --modes stock
usage "a TPM process without a TPM" --no-tpm --tpm-pid $$
usage "too long a list" --list-entries 10000001
usage "a number twice" --processes 1,1
usage "... in a range" --processes 1-4,2
usage "a mode twice" --modes auto,auto
usage "a workload twice" --workload read,read
usage "a directory for the result" --output "$work"
usage "no directory for the result" --output "$work/none/x"
usage "two formats" --json --csv
usage "an argument" tpm0
run_timed "$vtpmfast" sweep --modes stock,fast
like "$err" "no mode .fast." "... with the mode that is none"

run_timed "$vtpmfast" sweep --dry-run --workload read,exec --processes 1,4 --modes stock,auto \
	--runs 2 --output "$work/never.json"
is "$code" 0 "a dry run needs neither TPM nor IMA"
is "$(grep -c '^point ' <<<"$out")" 16 "... and lists every point"
is "$(grep '^point [1-4] ' <<<"$out" | sed 's/.* mode \([a-z]*\) run /\1 /' | paste -sd,)" \
	"stock 1,auto 1,stock 2,auto 2" "... in which modes take turns"
expect_fail -c 1 "... and writes no file" test -e "$work/never.json"

# refused REGEX DESC ARG...: exit 3, in no time, with one line that says why
refused() {
	local regex=$1 desc=$2
	shift 2
	run_timed "$@"
	is "$code" 3 "$desc: exit 3"
	at_most "$took_ms" 1000 "... in less than a second, in ms"
	is "$(wc -l <<<"$err")" 1 "... with one line"
	like "$err" "$regex" "... that says why"
}

if ((UID == 0)); then
	refused "no TPM on this machine" "no TPM" "$vtpmfast" sweep
	refused "no TPM tpm0" "no such chip" "$vtpmfast" sweep --chip tpm0
	refused "no IMA, or securityfs is not mounted" "no IMA" "$vtpmfast" sweep --no-tpm
	# a list that does not grow, whatever is read
	mkdir -p "$work/sys/kernel/security/ima"
	echo 0 >"$work/sys/kernel/security/ima/runtime_measurements_count"
	: >"$work/sys/kernel/security/ima/binary_runtime_measurements"
	mkdir "$work/files"
	refused "it needs the rule .measure func=FILE_CHECK mask=MAY_READ" "nothing is measured" \
		"$vtpmfast" sweep --no-tpm --dir "$work/files"
	is "$(ls -A "$work/files")" "" "... nothing stays"
	refused "MMAP_CHECK" "... nor mapped" \
		"$vtpmfast" sweep --no-tpm --workload mmap --dir "$work/files"
	run_timed "$vtpmfast" sweep --no-tpm --dir "$work/files" --policy "$work/nothing"
	is "$code" 2 "a policy that cannot be read: exit 2"
	refused "no such file|No such file" "no such directory" \
		"$vtpmfast" sweep --no-tpm --dir "$work/nothing"
	mounts=$(</proc/self/mounts)
	run_timed "$vtpmfast" sweep --no-tpm
	is "$code" 3 "in a mount of its own: exit 3 too"
	is "$(</proc/self/mounts)" "$mounts" "... no mount stays"
	# a signal that comes before there is anything to clean up: a FIFO holds it there
	rm "$work/sys/kernel/security/ima/runtime_measurements_count"
	mkfifo "$work/sys/kernel/security/ima/runtime_measurements_count"
	"$vtpmfast" sweep --no-tpm >"$work/out" 2>"$work/err" &
	pid=$!
	started+=("$pid")
	# shellcheck disable=SC2317 # called by wait_for
	is_held() { [[ $(readlink "/proc/$pid/exe") = "$vtpmfast" && $(</proc/"$pid"/wchan) = *partner* ]]; }
	wait_for 10 is_held || bail "the sweep does not open the FIFO"
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	is "$code" 6 "a signal at the very beginning: exit 6"
	like "$(<"$work/err")" "interrupted by signal 15" "... says so"
	# somebody else, who may run it and nothing more
	install -m 755 "$vtpmfast" "$work/vtpmfast"
	chmod 711 "$work"
	refused "root" "not root" setpriv --reuid 65534 --clear-groups "$work/vtpmfast" sweep
else
	refused "root" "not root" "$vtpmfast" sweep
fi

for file in "$top"/tests/data/sweep-*.json; do
	expect_pass "the schema takes ${file##*/}" valid_json "$file"
done
jq '.points[0] += {commands_per_extend: 0.25, mean_batch: 4, ima_wait_p50_us_below: 8, ima_wait_p99_us_below: 16}' \
	"$file" >"$work/good.json"
expect_pass "... with what IMA counts" valid_json "$work/good.json"
jq '.points[0].ima_wait_p99_us_below = 16.5' "$file" >"$work/bad.json"
expect_fail "... not with a bound that is no integer" valid_json "$work/bad.json"
jq 'del(.points[0].list_entries_end)' "$file" >"$work/bad.json"
expect_fail "... not without list_entries_end" valid_json "$work/bad.json"
jq '.points[0].transport = "raw"' "$file" >"$work/bad.json"
expect_fail "... not with another transport" valid_json "$work/bad.json"
tap_done
