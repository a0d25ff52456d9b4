#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched append=tpm.virtual=off
# With tpm.virtual=off every chip is treated as a physical one.
. /tests/lib/guest.sh

start_swtpm
dir=/sys/class/tpm/$tpm
is "$(</sys/module/tpm/parameters/virtual)" off "the parameter can be read back"
is "$(<"$dir/virtual")" "0 parameter" "the chip is not virtual, by the parameter"
is "$(<"$dir/completion_mode_effective")" stock "auto means stock"
for mode in usleep adaptive event; do
	text=$( (echo "$mode" >"$dir/completion_mode") 2>&1) || true
	is "${text##*: }" "Operation not supported" "$mode is refused with EOPNOTSUPP"
done
is "$(<"$dir/completion_mode")" auto "a refused mode changes nothing"
for mode in stock auto; do
	expect_pass "$mode is taken" set_mode "$tpm" "$mode"
	is "$(<"$dir/completion_mode_effective")" stock "$mode is in effect as stock"
done
text=$( (echo banana >"$dir/completion_mode") 2>&1) || true
is "${text##*: }" "Invalid argument" "garbage is still EINVAL"

started=$(now_ms)
expect_pass "extends work and are verified" tpm-client -q -d "/dev/$tpm" 'extend*200'
# 200 commands that each sleep 0.7 ms at the least
at_least "$(($(now_ms) - started))" 140 "and keep the stock pace, in ms"
tap_done
