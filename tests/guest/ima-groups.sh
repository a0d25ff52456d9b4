#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180 append=ima_tpm=late mem=1G
# Many processes at once: the list is extended in its order, one entry once, in groups
# that share commands; what a verifier sees is what single extends give.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_swtpm_with --banks sha256
private_mount
load_policy
batch_max=/sys/module/ima/parameters/batch_max

# crowd NAME PROCESSES FILES: all wait at a gate, then each reads its own files
crowd() {
	local name=$1 processes=$2 files=$3 p
	for ((p = 0; p < processes; p++)); do
		make_files "$name.$p" "$files"
	done
	exec 8>/run/gate
	flock 8
	pids=()
	for ((p = 0; p < processes; p++)); do
		flock -s /run/gate sh -c "cat '$mnt/$name.$p'/* >/dev/null" 8>&- &
		pids+=($!)
	done
	until (($(grep -c -e '-> FLOCK' /proc/locks || true) == processes)); do
		sleep 0.05
	done
	exec 8>&-
	for p in "${pids[@]}"; do
		wait "$p" || true
	done
}

for mode in adaptive event auto; do
	set_mode "$tpm" $mode
	listed=$(entries)
	extends=$(tpm_value extends)
	commands=$(tpm_value commands)
	crowd $mode 16 25
	is "$(($(entries) - listed))" 400 "$mode: 16 processes, 25 files each: 400 entries"
	commands=$(($(tpm_value commands) - commands))
	is $(($(tpm_value extends) - extends)) 400 "$mode: each was extended once"
	at_most "$commands" 399 "$mode: extends shared commands"
	diag "$mode: 400 extends in $commands commands, largest batch $(tpm_value largest_batch)"
	expect_pass "$mode: the list replays to the PCR" replay_is_pcr "$tpm" sha256
done
at_least "$(tpm_value largest_batch)" 2 "there were batches"
at_most "$(tpm_value largest_batch)" 16 "of at most 16"
is "$(tpm2_pcrread -T "device:/dev/tpmrm${tpm#tpm}" sha256:16 | awk '$1 == "16:" { print tolower(substr($2, 3)) }')" \
	"$(printf '%064d' 0)" "the PCR of the trial is zeros again"

# the stock pace is the stock way, and so is a batch of one
commands=$(tpm_value commands)
set_mode "$tpm" stock
crowd stock 8 5
is $(($(tpm_value commands) - commands)) 40 "mode stock: a command for each of 40 extends"
set_mode "$tpm" auto
echo 1 >$batch_max
commands=$(tpm_value commands)
crowd single 8 5
is $(($(tpm_value commands) - commands)) 40 "batch_max 1: a command for each of 40 extends"
echo 16 >$batch_max
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256

# violations among them: a file that is read while somebody has it open for writing
violations=$(cat $ima/violations)
for ((i = 0; i < 12; i++)); do
	echo "v $i" >"$mnt/violated.$i"
done
pids=()
for ((i = 0; i < 12; i++)); do
	(
		exec 7>>"$mnt/violated.$i"
		cat "$mnt/violated.$i" >/dev/null
	) &
	pids+=($!)
done
crowd mixed 8 10
wait
is $(($(cat $ima/violations) - violations)) 12 "12 violations were counted"
expect_pass "with violations among them the list replays to the PCR" replay_is_pcr "$tpm" sha256

# a signal to whoever opened the file, also the one that cannot be caught
make_files killed 200
for ((i = 0; i < 200; i += 10)); do
	cat "$mnt/killed/$i" "$mnt/killed/$((i + 1))" "$mnt/killed/$((i + 2))" >/dev/null 2>&1 &
	victim=$!
	cat "$mnt/killed/$((i + 3))" "$mnt/killed/$((i + 4))" >/dev/null &
	sleep "0.00$((i / 10 % 8))"
	kill -KILL "$victim" 2>/dev/null || true
done
wait || true
is "$(tpm_value lost)" 0 "killed readers lose no extend"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
tap_done
