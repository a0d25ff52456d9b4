#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late mem=768M
# While many measure, somebody who looks at list and PCR a hundred times a second always
# finds a PCR that is the replay of a part of the list, behind it by a batch at most.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

type -P ima-watch >/dev/null || skip_all "ima-watch is not built"
start_swtpm_with --banks sha1,sha256
private_mount
load_policy

# watched OPTION...: ima-readers with a watcher
watched() {
	local watcher code=0
	: >/run/watch
	ima-watch --device "/dev/tpmrm${tpm#tpm}" >/run/watch 2>/run/watch.err &
	watcher=$!
	until [[ -s /run/watch ]]; do
		kill -0 "$watcher" 2>/dev/null || bail "ima-watch: $(</run/watch.err)"
		sleep 0.01
	done
	mkdir "$mnt/$1"
	ima-readers "${@:2}" "$mnt/$1" >/run/readers || true
	kill -TERM "$watcher"
	wait "$watcher" || code=$?
	text=$(tail -n 1 /run/watch)
	is "$code $(value_of faults "$text")" "0 0" "$1: the watcher found no fault"
	[[ $code = 0 ]] || diag "$(</run/watch.err)"
	is "$(value_of failed "$(</run/readers)")" 0 "$1: no access failed"
	diag "$text"
}

watched processes --workers 32 --files 40
is "$(value_of entries "$text")" $((2 + 32 * 40)) "it has seen all entries"
at_least "$(value_of moved "$text")" 5 "while they came"
at_least "$(value_of quiet "$text")" 1 "and the quiet after them"
watched threads --threads --violate --workers 64 --files 12
at_least "$(value_of moved "$text")" 5 "again while they came"
is "$(tpm_value lost)" 0 "nothing was lost"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256

# the watcher can find fault: with an entry too many in the PCR
tpm2_pcrextend -T "device:/dev/tpmrm${tpm#tpm}" "10:sha1=$(printf '%040d' 1)" ||
	bail "tpm2_pcrextend"
code=0
timeout -s TERM 2 ima-watch --device "/dev/tpmrm${tpm#tpm}" >/run/watch 2>/run/watch.err || code=$?
like "$(</run/watch.err)" 'bank sha1: the PCR is not the replay' "it notices a PCR that leads"
expect_fail -c 2 "a watcher without sense" ima-watch --batch none
expect_fail -c 3 "a watcher without a TPM" ima-watch --device /dev/tpmrm9
tap_done
