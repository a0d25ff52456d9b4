#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# IMA binds to the TPM that comes after it has started, and to no other.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha256
first=$tpm
first_pid=$pid

# A violation: zeros in the list, ones in the PCR
before=$(cat $ima/violations)
exec 7>>"$mnt/written"
cat "$mnt/written"
is "$(($(cat $ima/violations) - before))" 1 "a file read while it is open for writing is a violation"
exec 7>&-
expect_pass "the list still replays, with ones for the violation" replay_is_pcr "$first" sha256

# negative twins: an extend that is not in the list, in a second TPM
start_swtpm
is "$(tpm_value chip)" "$first" "IMA ignores a second chip"
make_files more 5
read_files more
expect_pass "its files go to the first" replay_is_pcr "$first" sha256
is "$(pcr10 "$tpm" sha256)" "$(printf '%064d' 0)" "the second chip's PCR is untouched"
expect_fail "the list does not replay to the second chip's PCR" replay_is_pcr "$tpm" sha256
tpm2_pcrextend -T "device:/dev/tpmrm${first#tpm}" "10:sha256=$(printf '%064d' 7)"
expect_fail "nor to the first's after a foreign extend" replay_is_pcr "$first" sha256

# The TPM dies: nobody waits, everything is listed, every loss is counted
kill -KILL "$first_pid"
wait_gone "$first"
lost=$(tpm_value lost)
listed=$(entries)
make_files orphan 11
began=$(now_ms)
read_files orphan
at_most $(($(now_ms) - began)) 2000 "without its TPM IMA does not wait (ms)"
is "$(($(entries) - listed))" 11 "and still lists the files"
is "$(($(tpm_value lost) - lost))" 11 "and counts each extend that is lost"
is "$(tpm_value state) $(tpm_value chip)" "late $first" "it never returns to bypass"
start_swtpm
is "$(tpm_value chip)" "$first" "nor takes the next chip"
tap_done
