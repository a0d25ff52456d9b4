#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.virtual=off
# A chip that is not flagged gets what it always got: an extend for each entry, one after
# the other, nothing tried on it. Many at once change nothing about that.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
start_scripted_with --banks sha1,sha256 --events
is "$(<"$(sysfs "$tpm" virtual)")" "0 parameter" "the chip is not flagged"
before=$(wc -l <"$log")
mkdir "$mnt/a"
expect_pass "16 workers open 10 files each" \
	sh -c "ima-readers --workers 16 --files 10 $mnt/a >/run/readers"
is "$(entries) $(tpm_value extends) $(tpm_value lost)" "162 162 0" "entries, extends, lost"
is "$(tpm_value largest_batch)" 1 "nothing shares a batch"
sed "1,${before}d" "$log" >/run/log
is "$(grep -c 'command=PCR_Extend .* pcr=10 .* events=1 ' /run/log)" 160 "each extend is a command of its own"
is "$(grep -vc 'command=PCR_Extend ' /run/log || true)" 0 "nothing else is sent"
events_of "$log" >/run/events
# nobody is listed while another is extended
is "$(awk 'NR > 2 && $3 != $2 + 1' /run/events | wc -l)" 0 "each is sent when it is listed, before the next"
list_and_pcr_agree "$log"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
