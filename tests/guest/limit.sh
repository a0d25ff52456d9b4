#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched append=tpm.limit_ms=3000 timeout=120
# tpm.limit_ms raises every command's time limit, and cannot shorten one.
. /tests/lib/guest.sh

for mode in stock adaptive event; do
	start_scripted "PCR_Extend:1=delay,1500" "PCR_Extend:2=drop"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend extend extend) || true
	is "$(results extend "$text")" \
		"ok ETIME ok" "$mode: an answer after 1.5 s is taken under a limit of 3 s"
	like "$text" "result=ETIME us=(299|3[0-9]{2})[0-9]{4}[[:space:]]" "$mode: and one that never comes ends after 3 s"
	stop_scripted
done
parameter=/sys/module/tpm/parameters/limit_ms
if [[ -w $parameter ]]; then
	echo 10 >"$parameter"
	start_scripted "PCR_Extend:1=delay,500"
	expect_pass "limit_ms=10 shortens nothing" tpm-client -q -d "/dev/$tpm" extend
	text=$(tpm-client -q -d "/dev/$tpm" extend) || true
	is "$(value_of failed "$text")" 0 "an answer after 0.5 s is still taken"
	stop_scripted
else
	skip "limit_ms=10 shortens nothing" "the parameter is set at boot only"
fi
tap_done
