#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh - the bench without a boot: its goals and its refusals. TAP on stdout.
# VTPMFAST names the binary (default: build/userspace/vtpmfast).
# shellcheck disable=SC2317 # functions that expect_pass calls
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"
cd "$work"

# verdict CSV: leaves its words in out, its exit code in rc
verdict() {
	rc=0
	awk -f "$top/tests/bench/verdict.awk" "$1" >out || rc=$?
}

says() {
	cat out
	echo "no line matches: $1"
	grep -qE -- "$1" out
}

# set_column CSV CONDITION COLUMN VALUE: a copy of the figures with some of them changed
set_column() {
	awk -F, -v OFS=, -v name="$3" -v value="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 && ('"$2"') { $c[name] = value }
		{ print }' "$1"
}

"$vtpmfast" report --csv "$data"/report-*.json "$data"/sweep-*.json >good.csv
verdict good.csv
is "$rc" 0 "good figures: exit 0"
expect_fail "good figures: nothing is missed" grep -q MISSED out
for goal in 'event against the bare' 'auto against the bare' 'auto against completion mode stock' \
	'unpatched kernel against mode stock' 'auto never slower' 'PCR after every run' \
	'1 process: auto against stock' '64 processes: auto against stock' '1 process: time against' \
	'replay of the list equals the PCR'; do
	expect_pass "met: $goal" says "^  met +$goal"
done
expect_pass "with figures" says 'auto against completion mode stock +18\.3x .*boots: 18\.3x 18\.3x'

expect_pass "with what the machine allows" says 'ping-pong against mode stock +1[89]\.[0-9]x'
expect_pass "IMA with the bound of the machine" says '1 process: auto .* 12\.8x .*would give 13\.0x here; boots: 12\.8x 12\.8x'
# 1e6/11009 against 1e6/30300 and 1e6/17677
expect_pass "and with its times" says 'time against .* 1\.01x .* 91 us against 33 \+ 57 us'
expect_pass "every replay is counted" says 'replay of the list .* 28 right +0 not'
expect_pass "a machine that keeps still" says '^  quiet .* 0 %'

# every goal can be missed
# shellcheck disable=SC2016 # awk's fields
{
	set_column good.csv '$c["mode"] == "event"' pct_of_pingpong 89.9 >event.csv
	set_column good.csv '$c["mode"] == "auto"' pct_of_pingpong 50 >auto.csv
	set_column good.csv '$c["mode"] == "auto" && $c["target"] == "/dev/tpm0"' ratio_to_stock 15.9 >ratio.csv
	set_column good.csv '$c["kernel"] == "stock"' extends_per_s 700 >slow.csv
	set_column good.csv '$c["kernel"] == "stock"' extends_per_s 1200 >fast.csv
	set_column good.csv '$c["mode"] == "auto" && $c["processes"] == 16 && $c["boot"] == 1' \
		ratio_to_stock 0.98 >once.csv
	set_column good.csv '$c["transport"] == "raw" && $c["boot"] == 1' verified false >wrong.csv
	set_column good.csv '$c["transport"] == "ima" && $c["processes"] == 16 && $c["mode"] == "auto"' \
		ratio_to_stock 11.9 >ima-ratio.csv
	set_column good.csv '$c["transport"] == "ima" && $c["processes"] == 1 && $c["mode"] == "auto"' \
		extends_per_s 9500 >ima-time.csv
	set_column good.csv '$c["transport"] == "ima" && $c["mode"] == "auto" && $c["boot"] == 1' \
		verified false >ima-wrong.csv
	set_column good.csv '$c["transport"] == "ima" && $c["mode"] == "auto" && $c["boot"] == 1' \
		verified "" >ima-unsaid.csv
	set_column good.csv '$c["transport"] == "ima" && $c["mode"] == "auto"' update_difference -7 >ima-more.csv
	set_column good.csv '$c["transport"] == "ima"' tpm_extends_per_s "" >ima-uncounted.csv
	set_column good.csv '$c["workload"] == "pingpong" && $c["boot"] == 2' lowest_extends_per_s 9000 >noisy.csv
}
missed() {
	verdict "$1"
	expect_pass "missed: $2" says "^  MISSED +$2"
	is "$rc" "$3" "and exit $3"
}
missed event.csv 'event against the bare ping-pong +89\.9' 0
missed auto.csv 'auto against the bare' 0
missed ratio.csv 'auto against completion mode stock +15\.9x' 0
missed slow.csv 'unpatched kernel against mode stock +-' 0
missed fast.csv 'unpatched kernel against mode stock +\+' 0
missed once.csv 'auto never slower than stock +0\.98x.*16 client' 0
missed wrong.csv 'PCR after every run .* [1-9][0-9]* wrong' 5
missed ima-ratio.csv '16 processes: auto against stock +11\.9x' 0
missed ima-time.csv '1 process: time against .* 1\.18x' 0
missed ima-wrong.csv 'replay of the list .* 21 right +7 not' 5
missed ima-unsaid.csv 'replay of the list .* 21 right +7 not' 0
verdict ima-more.csv
expect_pass "extends of somebody else are said" says '^  seen +the TPM.s own count .* 7 at most +28 of 28'
verdict ima-uncounted.csv
expect_pass "a counter that was not read is no agreement" says '^  unknown the TPM.s own count .* not counted'

verdict noisy.csv
expect_pass "a machine that does not keep still" says '^  NOISY .* 9[0-9] %.*repeat'

grep -v ',patched,' good.csv >only-stock.csv
verdict only-stock.csv
is "$rc" 0 "a stock kernel alone: exit 0"
expect_pass "what was not measured is not met" says '^  unknown +auto against the bare'
expect_pass "nor is what IMA would do" says '^  unknown +replay of the list'

run_sweep=$top/tests/bench/run-sweep
expect_pass "--help" "$run_sweep" --help
expect_fail -c 2 "unknown option" "$run_sweep" --frobnicate
expect_fail -c 2 "no boots" "$run_sweep" --rounds 0
expect_fail -c 2 "a duration that is none" "$run_sweep" --duration soon
expect_fail -c 2 "nor with IMA" "$run_sweep" --ima-duration soon
expect_fail -c 2 "workloads that are no list" "$run_sweep" --workload 'read exec'
expect_fail -c 3 "no kernel" "$run_sweep" --kernel-stock "$work/none" --out "$work/results"
expect_pass "a refusal makes no results" test ! -e "$work/results"
expect_pass "the guest's part has help" "$top/tests/bench/guest-sweep.sh" --help
expect_fail -c 2 "and refuses what it does not know" "$top/tests/bench/guest-sweep.sh" --frobnicate
expect_fail -c 2 "a chip without its process" "$top/tests/bench/guest-raw.sh" --chip tpm0

run_policies=$top/tests/bench/run-policies
expect_pass "run-policies --help" "$run_policies" --help
expect_fail -c 2 "a policy that it does not know" "$run_policies" --policies bench-read,nonsense
expect_fail -c 3 "run-policies without a kernel" "$run_policies" --kernel "$work/none"

run_client=$top/tests/bench/run-client
expect_pass "run-client --help" "$run_client" --help
expect_fail -c 2 "run-client with an unknown option" "$run_client" --frobnicate
expect_fail -c 2 "no runs" "$run_client" --runs none
expect_fail -c 3 "run-client without a kernel" "$run_client" --kernel "$work/none" --out "$work/results"
expect_pass "the guest's part of it has help" "$top/tests/bench/guest-client.sh" --help
expect_fail -c 2 "and refuses what it does not know" "$top/tests/bench/guest-client.sh" --frobnicate

mutations=$top/tests/mutations/run
expect_pass "every mutation is well-formed" "$mutations" --list
expect_fail -c 2 "one that is not there" "$mutations" --list nonsense
expect_fail -c 2 "an option that is not there" "$mutations" --frobnicate
tap_done
