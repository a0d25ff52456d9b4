#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# A TPM with four banks stands still for longer than the time limit, with a violation in
# the list: nothing is lost if it goes on before the PCR has been asked for as long again.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

banks=(sha1 sha256 sha384 sha512)
start_swtpm_with --banks "$(IFS=,; echo "${banks[*]}")"
private_mount
load_policy
make_files a 5
exec 7>"$mnt/open"
cat "$mnt/open" "$mnt/a/0" >/dev/null
exec 7>&-
is "$(cat $ima/violations)" 1 "one violation is listed"

for i in 1 2; do
	cat "$mnt/a/$i" >/run/got &
	reader=$!
	kill -STOP "$pid"
	cont_after "$pid" 1100
	wait "$reader"
	is "$(</run/got)" "a $i" "the reader goes on"
done
at_least "$(tpm_value recovered)" 1 "an extend had no answer in time"
is "$(tpm_value lost)" 0 "none is lost"
expect_pass "the list replays to the PCR in each bank" replay_is_pcr "$tpm" "${banks[@]}"
tap_done
