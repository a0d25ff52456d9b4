#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# An extend without an answer: the PCR tells whether it was done. What was done counts,
# what was not is sent once more, and only once.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# the bind is 1 and 2
start_scripted PCR_Extend:3=late,900 PCR_Extend:5=drop PCR_Extend:8-9=drop
make_files a 9
state() {
	echo "$(tpm_value extends) $(tpm_value recovered) $(tpm_value lost) $(grep -c PCR_Extend "$log")"
}

cat "$mnt/a/0" >/dev/null
is "$(state)" "3 1 0 3" "done, but too late: it counts, and is not sent again"
expect_pass "and the list replays to the PCR" replay_is_pcr "$tpm" sha256
cat "$mnt/a/1" >/dev/null
is "$(state)" "4 1 0 4" "the next one is an ordinary one"
cat "$mnt/a/2" >/dev/null
is "$(state)" "5 2 0 6" "not done: it is sent once more"
expect_pass "and the list replays to the PCR" replay_is_pcr "$tpm" sha256
is "$(grep -c 'PCR_Extend.*action=drop' "$log")" 1 "one command was dropped for that"

# 7 is an ordinary one, 8 and its repetition 9 are dropped
cat "$mnt/a/3" "$mnt/a/4" >/dev/null
is "$(state)" "6 2 1 9" "not done twice: it is lost, and not sent a third time"
expect_fail "the list does not replay to the PCR any more" replay_is_pcr "$tpm" sha256
cat "$mnt/a/5" >/dev/null
is "$(state)" "7 2 1 10" "the next one is extended, and the lost one is not sent later"
is "$(tpm_value refused)" 0 "the TPM has refused none"
stop_scripted
tap_done
