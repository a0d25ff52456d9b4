#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=20000 mem=768M
# Violations from 64 threads among ordinary measurements: each is listed, as zeros, and
# extended, as ones, in its place. None is taken for another.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

threads=64
files=6
private_mount
load_policy
start_scripted_with --banks sha1,sha256 --events --on PCR_Extend:3-=delay,2
mkdir "$mnt/a"
before=$(cat $ima/violations)
expect_pass "$threads threads measure and violate" sh -c \
	"ima-readers --threads --violate --workers $threads --files $files $mnt/a >/run/readers"
text=$(tail -n 1 /run/readers)
caused=$(value_of violations "$text")
is "$(value_of accesses "$text") $caused" "$((threads * files)) $((threads * files * 2 / 3))" \
	"accesses, and violations that they are"
is $(($(cat $ima/violations) - before)) "$caused" "the kernel has counted them"
is "$(awk '$2 ~ /^0+$/' $list | wc -l)" "$caused" "each has an entry"
is "$(events_of "$log" | awk '$5 ~ /^f+$/' | wc -l)" "$caused" "each was extended, as ones"
is "$(entries)" $((2 + threads * files + caused)) "beside those every file has one entry"
is "$(tpm_value lost)" 0 "nothing was lost"
at_least "$(tpm_value largest_batch)" 2 "there were batches"
list_and_pcr_agree "$log"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha1 sha256
stop_scripted
tap_done
