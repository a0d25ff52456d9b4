#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# An extend without an answer, on a TPM that does not show its PCR either: it is lost,
# whether it was done or not, within two time limits.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# The bind extends twice, and reads PCR 10 twice and PCRs 0 to 9.
start_scripted PCR_Extend:3=late,800 PCR_Read:13=drop
make_files a 3
began=$(now_ms)
cat "$mnt/a/0" >/run/got
took=$(($(now_ms) - began))
is "$(</run/got)" "a 0" "the reader gets its file"
is "$(grep -c 'PCR_Read k=13 .*action=drop' "$log")" 1 "PCR 10 was asked for"
is "$(grep -c PCR_Extend "$log")" 3 "nothing was sent again"
is "$(tpm_value extends) $(tpm_value recovered) $(tpm_value lost)" "2 0 1" "it counts as lost"
at_least "$took" 1400 "the reader waited for both time limits (ms)"
cat "$mnt/a/1" >/dev/null
is "$(tpm_value extends) $(tpm_value recovered) $(tpm_value lost)" "3 0 1" "the next one is extended"
# it was done all the same, so here nothing is wrong with the list
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
stop_scripted
tap_done
