#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# The extend number 1 of the bind fails: the PCR is spoilt, once, and left alone.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_scripted PCR_Extend:1=rc,0x101
is "$(tpm_value state)" failed "IMA says that the bind failed"
is "$(entries_named tpm_attach_aggregate)" 0 "entries that mark the bind"
is "$(tpm_value lost) $(tpm_value extends)" "1 0" "all that is listed counts as lost"
like "$(dmesg | grep 'ima: Binding')" 'failed half-way' "the log says so"
is "$(grep -c PCR_Extend "$log")" 2 "one more extend followed: the ones"
expect_fail "the list does not replay to the PCR" replay_is_pcr "$tpm" sha256
private_mount
load_policy
make_files a 3
read_files a
is "$(grep -c PCR_Extend "$log")" 2 "nothing is extended any more"
is "$(entries)" 4 "files are listed all the same"
tap_done
