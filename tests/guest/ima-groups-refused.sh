#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# The TPM refuses a command that several extends share: they are sent one by one, and
# none is lost. One that it refuses by itself is lost, counted, and its neighbours are not.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# The bind is 1 and 2. While 3 takes two seconds, others queue up behind it; then come
# the trial on PCR 16 (with one bank: 2 together and 2 apart, 4 and 4, 8 refused) as 4 to
# 12, and the first shared command, 13, is refused.
start_scripted PCR_Extend:3=delay,2000 PCR_Extend:13=rc,0x101
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
is "$(tpm_value extends) $(tpm_value lost)" "15 0" "a refused command loses nothing"
is "$(grep -c 'k=13 .*action=rc' "$log")" 1 "a command was refused"
at_least "$(tpm_value largest_batch)" 2 "it was in a batch"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
stop_scripted
tap_done
