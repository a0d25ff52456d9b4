#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=60 append=ima_tpm=tomorrow
# An unknown value is said to be one and changes nothing.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

like "$(dmesg)" 'ima_tpm=tomorrow: only "late" is known' "the log names it"
start_swtpm
is "$(tpm_value state)" bypass "IMA does not bind"
tap_done
