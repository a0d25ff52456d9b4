#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nobody's evidence is spoilt, nothing is touched by a dry run, and a machine
# without a TPM is told so at once.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

start_swtpm one

for pcr in 0 7 10 15 17; do
	run_timed "$vtpmfast" extend --tcti "$tcti" --pcr "$pcr" --count 1 --runs 1
	is "$code" 2 "PCR $pcr is refused"
done
run_timed "$vtpmfast" extend --tcti "$tcti" --pcr 10 --count 1
like "$err" "IMA" "... PCR 10 with the reason"
run_timed "$vtpmfast" floor --pcr 10 --count 1
is "$code" 2 "floor refuses it too"
run_timed "$vtpmfast" extend --tcti "$tcti" --pcr 15 --force --count 3 --runs 1 --json
is "$(jq -r '.points[0] | [.pcr, .verified] | @csv' <<<"$out")" '15,true' "--force does it"

# a dry run touches no TPM, so it does not need one
run_timed "$vtpmfast" extend --dry-run --tcti "swtpm:path=$work/nobody" --clients 1,2 --runs 2 \
	--output "$work/never.json"
is "$code" 0 "a dry run needs no TPM"
is "$(grep -c '^point ' <<<"$out")" 4 "... and lists every point"
expect_fail -c 1 "... and writes no file" test -e "$work/never.json"
run_timed "$vtpmfast" floor --dry-run --libtpms --pingpong
is "$(grep -c '^point ' <<<"$out")" 15 "floor --dry-run lists every point"

# no TPM
for args in "--device /dev/tpm77" "--tcti device:/dev/tpm77" "--tcti swtpm:path=$work/nobody" \
	"--device /dev/tpmrm77 --clients 64" "--tcti mssim:host=localhost,port=1"; do
	# shellcheck disable=SC2086
	run_timed "$vtpmfast" extend $args
	like "$code" '^[34]$' "no TPM: $args exits 3 or 4"
	at_most "$took_ms" 1000 "... in less than a second, in ms"
	is "$(wc -l <<<"$err")" 1 "... with one line that says why"
done

# a foreign program that keeps the TPM to itself
run_timed "$vtpmfast" extend --tcti "$tcti" --count 3 --runs 1
is "$code" 0 "the TPM answers"
kill -STOP "$swtpm_pid"
run_timed "$vtpmfast" extend --tcti "$tcti" --count 3 --runs 1
kill -CONT "$swtpm_pid"
is "$code" 4 "a TPM that does not answer: exit 4"
at_most "$took_ms" 5000 "... and not waited for, in ms"
like "$err" "no answer" "... with the reason"
tap_done
