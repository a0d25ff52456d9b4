#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=300
# swtpm is stopped for 0.3 s (an extend must wait for it) and for 1.5 s (beyond
# the 750 ms that an extend may take: a clean ETIME, and the next command on the
# same open file works).
. /tests/lib/guest.sh

SIGSTOP=19
start_swtpm
# A request that swtpm has not read when its time is up: a patched driver takes
# it back; else swtpm finds it when it wakes and carries it out after all.
if is_patched "$tpm"; then
	unread=yes
	limit='(7[5-9]|[89][0-9]|1[0-9][0-9])'
else
	unread=with-timed-out
	# its deadline is counted in ticks, and the first is not a whole one
	limit='(7[4-9]|[89][0-9]|1[0-9][0-9])'
fi
for device in "/dev/$tpm" "/dev/tpmrm${tpm#tpm}"; do
	for mode in $(modes "$tpm"); do
		name="$device $mode"
		if [[ $mode = usleep && $(nproc) = 1 ]]; then
			skip "$name" "blind polling starves the TPM on one CPU"
			continue
		fi
		set_mode "$tpm" "$mode"

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
		like "$text" "op=extend result=ETIME us=${limit}[0-9]{4}[[:space:]]" \
			"$name, 1.5 s: with ETIME, after its time limit"
		is "$(grep -c 'result=ok' <<<"$text" || true)" 4 \
			"$name, 1.5 s: the next commands on the same file succeed"
		is "$(value_of verified "$text")" "$unread" \
			"$name, 1.5 s: the PCR, with what timed out done later or never"
		if ! kill -0 "$pid" 2>/dev/null; then
			not_ok "$name: swtpm lives on"
			diag "$(cat "$state/log" "$state/out")"
			start_swtpm
		fi

		# the next command comes while the TPM is still stopped
		cont_after "$pid" 1000 &
		text=$(tpm-client -d "$device" "signal:$SIGSTOP:$pid" extend extend getcap) || true
		wait $!
		# (on a slow host the stop lasts longer, and the second may go the same way)
		at_least "$(value_of timed_out "$text")" 1 "$name, 1 s: the first extend times out"
		# the next request took its place in any driver
		is "$(value_of verified "$text")" yes "$name, 1 s: the PCR is the replay"
		if ! kill -0 "$pid" 2>/dev/null; then
			not_ok "$name: swtpm lives on after a command on top of a late one"
			diag "$(cat "$state/log" "$state/out")"
			start_swtpm
		fi
	done
done

# Stopped in the middle of a command (most of the time of a self-test is swtpm's
# own), beyond the 2 s that it may take, and the next command is sent before the
# answer to the first: that late answer must go nowhere and must be no error.
is_patched "$tpm" && set_mode "$tpm" auto
# shellcheck disable=SC2046 # many words
tpm-client -d "/dev/$tpm" $(printf 'selftest %.0s' $(seq 1000)) >/tmp/load 2>&1 &
load=$!
until grep -q 'result=ok' /tmp/load; do sleep 0.02; done
for round in 1 2 3; do
	sleep "0.$((RANDOM % 400 + 100))"
	kill -STOP "$pid"
	sleep 2.6
	kill -CONT "$pid"
	sleep 0.5
	kill -0 "$pid" 2>/dev/null || bail "swtpm ended in round $round: $(cat "$state/log")"
done
kill "$load"
wait "$load" 2>/dev/null || true
is "$(grep -vcE 'result=(ok|ETIME) ' /tmp/load || true)" 0 "late answers are never taken for others"
at_least "$(grep -c 'result=ETIME ' /tmp/load || true)" 3 "each stop was beyond the time limit"
if [[ $unread = yes ]]; then
	is "$(grep -c 'writev' "$state/log" || true)" 0 "swtpm's late answers are no error of its own"
else
	skip "swtpm's late answers are no error of its own" "an unpatched driver refuses them with EIO"
fi
is "$(stuck_tasks)" "" "no stuck task"
tap_done
