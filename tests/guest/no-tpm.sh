#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=any
# A machine without any TPM: every harness says so at once, with its code 3.
. /tests/lib/guest.sh

is "$(echo /sys/class/tpm/tpm*)" "/sys/class/tpm/tpm*" "there is no TPM here"
for device in /dev/tpm0 /dev/tpmrm0; do
	expect_fail -c 3 "tpm-client on $device" tpm-client -d "$device" random
done
type -P vtpmfast >/dev/null || bail "no vtpmfast in the guest"
if vtpmfast extend --help >/dev/null 2>&1; then
	for args in "" "--device /dev/tpm0" "--device /dev/tpmrm0" \
		"--tcti device:/dev/tpmrm0" "--modes stock,event"; do
		started=$(now_ms)
		# shellcheck disable=SC2086 # several words
		expect_fail -c 3 "vtpmfast extend $args" vtpmfast extend $args --count 1
		at_most "$(($(now_ms) - started))" 1000 "within a second, in ms"
	done
else
	skip "vtpmfast extend" "not built"
fi
tap_done
