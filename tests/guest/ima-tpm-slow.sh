#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# The TPM is slow, stopped, stopped too long, killed, while files are measured.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_swtpm
private_mount
load_policy
for name in a b c d e; do
	make_files "$name" 40
done

read_files a &
load=$!
kill -STOP "$pid"
cont_after "$pid" 300
wait "$load"
is "$(tpm_value lost)" 0 "300 ms without an answer lose nothing"
is "$(entries)" 42 "40 files are listed"
expect_pass "and replay to the PCR" replay_is_pcr "$tpm" sha256

# extend before use: while the TPM does not answer, the reader does not get its file
kill -STOP "$pid"
cat "$mnt/b/0" >/run/got &
load=$!
sleep 0.2
is "$(cat /run/got)" "" "a reader waits for its extend"
kill -CONT "$pid"
wait "$load"
is "$(cat /run/got)" "b 0" "and then gets its file"
expect_pass "which is in the PCR" replay_is_pcr "$tpm" sha256

# beyond the time limit of 750 ms, and beyond that of asking for the PCR afterwards
cat "$mnt/c/0" >/run/got &
load=$!
kill -STOP "$pid"
cat "$mnt/c/1" >/run/got2 &
second=$!
cont_after "$pid" 2500
wait "$load"
wait "$second"
at_least "$(tpm_value lost)" 1 "an extend that was not answered in time is counted"
is "$(cat /run/got /run/got2 | sort | tr '\n' ' ')" "c 0 c 1 " "and its reader goes on"
listed=$(entries)
read_files d
is "$(($(entries) - listed))" 40 "the files after it are listed"

kill -KILL "$pid"
wait_gone "$tpm"
lost=$(tpm_value lost)
began=$(now_ms)
read_files e
at_most $(($(now_ms) - began)) 2000 "40 files after the TPM's death take no time limit (ms)"
is "$(($(tpm_value lost) - lost))" 40 "each of them is counted as lost"
tap_done
