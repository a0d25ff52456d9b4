#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# No signal to whoever opens a file aborts an extend: neither a thousand a second, with
# and without SA_RESTART, nor the one that cannot be caught.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
start_scripted_with --banks sha1,sha256 --events --on PCR_Extend:3-=delay,4
mkdir "$mnt/a" "$mnt/b"

expect_pass "24 workers under a thousand signals a second" \
	sh -c "ima-readers --workers 24 --files 10 --signals 1000 $mnt/a >/run/readers"
text=$(tail -n 1 /run/readers)
is "$(value_of accesses "$text") $(value_of failed "$text")" "240 0" "every access succeeds"
at_least "$(value_of signals "$text")" 24 "there were signals"
is "$(entries)" 242 "every file is listed once"
is "$(tpm_value extends) $(tpm_value lost)" "242 0" "and extended"

# A worker that is killed leaves files of which nobody knows how many were opened
expect_pass "a third of 24 workers is killed" \
	sh -c "ima-readers --workers 24 --files 10 --signals 1000 --kill $mnt/b >/run/readers"
text=$(tail -n 1 /run/readers)
is "$(value_of killed "$text") $(value_of failed "$text")" "8 0" "the others go on"
at_least $(($(entries) - 242)) 160 "16 workers had all their files listed"
missing=$(sed -n 's/^file=\([^ ]*\) .*/\1/p' /run/readers | sort |
	comm -23 - <(awk '{ print $5 }' $list | sort) | wc -l)
is "$missing" 0 "no access has returned without an entry"
is "$(tpm_value extends) $(tpm_value lost)" "$(entries) 0" "every entry was extended, none was lost"
list_and_pcr_agree "$log"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
