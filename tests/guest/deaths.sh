#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=400 mem=512M
# The server of a chip ends in the middle of a command, a thousand times: the
# client is told at once, the chip goes away, nothing stays stuck.
. /tests/lib/guest.sh

rounds=1000
# where every lock is checked a round takes several times as long
[[ ! -e /proc/lockdep_stats ]] || rounds=200
free_before=$(awk '/^MemFree|^SReclaimable/ { kb += $2 } END { print kb }' /proc/meminfo)
text=$(tpm-deaths -r "$rounds" 2>&1) || true
diag "$text"
is "$(tail -n 1 <<<"$text")" "rounds=$rounds failed=0" \
	"$rounds deaths: each client got ECANCELED or EPIPE within 0.5 s, each chip went away"
free_after=$(awk '/^MemFree|^SReclaimable/ { kb += $2 } END { print kb }' /proc/meminfo)
# a chip leaked per round would be far more than this
at_most "$((free_before - free_after))" 20000 "memory that did not come back, in kB"

# The real swtpm, with a client that never stops
for round in $(seq 10); do
	start_swtpm
	tpm-client -q -d "/dev/$tpm" 'extend*1000000' >/tmp/load 2>&1 &
	load=$!
	until has_open "$load" "/dev/$tpm"; do sleep 0.01; done
	sleep 0.02
	kill -KILL "$pid"
	started=$(now_ms)
	wait_gone "$tpm" || not_ok "round $round: $tpm is still there"
	# after the death each extend fails at once: end it
	kill -KILL "$load" 2>/dev/null || true
	wait "$load" 2>/dev/null || true
	took=$(($(now_ms) - started))
	((took < 1000)) || not_ok "round $round: $took ms until the chip was gone"
	grep -qE 'result=(ECANCELED|EPIPE)' /tmp/load ||
		not_ok "round $round: the client got $(head -n 1 /tmp/load)"
done
ok "10 deaths of swtpm under load"
is "$(stuck_tasks)" "" "no stuck task"

start_swtpm
expect_pass "and a new TPM works" tpm-client -q -d "/dev/$tpm" 'extend*10'
is "$tpm" tpm0 "under the first number: no chip is left over"
tap_done
