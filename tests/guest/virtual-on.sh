#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched append=tpm.virtual=on
# tpm.virtual=on says so, and a nonsense value at run time does not.
. /tests/lib/guest.sh

start_swtpm
is "$(cat "/sys/class/tpm/$tpm/virtual")" "1 parameter" "the chip is virtual, by the parameter"
is "$(cat "/sys/class/tpm/$tpm/completion_mode_effective")" event "auto means event"
expect_pass "extends work and are verified" tpm-client -q -d "/dev/$tpm" 'extend*50'
tap_done
