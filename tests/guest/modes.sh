#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180
# Completion modes, switched while commands run: no command may be lost, done
# twice or reordered, which the PCR's value would show.
. /tests/lib/guest.sh

start_swtpm
rate=
for mode in stock usleep adaptive event auto; do
	set_mode "$tpm" "$mode"
	started=$(now_ms)
	# blind polling starves the TPM on a single CPU: keep that one short
	n=500
	[[ $mode != usleep ]] || n=30
	text=$(tpm-client -q -d "/dev/$tpm" "extend*$n") || true
	is "$(value_of verified "$text")" yes "$n extends in $mode: the PCR is their replay"
	is "$(value_of "done" "$text")" "$n" "and every one was reported done"
	took=$(($(now_ms) - started))
	diag "$mode: $n extends in $took ms"
	case $mode in
	stock) stock_ms=$took ;;
	auto) rate=$took ;;
	esac
done
at_most "$rate" "$stock_ms" "auto takes no longer than stock, in ms"

# Switch every few milliseconds below a client on each kind of device
for device in "/dev/$tpm" "/dev/tpmrm${tpm#tpm}"; do
	tpm-client -q -d "$device" 'extend*3000' >/tmp/load 2>&1 &
	load=$!
	switches=0
	list=(adaptive event stock auto adaptive usleep)
	while kill -0 "$load" 2>/dev/null; do
		set_mode "$tpm" "${list[switches % ${#list[@]}]}"
		switches=$((switches + 1))
		sleep 0.003
	done
	code=0
	wait "$load" || code=$?
	is "$code" 0 "$device: verified after 3000 extends under $switches switches"
	at_least "$switches" 20 "the mode was really switched meanwhile"
	text=$(</tmp/load)
	is "$(value_of "done" "$text")" 3000 "and every extend was reported done"
	diag "$text"
	set_mode "$tpm" auto
done

# Many clients at once: the managed device serialises them, PCR 16 is shared, so
# only the count can be checked: the TPM's own answer to each of them
for mode in event stock adaptive; do
	set_mode "$tpm" "$mode"
	pids=()
	for i in 1 2 3 4 5 6 7 8; do
		tpm-client -q -d "/dev/tpmrm${tpm#tpm}" 'random' 'getcap' 'random' \
			>"/tmp/client.$i" 2>&1 &
		pids+=($!)
	done
	failed=0
	for i in "${!pids[@]}"; do
		wait "${pids[i]}" || failed=$((failed + 1))
	done
	is "$failed" 0 "8 clients of the managed device at once in $mode"
	is "$(cat /tmp/client.* | grep -c '^op=' || true)" 0 "none of their commands failed"
done
is "$(stuck_tasks)" "" "no stuck task"
tap_done
