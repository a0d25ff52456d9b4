#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# extend through TSS2 against a swtpm of its own: counts, verification, formats.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

start_swtpm one
extend=("$vtpmfast" extend --tcti "$tcti" --warmup 0.1)
# the value of PCR 16 and 23 in a bank, as another program reads it
pcr_by_others() {
	TPM2TOOLS_TCTI=$tcti tpm2_pcrread "$2:$1" | sed -n 's/.*0x//p' | tr 'A-F' 'a-f'
}

run_timed "${extend[@]}" --count 23 --runs 1 --json --output "$work/one.json"
is "$code" 0 "one client, 23 extends"
is "$(jq -r '.points[0].extends' "$work/one.json")" 23 "23 asked for are 23 counted"
is "$(jq -r '.points[0].verified' "$work/one.json")" true "verified"
is "$(jq -r '.points[0].errors' "$work/one.json")" 0 "no errors"
is "$(jq -cS .points "$work/one.json")" "$(jq -cS .points <<<"$out")" \
	"--json and --output say the same"
expect_pass "JSON is as the schema says" valid_json "$work/one.json"
is "$(jq -r '.points[0] | has("mode")' "$work/one.json")" false "no kernel driver, so no mode"

# the reset value extended exactly 7 times with the documented text
digest=$(printf 'vtpmfast extend' | sha256sum | cut -d' ' -f1)
value=$(printf '0%.0s' {1..64})
for _ in {1..7}; do
	value=$(printf '%s%s' "$value" "$digest" | xxd -r -p | sha256sum | cut -d' ' -f1)
done
run_timed "${extend[@]}" --count 7 --runs 1 --warmup 0 --pcr 23 --banks sha256
is "$code" 0 "one bank only"
if command -v tpm2_pcrread >/dev/null && command -v xxd >/dev/null; then
	is "$(pcr_by_others 23 sha256)" "$value" "an independent replay and reader agree"
	is "$(pcr_by_others 23 sha1)" "$(printf '0%.0s' {1..40})" "the other bank is untouched"
else
	skip "an independent replay and reader agree" "no tpm2-tools or xxd"
	skip "the other bank is untouched" "no tpm2-tools or xxd"
fi

run_timed "${extend[@]}" --clients 2,4 --count 20 --runs 2 --json
is "$code" 0 "two and four clients as processes"
is "$(jq -c '[.points[] | [.processes, .run, .extends, .verified]]' <<<"$out")" \
	'[[2,1,40,true],[2,2,40,true],[4,1,80,true],[4,2,80,true]]' \
	"every client does its count, in every run"

run_timed "${extend[@]}" --clients 4 --threads --count 20 --runs 1 --json
is "$(jq -c '[.points[] | [.processes, .threads, .extends, .verified]]' <<<"$out")" \
	'[[4,true,80,true]]' "four clients as threads"

run_timed "${extend[@]}" --duration 0.3 --runs 1 --tpm-pid "$swtpm_pid" --json
is "$(jq '.points[0] | .duration_s > 0.29 and .duration_s < 1 and .cpu_tpm_us_per_extend > 0
	and .min_us <= .p50_us and .p50_us <= .p90_us and .p90_us <= .p99_us
	and .p99_us <= .p999_us and .p999_us <= .max_us' <<<"$out")" true \
	"a duration, ordered quantiles, CPU time of the TPM"
is "$(jq '.points[0] | (.extends / .duration_s - .extends_per_s) | fabs < 1' <<<"$out")" true \
	"the rate is extends by duration"
is "$(jq -r '.conditions.tss2_version != null and .conditions.banks != "" ' <<<"$out")" true \
	"conditions name TSS2"

run_timed "${extend[@]}" --count 5 --runs 2 --csv
is "$(wc -l <"$work/out")" 3 "CSV: a header and two points"
like "${out%%$'\n'*}" '(^|,)extends_per_s(,|$)' "CSV has the column"
run_timed "${extend[@]}" --count 5 --runs 2
like "$out" '# kernel_release: ' "the table prints its conditions"
like "$out" $'\n1 +- +2 ' "the table has one row for both runs"
is "$err" "" "no progress where stderr is no terminal"

# one TPM per client
first=$tcti
start_swtpm two
run_timed "$vtpmfast" extend --tcti "$first" --tcti "$tcti" --clients 2 --count 10 --runs 1 --json
is "$(jq -c '[.points[] | [.extends, .verified]]' <<<"$out")" '[[20,true]]' \
	"two clients on two TPMs, both verified"
tap_done
