#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=180 append=ima_tpm=late
# verify on the list that a kernel writes, at rest and while it grows.
. /tests/lib/guest.sh
. /tests/lib/verify-guest.sh

expect_fail -c 3 "no TPM yet" vtpmfast verify
start_bound_swtpm
text=$(vtpmfast verify --strict) || true
like "$text" 'verified  yes' "as soon as the TPM is bound"
like "$text" 'sha256 .* after entry' "... in the sha256 bank"

private_mount
load_policy
of_pcr() { vtpmfast verify --json | sed -n 's/^ *"entries_of_pcr": \([0-9]*\).*/\1/p'; }
before=$(of_pcr)
make_files counted 23
read_files counted
is "$(($(of_pcr) - before))" 23 "23 files are 23 entries"
expect_pass "binary list" vtpmfast verify
expect_pass "ascii list" vtpmfast verify $ima/ascii_runtime_measurements
# those that there are: they are made at boot, when no bank is known yet
for file in "$ima"/*_runtime_measurements_*; do
	expect_pass "${file##*/}" vtpmfast verify "$file"
done
expect_pass "standard input" vtpmfast verify - <$ima/binary_runtime_measurements

make_violation
at_least "$(cat $ima/violations)" 1 "a violation"
text=$(vtpmfast verify) || true
like "$text" ' [1-9][0-9]* violations' "... is in the list"
like "$text" 'verified  yes' "... and is replayed"

# PCR first, list second: always a first part of the list, however fast it grows
grow() {
	local i
	for ((i = 0; i < 40; i++)); do
		make_files "grow-$i" 25
		read_files "grow-$i"
	done
}
grow &
writer=$!
good=0
bad=0
while kill -0 "$writer" 2>/dev/null; do
	if text=$(vtpmfast verify --max-tail 100000 2>&1); then
		good=$((good + 1))
	else
		bad=$((bad + 1))
		diag "$text"
	fi
done
wait "$writer"
is "$bad" 0 "while the list grows the PCR is never anything else"
at_least "$good" 3 "... looked at so often"
expect_pass "at rest again, no tail" vtpmfast verify

# what must not pass
cp $ima/binary_runtime_measurements /run/list
head -c -1 /run/list >/run/cut
expect_fail -c 5 "a list without its last byte" vtpmfast verify /run/cut
tail -c +2 /run/list >/run/cut
expect_fail -c 5 "... without its first" vtpmfast verify /run/cut
expect_fail -c 5 "another PCR" vtpmfast verify --pcr 11
run_extend() { vtpmfast extend --device "/dev/tpmrm${tpm#tpm}" --pcr 10 --force --count 1 --runs 1 --warmup 0; }
run_extend >/dev/null 2>&1 || diag "extending PCR 10 by hand failed"
expect_fail -c 5 "a PCR that somebody else extended" vtpmfast verify
tap_done
