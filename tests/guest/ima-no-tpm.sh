#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# No TPM ever comes: nothing waits, nothing is allocated for one.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files a 100
began=$(now_ms)
read_files a
at_most $(($(now_ms) - began)) 3000 "100 files are measured without a wait (ms)"
is "$(entries)" 101 "and listed"
is "$(tpm_value state) $(tpm_value extends) $(tpm_value lost) $(tpm_value exempt)" 	"waiting 0 0 0" "nothing was extended, lost or let through"
is "$(tpm_value chip)" "" "there is no chip"
tap_done
