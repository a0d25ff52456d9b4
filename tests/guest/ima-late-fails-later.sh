#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# The TPM refuses an extend in the middle of a list that was there before it came: the PCR
# must not look like that of a shorter list.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files a 30
read_files a
# by the trial (12 extends) and by shared commands it is anywhere in the list
start_scripted PCR_Extend:14-18=rc,0x101
is "$(tpm_value state)" failed "IMA says that the bind failed"
is "$(tpm_value lost) $(tpm_value extends) $(tpm_value first_lost)" "31 0 1" "all that is listed counts as lost"
is "$(entries_named tpm_attach_aggregate)" 0 "nothing marks a bind"
like "$(dmesg | grep 'ima: Binding')" 'failed half-way' "the log says so"
expect_fail "the list does not replay to the PCR" replay_is_pcr "$tpm" sha256
echo "sha256:10:$(pcr10 "$tpm" sha256)" >/run/pcrs
cat $binary_list >/run/list
expect_fail "nor does any part of it" vtpmfast verify --pcrs /run/pcrs --max-tail 1000 /run/list
extends=$(grep -c PCR_Extend "$log")
make_files b 3
read_files b
is "$(grep -c PCR_Extend "$log")" "$extends" "nothing is extended any more"
stop_scripted
tap_done
