#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# Files and a violation were measured before the TPM came: it is extended by all of them,
# in their order, and then by the entry that marks the event.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files a 150
exec 7>"$mnt/open"
cat "$mnt/open" >/dev/null
read_files a
exec 7>&-
is "$(cat $ima/violations)" 1 "a violation is listed"
# the file that is open for writing is listed after its violation
is "$(entries)" 153 "and 151 files were measured without a TPM"
start_swtpm_with --banks sha1,sha256,sha384
is "$(tpm_value state) $(tpm_value chip)" "late $tpm" "IMA binds"
is "$(entries) $(tpm_value extends) $(tpm_value lost)" "154 154 0" "all are extended, and the mark"
is "$(tail -n 1 $list | cut -d' ' -f5)" tpm_attach_aggregate "which is the last of the list"
like "$(dmesg | grep 'ima: Bound')" "$tpm.* 153 measurements" "the log says how many"
expect_pass "the list replays to the PCR in every bank" replay_is_pcr "$tpm" sha1 sha256 sha384
at_most "$(tpm_value commands)" 154 "in no more commands than entries"
measures_and_replays "$tpm" sha1 sha256 sha384
tap_done
