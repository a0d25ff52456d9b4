#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=3000
# Commands that several extends share get no answer: one was done, one was not. None of
# their extends is lost, none is done twice.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# As in ima-groups-refused: 4 to 12 are the trial, 13 is the first shared command.
start_scripted PCR_Extend:3=delay,2500 PCR_Extend:13=late,3600 PCR_Extend:14=drop
make_files a 1
make_files b 12
cat "$mnt/a/0" >/dev/null &
pids=($!)
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
for ((i = 0; i < 12; i++)); do
	cat "$mnt/b/$i" >/dev/null &
	pids+=($!)
done
wait "${pids[@]}"
is "$(entries)" 15 "13 files are listed"
is "$(tpm_value extends) $(tpm_value lost)" "15 0" "nothing is lost"
is "$(grep -c -e 'k=13 .*action=late' -e 'k=14 .*action=drop' "$log")" 2 "two commands had no answer"
at_least "$(tpm_value recovered)" 3 "they were of more than one extend each"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
stop_scripted
tap_done
