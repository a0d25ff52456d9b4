#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ctrl-C and worse: no process, no state directory, no half-written file stays.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

# shellcheck disable=SC2317 # functions called by expect_pass and wait_for
{
# clients of vtpmfast have its name and our TMPDIR in their environment
our_clients() {
	local pid
	for pid in $(pgrep -x vtpmfast || true); do
		if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "TMPDIR=$work/tmp"; then
			echo "$pid"
		fi
	done
}

no_swtpm() { [[ -z $(own_swtpms) ]]; }
some_swtpm() { [[ -n $(own_swtpms) ]]; }
nobody() { [[ -z $(our_clients) ]]; }
}

for signal in INT TERM HUP; do
	# a shell's background job ignores SIGINT; env gives it back
	env --default-signal=INT "$vtpmfast" floor --pingpong --duration 60 >"$work/out" 2>&1 &
	pid=$!
	started+=("$pid")
	wait_for 10 some_swtpm || bail "no swtpm comes up"
	sleep 0.3
	start=$(now_ms)
	kill "-$signal" "$pid"
	code=0
	wait "$pid" || code=$?
	is "$code" 6 "SIG$signal: floor exits 6"
	at_most "$(($(now_ms) - start))" 3000 "... soon, in ms"
	expect_pass "... no swtpm stays" no_swtpm
	is "$(ls "$work/tmp")" "" "... nor its state"
done

"$vtpmfast" floor --pingpong --duration 60 >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 10 some_swtpm || bail "no swtpm comes up"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
expect_pass "SIGKILL: swtpm dies with it" wait_for 3 no_swtpm
expect_pass "... and so do the clients" wait_for 3 nobody
rm -rf "$work"/tmp/*

# a terminal's Ctrl-C goes to the whole process group
setsid env --default-signal=INT "$vtpmfast" floor --pingpong --duration 60 >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 10 some_swtpm || bail "no swtpm comes up"
sleep 0.2
kill -INT -- "-$pid"
code=0
wait "$pid" || code=$?
is "$code" 6 "SIGINT to the process group: exit 6"
is "$(own_swtpms)$(ls "$work/tmp")" "" "... nothing stays"

start_swtpm one
echo "old" >"$work/result.json"
env --default-signal=INT "$vtpmfast" extend --tcti "$tcti" --clients 4 --runs 20 --warmup 0 \
	--duration 0.3 --output "$work/result.json" >"$work/out" 2>"$work/err" &
pid=$!
started+=("$pid")
sleep 2
kill -INT "$pid"
code=0
wait "$pid" || code=$?
is "$code" 6 "extend, interrupted: exit 6"
is "$(<"$work/result.json")" "old" "the old file is untouched"
expect_pass "the points so far are whole" valid_json "$work/result.json.partial"
is "$(jq -r '.incomplete' "$work/result.json.partial")" "incomplete" "... and marked"
is "$(jq '[.points[] | select(.verified)] | length == (.|length) and length > 0' \
	"$work/result.json.partial")" true "... and verified"
expect_pass "no client stays" nobody
is "$(find "$work" -maxdepth 1 -name 'result.json.*' ! -name '*.partial')" "" \
	"no temporary file stays"
tap_done
