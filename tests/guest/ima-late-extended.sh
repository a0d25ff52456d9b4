#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# A TPM whose PCR somebody has extended already proves nothing: bypass.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_scripted_with --extended 10
is "$(tpm_value state)" bypass "IMA stays in bypass"
is "$(entries_named tpm_attach_aggregate)" 0 "nothing marks a bind"
is "$(grep -c PCR_Extend "$log")" 0 "nothing was extended"
like "$(dmesg | grep 'ima: Not bound')" "$tpm.*extended PCR 10 already" "and the log says why"
private_mount
load_policy
make_files a 3
read_files a
is "$(entries)" 4 "files are listed"
is "$(grep -c PCR_Extend "$log") $(tpm_value extends) $(tpm_value lost)" "0 0 0" "and not extended"
stop_scripted
start_swtpm
is "$(tpm_value state)" bypass "the next chip is not tried: the first one decides"
tap_done
