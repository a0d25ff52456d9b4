#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=stock
# A kernel without the series has none of its files, and the tools live with it.
. /tests/lib/guest.sh

start_swtpm
for name in virtual completion_mode completion_mode_effective completion_stats; do
	expect_fail "no $name" test -e "/sys/class/tpm/$tpm/$name"
done
expect_fail "no tpm.virtual" test -e /sys/module/tpm/parameters/virtual
expect_pass "extends work and are verified" tpm-client -q -d "/dev/$tpm" 'extend*100'
if type -P vtpmfast >/dev/null && vtpmfast probe --help >/dev/null 2>&1; then
	expect_pass "vtpmfast probe works" vtpmfast probe
	like "$(vtpmfast probe --json 2>&1)" '"stock"' "and calls the kernel stock"
else
	skip "vtpmfast probe works" "vtpmfast probe is not built"
fi
tap_done
