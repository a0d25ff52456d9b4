#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The TPM stops or dies in the middle of a run: reported, not waited for.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

# in_mid_run SIGNAL ARG...: sends swtpm a signal when the run is under way
in_mid_run() {
	local signal=$1 helper
	shift
	(
		sleep 1.5
		kill "-$signal" "$swtpm_pid"
	) &
	helper=$!
	run_timed "$vtpmfast" extend --tcti "$tcti" --runs 1 --warmup 0.1 "$@"
	wait "$helper"
}

start_swtpm stops
in_mid_run STOP --duration 60 --limit 1 --output "$work/stuck.json"
is "$code" 4 "one client, TPM stopped: exit 4"
like "$err" "stuck" "... and it says stuck"
at_most "$took_ms" 8000 "... after the limit, in ms"
expect_fail -c 1 "... and no file" test -e "$work/stuck.json"
kill -CONT "$swtpm_pid"

start_swtpm stops-many
in_mid_run STOP --duration 60 --limit 1 --clients 8 --threads
is "$code" 4 "eight threads, TPM stopped: exit 4"
at_most "$took_ms" 8000 "... after the limit, in ms"
kill -CONT "$swtpm_pid"

start_swtpm pauses
in_mid_run STOP --duration 3 --limit 10 --json &
runner=$!
sleep 2.5
kill -CONT "$swtpm_pid"
wait "$runner" || true
is "$(jq -r '.points[0].verified' "$work/out")" true "a pause of a second is no failure"
is "$(jq '.points[0].max_us > 800000' "$work/out")" true "... but it shows in the maximum"

start_swtpm dies
in_mid_run KILL --duration 60
is "$code" 4 "TPM killed: exit 4"
at_most "$took_ms" 8000 "... at once, in ms"
like "$err" "no answer" "... with the reason"
tap_done
