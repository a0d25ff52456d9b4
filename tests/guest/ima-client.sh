#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000 mem=768M
# A client of /dev/tpmrm0 gets its turn while IMA extends without a pause.
#
# The bound is one of counts. Who comes finds the chip held for a batch of at most 16. When
# that is released the client is woken, but a batch that begins before it runs takes the
# chip first; the client, awake and first in the mutex's queue, then asks that it be handed
# over, and the next release does so. So two batches, 32 extends, and one that is sent
# while the client gets from its last answer to its next command. That it runs during the
# second batch is not promised by the mutex but by a TPM that takes longer for a command
# than a process takes to run: hence the delay.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

workers=64
private_mount
load_policy
start_scripted_with --banks sha1,sha256 --events --on PCR_Extend:3-=delay,5
mkdir "$mnt/a"
ima-readers --endless --workers $workers "$mnt/a" >/run/readers &
readers=$!
until grep -q 'PCR_Extend k=16' "$log"; do
	sleep 0.01
done
client_code=0
tpm-client -q -d "/dev/tpmrm${tpm#tpm}" --pcr 23 'extend*25' >/run/client || client_code=$?
running=$(kill -0 $readers 2>/dev/null && echo yes || echo no)
kill -KILL $readers
wait $readers || true
until ! pgrep -x ima-readers >/dev/null; do
	sleep 0.01
done
is "$client_code $(value_of "done" "$(</run/client)")" "0 25" "the client's 25 extends are done"
is "$running" yes "while IMA measured"
# events of PCR 10 between the client's commands, from its first to its last
awk '
	/ pcr=10 / {
		sub(/.* events=/, "")
		between += $1
	}
	/ pcr=23 / {
		if (seen++)
			print between + 0
		between = 0
	}' "$log" >/run/between
is "$(wc -l </run/between)" 24 "between 25 commands are 24 times"
at_most "$(sort -n /run/between | tail -n 1)" 33 "extends of IMA between two of the client"
at_least "$(tpm_value largest_batch)" 16 "batches were as large as they may be"
diag "$(sort -n /run/between | uniq -c | awk '{ print $2 " (" $1 " times)" }' | paste -sd ' ')"
is "$(tpm_value lost)" 0 "nothing was lost"
list_and_pcr_agree "$log"
stop_scripted
tap_done
