#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# The TPM refuses one event in the middle of a batch, in company and alone: only that one
# is lost, and nobody is told that the list belongs to the PCR.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
# As in ima-groups-refused.sh the first command that is shared is 13; its events follow
# one by one, and 15 is the second of them.
start_scripted_with --events --on PCR_Extend:3=delay,2000 --on PCR_Extend:13=rc,0x101 \
	--on PCR_Extend:15=rc,0x101
make_files a 1
mkdir "$mnt/b"
cat "$mnt/a/0" >/dev/null &
first=$!
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
expect_pass "12 files are opened meanwhile" \
	sh -c "ima-readers --workers 12 --files 1 $mnt/b >/run/readers"
wait "$first"
like "$(grep 'PCR_Extend k=13 ' "$log")" ' events=[2-9] .*action=rc' "a command of several events is refused"
like "$(grep 'PCR_Extend k=15 ' "$log")" ' events=1 .*action=rc' "so is one of them alone"
is "$(entries)" 15 "all are listed"
is "$(tpm_value extends) $(tpm_value lost)" "14 1" "one is lost"
culprit=$(grep 'PCR_Extend k=15 ' "$log" | sed 's/.*digests=\([0-9a-f]*\).*/\1/')
# the list's digests are sha1, those of the TPM sha256: compare positions
events_of "$log" | awk '{ print $5 }' >/run/done
is "$(sort -u /run/done | wc -l) $(grep -c "$culprit" /run/done || true)" "14 0" \
	"every other event is in the PCR, once"
expect_fail -c 5 "the list does not replay to the PCR" \
	vtpmfast verify --device "/dev/tpmrm${tpm#tpm}"
make_files c 3
read_files c
is "$(tpm_value extends) $(tpm_value lost)" "17 1" "those that come later are extended"
stop_scripted
tap_done
