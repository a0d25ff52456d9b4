#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180 append=ima_tpm=late+tpm.limit_ms=20000
# Whoever has opened a file that is measured goes on only after the TPM has answered
# its own extend; the TPM itself sees what was listed when it was asked.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

delay_ms=30
workers=64
files=3
private_mount
load_policy
# 1 and 2 are the bind; then each extend takes its time
start_scripted_with --banks sha1,sha256 --events --on PCR_Extend:3-=delay,$delay_ms
mkdir "$mnt/a"
expect_pass "$workers workers open $files files each" \
	sh -c "ima-readers --workers $workers --files $files $mnt/a >/run/readers"
is "$(entries)" $((2 + workers * files)) "every file is listed once"
is "$(tpm_value lost)" 0 "nothing was lost"
list_and_pcr_agree "$log"

# The k-th entry is the k-th event. A command is answered delay_ms after it came, so
# who returns sooner did not wait for it.
paste -d' ' <(events_of "$log") <(awk '{ print $5 }' $list) >/run/extended
early=$(awk -v delay_us=$((delay_ms * 1000)) '
	NR == FNR { asked[$6] = $1; next }
	/^file=/ {
		file = substr($1, 6)
		returned = substr($2, 13) + 0
		n++
		if (!(file in asked) || returned < asked[file] + delay_us)
			early++
	}
	END { print n + 0, early + 0 }' /run/extended /run/readers)
is "$early" "$((workers * files)) 0" "accesses, and those that returned before their extend was answered"
at_least "$(tpm_value largest_batch)" 2 "there were batches"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
