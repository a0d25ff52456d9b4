#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# Something was measured before the TPM came: bypass, with one clear message.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files a 3
read_files a
is "$(entries)" 4 "three files were measured without a TPM"
start_swtpm
is "$(tpm_value state)" bypass "IMA stays in bypass"
is "$(pcr10 "$tpm" sha256)" "$(printf '%064d' 0)" "the PCR is untouched"
is "$(dmesg | grep -c 'ima: Not bound')" 1 "there is one message"
like "$(dmesg | grep 'ima: Not bound')" "$tpm.* 4 measurements" "which says why"
is "$(entries)" 4 "the list is as it was"
tap_done
