#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# The TPM dies in the first extend of the bind: no task waits for it.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

scripted-tpm --on PCR_Extend:1=die >/run/out 2>&1 &
pid=$!
wait "$pid" || true
deadline=$(($(now_ms) + 5000))
until [[ $(tpm_value state) = failed ]] || (($(now_ms) > deadline)); do sleep 0.02; done
is "$(tpm_value state)" failed "the bind has failed"
like "$(dmesg)" 'could not be invalidated either' "and there was no TPM to tell"
private_mount
load_policy
make_files a 3
began=$(now_ms)
read_files a
at_most $(($(now_ms) - began)) 1000 "files are read without a wait (ms)"
is "$(entries)" 4 "and listed"
tap_done
