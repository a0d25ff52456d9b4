#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000
# The same path with the same content in two mount namespaces is one measurement. The
# second who opens it finds it listed, and waits all the same for the first one's extend.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

delay_ms=1500
mkdir /run/same
# in_namespace N: mounts something of its own at the path, then waits until it may begin
in_namespace() {
	# shellcheck disable=SC2016 # the inner shell expands its argument
	unshare --mount --propagation private bash -c '
		mount -t tmpfs private /run/same
		fsuuid /run/same >/run/uuid.$1
		until [[ -e /run/begin.$1 ]]; do sleep 0.01; done
		ima-readers --workers 1 --files 1 /run/same >/run/readers.$1' _ "$1"
}

pids=()
for i in 1 2; do
	in_namespace $i &
	pids+=($!)
done
until [[ -s /run/uuid.1 && -s /run/uuid.2 ]]; do
	sleep 0.01
done
load_policy "measure func=FILE_CHECK mask=MAY_READ fsuuid=$(</run/uuid.1)" \
	"measure func=FILE_CHECK mask=MAY_READ fsuuid=$(</run/uuid.2)"
start_scripted_with --banks sha1,sha256 --events --on PCR_Extend:3=delay,$delay_ms
: >/run/begin.1
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
: >/run/begin.2
wait "${pids[@]}"
is "$(value_of failed "$(</run/readers.1)")$(value_of failed "$(</run/readers.2)")" 00 "both have read"
is "$(entries_named /run/same/0.0)" 1 "the list has it once"
is "$(grep -c 'PCR_Extend' "$log")" 3 "so has the TPM"
asked_us=$(events_of "$log" | awk 'END { print $1 }')
for i in 1 2; do
	at_least "$(($(sed -n 's/^file=.* returned_us=//p' /run/readers.$i) - asked_us))" \
		$((delay_ms * 1000)) "namespace $i: open() returned after the answer (us after the command)"
done
is "$(tpm_value lost)" 0 "nothing was lost"
list_and_pcr_agree "$log"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
