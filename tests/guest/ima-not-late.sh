#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=stock,patched timeout=60
# Without the parameter a TPM that comes late is none of IMA's business.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_swtpm
private_mount
load_policy
make_files a 5
read_files a
is "$(entries)" 6 "files are listed"
is "$(pcr10 "$tpm" sha256)" "$(printf '%064d' 0)" "the PCR is untouched"
if [[ -e $ima/tpm ]]; then
	is "$(tpm_value state) $(tpm_value extends)" "bypass 0" "IMA is in bypass"
fi
tap_done
