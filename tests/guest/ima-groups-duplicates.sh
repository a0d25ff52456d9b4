#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+ima_template_fmt=d-ng+tpm.limit_ms=20000
# Files of one content have one digest here. Whoever finds it listed while its extend is
# under way waits for that extend too.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# 1 and 2 are the bind; each of the next three takes 700 ms
start_scripted PCR_Extend:3-5=delay,700
for i in 1 2 3 4 5 6 7 8; do
	mkdir "$mnt/$i"
	echo "the same" >"$mnt/$i/file"
done
echo other >"$mnt/other"
listed=$(entries)

began=$(now_ms)
cat "$mnt/other" >/dev/null &
first=$!
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
# all of them wait behind the first, then for the extend of the one that is listed
pids=()
for i in 1 2 3 4 5 6 7 8; do
	(
		cat "$mnt/$i/file" >/dev/null
		now_ms >"/run/done.$i"
	) &
	pids+=($!)
done
wait "$first" "${pids[@]}"
is $(($(entries) - listed)) 2 "nine files, two contents: two entries"
is "$(grep -c PCR_Extend "$log")" 4 "and two extends besides those of the bind"
early=0
for i in 1 2 3 4 5 6 7 8; do
	(($(<"/run/done.$i") - began >= 1350)) || early=$((early + 1))
done
is "$early" 0 "none of the eight returned before the extend of their content was done"
is "$(tpm_value lost)" 0 "nothing was lost"
expect_pass "the list replays to the PCR" vtpmfast verify --device "/dev/tpmrm${tpm#tpm}"
tap_done
