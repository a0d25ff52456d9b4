#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180
# swtpm is stopped for 0.3 s (an extend must wait for it) and for 1.5 s (beyond
# the 750 ms that an extend may take: a clean ETIME, and the next command on the
# same open file works).
. /tests/lib/guest.sh

SIGSTOP=19
start_swtpm
for device in "/dev/$tpm" "/dev/tpmrm${tpm#tpm}"; do
	for mode in $(modes "$tpm"); do
		set_mode "$tpm" "$mode"
		name="$device $mode"

		cont_after "$pid" 300 &
		text=$(tpm-client -d "$device" "signal:$SIGSTOP:$pid" extend extend) || true
		wait $!
		is "$(value_of failed "$text")" 0 "$name, 0.3 s: the extend succeeds"
		at_least "$(value_of slowest_us "$text")" 250000 "$name, 0.3 s: it did wait, in us"
		is "$(value_of verified "$text")" yes "$name, 0.3 s: the PCR is the replay"

		cont_after "$pid" 1500 &
		text=$(tpm-client -d "$device" "signal:$SIGSTOP:$pid" extend at:2500 \
			getcap extend random extend) || true
		wait $!
		is "$(value_of timed_out "$text")" 1 "$name, 1.5 s: the extend times out"
		like "$text" "op=extend result=ETIME us=(7[4-9]|8[0-9])[0-9]{4}[[:space:]]" \
			"$name, 1.5 s: with ETIME, after its time limit, give or take a tick"
		is "$(grep -c 'result=ok' <<<"$text" || true)" 4 \
			"$name, 1.5 s: the next commands on the same file succeed"
		like "$(value_of verified "$text")" '^(yes|with-timed-out)$' \
			"$name, 1.5 s: the PCR is a replay of what was sent, in order"
		diag "$name: the extend that timed out was done later: $(value_of verified "$text")"
		if ! kill -0 "$pid" 2>/dev/null; then
			not_ok "$name: swtpm lives on"
			diag "$(cat "$state/log" "$state/out")"
			start_swtpm
		fi

		# the next command comes while the TPM is still stopped
		cont_after "$pid" 1000 &
		text=$(tpm-client -d "$device" "signal:$SIGSTOP:$pid" extend extend getcap) || true
		wait $!
		is "$(value_of timed_out "$text")" 1 "$name, 1 s: only the first extend times out"
		like "$(value_of verified "$text")" '^(yes|with-timed-out)$' "$name, 1 s: verified"
		diag "$name, next command at once: $(value_of verified "$text")"
		if ! kill -0 "$pid" 2>/dev/null; then
			not_ok "$name: swtpm lives on after a command on top of a late one"
			diag "$(cat "$state/log" "$state/out")"
			start_swtpm
		fi
	done
done
is "$(stuck_tasks)" "" "no stuck task"
tap_done
