#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# 64 processes measure while the bind is under way: all of it is in the list once,
# in the PCR once, in the same order.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
for ((p = 0; p < 64; p++)); do
	make_files "p$p" 20
done
# all of them wait at a gate
exec 8>/run/gate
flock 8
pids=()
for ((p = 0; p < 64; p++)); do
	flock -s /run/gate sh -c "cat '$mnt/p$p'/* >/dev/null" 8>&- &
	pids+=($!)
done
until (($(grep -c -e '-> FLOCK' /proc/locks || true) == 64)); do
	sleep 0.05
done
# each extend of the bind takes 600 ms
scripted-tpm --banks sha1,sha256,sha384 --log /run/log --on PCR_Extend:1-2=delay,600 \
	>/run/out 2>&1 8>&- &
until grep -q PCR_Extend /run/log 2>/dev/null; do
	sleep 0.005
done
state=$(tpm_value state)
exec 8>&-
is "$state" waiting "the gate opens while the bind is under way"
failed=0
for p in "${pids[@]}"; do
	wait "$p" || failed=$((failed + 1))
done
is "$failed" 0 "64 processes have read their files"
tpm=$(value_of tpm "$(</run/out)")
wait_for_chip "$tpm" || bail "$tpm: not registered"
is "$(tpm_value state)" late "IMA is bound"
is "$(entries)" $((2 + 64 * 20)) "every file is listed once"
is "$(tpm_value lost)" 0 "none was lost"
is "$(tpm_value extends)" $((2 + 64 * 20)) "and extended once"
is "$(sed -n 2p $list | awk '{ print $5 }')" tpm_attach_aggregate "the mark of the bind comes before them"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
tap_done
