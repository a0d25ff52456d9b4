#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180
# Clients that open the device with O_NONBLOCK: write, poll, read.
. /tests/lib/guest.sh

start_scripted
list=$(modes "$tpm")
stop_scripted
for mode in $list; do
	start_scripted "PCR_Extend:3=delay,300" "PCR_Extend:4=drop" "PCR_Extend:6=late,1000"
	set_mode "$tpm" "$mode"
	for device in "/dev/$tpm" "/dev/tpmrm${tpm#tpm}"; do
		text=$(tpm-client -n -d "$device" random getcap double random) || true
		diag "$text"
		is "$(grep -c 'result=ok' <<<"$text" || true)" 4 "$mode $device: commands are answered"
		like "$text" 'op=double result=EBUSY ' "$mode $device: a second command before the answer is EBUSY"
	done
	text=$(tpm-client -n -d "/dev/$tpm" extend extend extend extend extend extend at:4000 extend) || true
	diag "$text"
	is "$(results extend "$text")" \
		"ok ok ok ETIME ok ETIME ok" "$mode: the error of a command is what read() returns"
	# one that writes must not wait for the TPM
	slowest=$(sed -n 's/.*write_us=\([0-9]*\) .*/\1/p' <<<"$text" | sort -n | tail -n 1)
	at_most "$slowest" 100000 "$mode: write() does not wait for the TPM, in us"
	stop_scripted

	start_scripted "GetRandom:1=die"
	set_mode "$tpm" "$mode"
	text=$(tpm-client -n -d "/dev/$tpm" random) || true
	like "$text" 'op=random result=(ECANCELED|EPIPE) us=[0-9]{1,5}[[:space:]]' \
		"$mode: the server's death wakes a client that polls"
	stop_scripted

	# closing the file with a command under way
	start_scripted "GetRandom:1=delay,200"
	set_mode "$tpm" "$mode"
	tpm-client -n -d "/dev/$tpm" random >/tmp/closing 2>&1 &
	client=$!
	sleep 0.1
	kill -KILL "$client"
	wait "$client" 2>/dev/null || true
	expect_pass "$mode: a client that ends in mid-command leaves a working TPM" \
		tpm-client -n -d "/dev/$tpm" random extend
	stop_scripted
done
is "$(stuck_tasks)" "" "no stuck task"
tap_done
