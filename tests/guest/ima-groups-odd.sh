#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# A TPM takes a command with several events, says that all is well, and has done only the
# first. IMA must have found that out on another PCR.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
start_scripted_with --banks sha1,sha256 --on PCR_Extend:3=delay,1000 --on PCR_Extend=first
make_files a 1
mkdir "$mnt/b"
cat "$mnt/a/0" >/dev/null &
first=$!
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
expect_pass "12 workers open 4 files each" \
	sh -c "ima-readers --workers 12 --files 4 $mnt/b >/run/readers"
wait "$first"
at_least "$(tpm_value largest_batch)" 2 "there were batches"
at_least "$(grep -c 'command=PCR_Reset' "$log")" 1 "it was tried"
is "$(tpm_value commands)" "$(tpm_value extends)" "each extend is a command of its own"
is "$(entries) $(tpm_value lost)" "51 0" "entries, lost"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
