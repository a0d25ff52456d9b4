#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched append=ima_tpm=late timeout=120
# vtpmfast sweep while its TPM stands still.
. /tests/lib/guest.sh
. /tests/lib/sweep-guest.sh

sweep_with_tpm sha256 "func=FILE_CHECK mask=MAY_READ"

# a TPM that stops answering costs the time limit, not for ever
busy_sweep 4 --workload create --processes 2 --duration 60 --warmup 0 --runs 1 --limit 2
sleep 1
kill -STOP "$pid"
started=$(now_ms)
code=0
wait "$sweep_pid" || code=$?
is "$code" 4 "the TPM stops: exit 4"
at_most "$(($(now_ms) - started))" 6000 "... soon after the limit, in ms"
like "$(</run/stderr)" "stuck|no answer|has lost" "... with the reason"
kill -CONT "$pid"
gone() { ! pgrep -x vtpmfast; }
deadline=$(($(now_ms) + 10000))
until gone >/dev/null || (($(now_ms) > deadline)); do
	sleep 0.05
done
expect_pass "... no process stays once it answers again" gone

# A worker that is killed while its extend is under way may lose it. Then IMA says so,
# and no sweep may call the list right.
lost=$(sed -n 's/^lost //p' /sys/kernel/security/ima/tpm)
code=0
csv=$("${sweep[@]}" --processes 1 --count 23 --warmup 0 --runs 1 --csv 2>/run/stderr) || code=$?
diag "lost: ${lost:-not told}, the next sweep: exit $code"
is "$code" "$((${lost:-0} ? 5 : 0))" "the next sweep agrees with what IMA counts as lost"
[[ $code != 0 ]] || is "$(column verified "$csv")" true "... and is verified"
tap_done
