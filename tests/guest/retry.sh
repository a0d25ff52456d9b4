#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=180
# A TPM that answers 'try again' is asked again after 20, 40, 80 ... ms in every
# completion mode: never at the pace of the polling.
. /tests/lib/guest.sh

RC_RETRY=0x922
RC_TESTING=0x90a

# The pauses between the answers and the next asking, in ms, for the extends of
# the log
pauses() {
	awk '/command=PCR_Extend/ {
		for (i = 1; i <= NF; i++) {
			split($i, f, "=")
			v[f[1]] = f[2]
		}
		if (last != "")
			printf "%d ", (v["in_us"] - last) / 1000
		last = v["out_us"]
	}' "$log"
}

check_pauses() {
	local name=$1 want=20 pause
	shift
	is "$#" 5 "$name: asked again five times"
	for pause in "$@"; do
		# a late timer is no fault, an early one is
		if ((pause < want - 1 || pause > want + want / 2 + 60)); then
			not_ok "$name: a pause of $want ms"
			diag "pauses: $*"
			return
		fi
		want=$((want * 2))
	done
	ok "$name: the pauses double from 20 ms: $*"
}

start_scripted
list=$(modes "$tpm")
stop_scripted
for mode in $list; do
	for rc in $RC_RETRY $RC_TESTING; do
		start_scripted "PCR_Extend:1-5=rc,$rc"
		set_mode "$tpm" "$mode"
		text=$(tpm-client -d "/dev/$tpm" extend extend) || true
		is "$(value_of "done" "$text")" 2 "$mode, $rc five times: the extend succeeds"
		is "$(value_of verified "$text")" yes "$mode, $rc five times: done once"
		# the last pause is before the second extend, which was never refused
		read -ra pause <<<"$(pauses)"
		check_pauses "$mode, $rc" "${pause[@]:0:5}"
		stop_scripted
	done
done

# For ever: the kernel gives up after pauses of 20 + 40 + ... + 1280 ms
start_scripted "PCR_Extend:1-=rc,$RC_RETRY"
started=$(now_ms)
text=$(tpm-client -d "/dev/$tpm" extend) || true
like "$text" "result=rc:$RC_RETRY " "RC_RETRY for ever: the client gets the TPM's own word"
at_least "$(($(now_ms) - started))" 2500 "after the whole series of pauses, in ms"
is "$(grep -c 'command=PCR_Extend' "$log")" 8 "the TPM was asked eight times"
is "$(value_of verified "$text")" yes "and the PCR did not move"
stop_scripted
tap_done
