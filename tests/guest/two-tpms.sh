#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched
# Two TPMs at once, and more than one user of each.
. /tests/lib/guest.sh

start_swtpm
first=$tpm
start_swtpm_with --banks sha1,sha256
second=$tpm
is "$first $second" "tpm0 tpm1" "two swtpm are tpm0 and tpm1"
if is_patched tpm0; then
	set_mode tpm0 stock
	set_mode tpm1 adaptive
	is "$(cat /sys/class/tpm/tpm{0,1}/completion_mode | tr '\n' ' ')" "stock adaptive " \
		"each has a mode of its own"
fi
tpm-client -q -d /dev/tpm0 'extend*500' >/tmp/first &
other=$!
expect_pass "500 extends of tpm1 beside those of tpm0" tpm-client -q -d /dev/tpm1 'extend*500'
code=0
wait "$other" || code=$?
is "$code" 0 "500 extends of tpm0 beside those of tpm1"

tpm-client -d /dev/tpm0 sleep:100000 >/dev/null &
other=$!
until has_open "$other" /dev/tpm0; do sleep 0.02; done
expect_fail -c 3 "a second open of /dev/tpm0 is refused" tpm-client -d /dev/tpm0 random
like "$(tpm-client -d /dev/tpm0 random 2>&1 || true)" "busy" "with EBUSY"
expect_pass "/dev/tpmrm0 can be opened meanwhile" tpm-client -d /dev/tpmrm0 random
kill "$other"
wait "$other" 2>/dev/null || true
expect_pass "and /dev/tpm0 again once it is closed" tpm-client -d /dev/tpm0 random

banks=$(TPM2TOOLS_TCTI=device:/dev/tpmrm1 tpm2_getcap pcrs | grep -c '\[ 0')
is "$banks" 2 "tpm1 has the two banks asked for"
banks=$(TPM2TOOLS_TCTI=device:/dev/tpmrm0 tpm2_getcap pcrs | grep -c '\[ 0')
is "$banks" 1 "tpm0 has one"
tap_done
