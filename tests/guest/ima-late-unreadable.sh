#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# A PCR that cannot be read may hold anything: bypass.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

start_scripted PCR_Read=rc,0x101
is "$(tpm_value state)" bypass "IMA stays in bypass"
is "$(grep -c PCR_Extend "$log")" 0 "nothing was extended"
like "$(dmesg | grep 'ima: Not bound')" 'reading its PCR 10 gave' "and the log says why"
tap_done
