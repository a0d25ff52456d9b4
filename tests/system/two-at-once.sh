#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two vtpmfasts on one TPM would spoil each other's figures: the second fails fast.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

start_swtpm one
"$vtpmfast" extend --tcti "$tcti" --duration 4 --runs 1 --json >"$work/first" 2>&1 &
first=$!
started+=("$first")
sleep 1.5
run_timed "$vtpmfast" extend --tcti "$tcti" --count 5 --runs 1
is "$code" 4 "the second is refused"
at_most "$took_ms" 1000 "... at once, in ms"
like "$err" "another vtpmfast" "... with the reason"
mine=$tcti
start_swtpm two
run_timed "$vtpmfast" extend --tcti "$tcti" --count 5 --runs 1
is "$code" 0 "another TPM is free"
code=0
wait "$first" || code=$?
is "$code" 0 "the first is not disturbed"
is "$(jq -r '.points[0].verified' "$work/first")" true "... and verified"
run_timed "$vtpmfast" extend --tcti "$mine" --count 5 --runs 1
is "$code" 0 "then it is free again"

# killed hard, it must not leave the lock behind
"$vtpmfast" extend --tcti "$mine" --duration 30 >/dev/null 2>&1 &
first=$!
started+=("$first")
sleep 1
kill -KILL "$first"
wait "$first" 2>/dev/null || true
run_timed "$vtpmfast" extend --tcti "$mine" --count 5 --runs 1
is "$code" 0 "a killed one leaves no lock"
tap_done
