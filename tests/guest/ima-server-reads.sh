#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# The process that is the TPM reads unmeasured files while it serves: it must not
# wait for itself, and whoever else reads them is measured.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files tpm 200
make_files other 20
began=$(now_ms)
start_scripted_with --read "$mnt/tpm"
is "$(tpm_value state)" late "the bind took place"
is "$(tpm_value exempt)" 2 "the TPM's reading during the bind is counted as exempt"
before=$(tpm_value exempt)
read_files other
at_most $(($(now_ms) - began)) 5000 "nobody waited for a time limit (ms)"
is $(($(tpm_value exempt) - before)) 20 "so is that before each of 20 answers"
is "$(tpm_value lost)" 0 "nothing was lost"
is "$(entries)" 22 "the files of the others are listed"
is "$(grep -c "$mnt/tpm" $list || true)" 0 "those of the TPM are not"
is "$(dmesg | grep -c 'is the TPM')" 1 "the log says so once"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
read_files tpm
is $(($(entries) - 22)) 200 "the same files are measured when another process reads them"
expect_pass "the list still replays to the PCR" replay_is_pcr "$tpm" sha256
tap_done
