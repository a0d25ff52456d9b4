#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measurement lists of any bytes: a minute of libFuzzer under ASan and UBSan,
# starting from small lists of every template. VTPMFAST_FUZZ_S: seconds.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"

target=$top/build/tests/fuzz/fuzz_ima_list
found=$top/results/fuzz/ima-list
seconds=${VTPMFAST_FUZZ_S:-60}
command -v "${CLANG:-clang}" >/dev/null || skip_all "no clang"
mkdir -p "$top/build/logs" "$found"
log=$top/build/logs/fuzz-ima-list
make -s -C "$top/userspace" fuzz listgen >"$log" 2>&1 || bail "no build: $(tail -n 1 "$log")"
# inputs of a failure stay in results/, what is only new coverage does not
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"; tap_at_exit' EXIT

seeds=$top/tests/fuzz/corpus/ima-list
expect_pass "every seed of the corpus" "$target" -runs=0 "$seeds"
expect_fail "a planted fault is found" env VTPMFAST_FUZZ_PLANT=1 "$target" \
	-artifact_prefix="$corpus/planted-" -runs=0 "$seeds"
rm -f "$corpus"/planted-*

code=0
"$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
	-artifact_prefix="$found/" -print_final_stats=1 "$corpus" "$seeds" >"$log" 2>&1 || code=$?
is "$code" 0 "$seconds seconds without a fault"
((code == 0)) || diag "$(tail -n 30 "$log")"
at_least "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" $((100 * seconds)) \
	"... inputs tried"
tap_done
