#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=240
# A TPM that never answers a command, answers late, or answers nonsense.
. /tests/lib/guest.sh

start_scripted
list=$(modes "$tpm")
stop_scripted
for mode in $list; do
	start_scripted "PCR_Extend:1=drop" "PCR_Extend:3=delay,500"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend getcap extend extend) || true
	is "$(results extend "$text")" "ETIME ok ok" \
		"$mode: never answered, answered, answered after 0.5 s"
	is "$(results getcap "$text")" ok "$mode: the command after the silence works on the same file"
	is "$(value_of verified "$text")" yes "$mode: what was never answered was never done"
	stop_scripted

	start_scripted "PCR_Extend:2=late,900"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend extend at:2500 getcap extend) || true
	is "$(results extend "$text")" "ok ETIME ok" "$mode: an answer after 0.9 s is too late"
	is "$(results getcap "$text")" ok "$mode: and does not disturb the next command"
	is "$(value_of verified "$text")" with-timed-out "$mode: the late extend was done, once"
	expect_pass "$mode: the server lives on" kill -0 "$pid"
	stop_scripted

	# a command on top of one that is still being worked on: its answer must
	# not be taken for that of the next
	start_scripted "PCR_Extend:1=late,1200"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend random extend) || true
	diag "$text"
	is "$(results extend "$text") $(results random "$text")" "ETIME ok ok" \
		"$mode: the next commands get their own answers"
	is "$(grep -c 'command=GetRandom .* rc=0x0' "$log" || true)" 1 "$mode: it was asked for them"
	is "$(value_of verified "$text")" with-timed-out "$mode: the late extend was done, once"
	expect_pass "$mode: the server lives on after it" kill -0 "$pid"
	stop_scripted

	for size in 0 5 9 12; do
		start_scripted "GetRandom:1=size,$size"
		set_mode "$tpm" "$mode"
		text=$(tpm-client -d "/dev/$tpm" random random) || true
		like "$(results random "$text")" '^E[A-Z]+ ok$' \
			"$mode: an answer of $size bytes is an error, the next command works"
		stop_scripted
	done

	# told by the hang-up, not by the time limit
	start_scripted "PCR_Extend:1=hangup"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend) || true
	like "$text" 'op=extend result=(ECANCELED|EPIPE) us=[0-9]{1,5}[[:space:]]' \
		"$mode: a server that hangs up ends the command within 100 ms"
	stop_scripted
	start_scripted "PCR_Extend:1=die"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -d "/dev/$tpm" extend) || true
	like "$text" 'op=extend result=(ECANCELED|EPIPE) us=[0-9]{1,5}[[:space:]]' \
		"$mode: so does one that dies"
	stop_scripted
done
is "$(stuck_tasks)" "" "no stuck task"
tap_done
