#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched append=ima_tpm=late timeout=240
# vtpmfast sweep with an IMA that extends PCR 10 of a software TPM: the proof at
# every point, and what must not pass it.
. /tests/lib/guest.sh
. /tests/lib/sweep-guest.sh

sweep_with_tpm sha1,sha256 "func=FILE_CHECK mask=MAY_READ" "func=BPRM_CHECK mask=MAY_EXEC" \
	"func=MMAP_CHECK mask=MAY_EXEC"

expect_fail -c 2 "--no-tpm where IMA has one" vtpmfast sweep --no-tpm

set_mode "$tpm" adaptive
code=0
csv=$("${sweep[@]}" --workload read,create,exec,mmap --processes 1,3 --modes stock,auto --count 23 \
	--warmup 0 --runs 1 --csv --output /out/sweep.json 2>/run/stderr) || code=$?
is "$code" 0 "all workloads, one and three workers, two modes"
[[ $code = 0 ]] || diag "$(</run/stderr)"
four() { printf '%s %s %s %s' "$1" "$1" "$1" "$1"; }
is "$(column extends "$csv")" "$(four "23 23 69 69")" "23 files of each worker make 23 entries"
# the rate is rounded to a tenth, the duration to a microsecond
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ printf "%s%.0f", (NR > 2 ? " " : ""), $at["tpm_extends_per_s"] * $at["duration_s"] }' <<<"$csv")" \
	"$(four "23 23 69 69")" "... and 23 extends in the TPM's own count"
is "$(column update_difference "$csv")" "$(four "- - - -")" "no difference to report"
is "$(column verified "$csv")" "$(four "true true true true")" "the list leads to the PCR, everywhere"
is "$(column banks "$csv" | tr ' ' '\n' | sort -u)" "sha1+sha256" "in both banks"
is "$(column mode "$csv")" "$(four "stock auto stock auto")" "modes take turns"
is "$(column mode_effective "$csv")" "$(four "stock event stock event")" "... and are what they say"
is "$(column transport "$csv" | tr ' ' '\n' | sort -u)" "ima" "transport ima"
is "$(column target "$csv" | tr ' ' '\n' | sort -u)" "$tpm" "target $tpm"
is "$(cat "/sys/class/tpm/$tpm/completion_mode")" adaptive "the mode found at the start is restored"

csv=$("${sweep[@]}" --processes 1,8 --modes stock,auto --duration 0.4 --warmup 0.1 --runs 2 --csv \
	2>/dev/null) || not_ok "by duration"
is "$(column verified "$csv")" "$(four "true true")" "verified by duration too"
is "$(column extends "$csv")" "$(column accesses "$csv")" "an entry for every access"
is "$(column errors "$csv")" "$(four "0 0")" "no errors"
# shellcheck disable=SC2317 # called by expect_pass
in_order() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ if (!($at["min_us"] <= $at["p50_us"] && $at["p50_us"] <= $at["p99_us"] &&
			$at["p99_us"] <= $at["max_us"] && $at["cpu_tpm_us_per_extend"] > 0)) bad = 1 }
		END { exit bad || NR != 9 }' <<<"$1"
}
expect_pass "ordered quantiles, CPU time of the TPM" in_order "$csv"

# shellcheck disable=SC2317 # called by expect_pass
as_ima_counts() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ c = $at["commands_per_extend"]; b = $at["mean_batch"]
		  if (!(at["mean_batch"] && c > 0 && c <= 1 && b >= 1 && b <= 16)) bad = 1 }
		END { exit bad || NR != 9 }' <<<"$1"
}
expect_pass "commands of an extend, extends of a group, by IMA's own counters" as_ima_counts "$csv"

# other PCRs are somebody else's business: told, and no error
busy_sweep 3 --processes 1 --modes stock --duration 3 --warmup 0 --runs 1
sleep 1.5
TPM2TOOLS_TCTI=device:/dev/tpmrm${tpm#tpm} tpm2_pcrextend 7:sha256="$(printf '1%.0s' {1..64})" ||
	bail "tpm2_pcrextend"
code=0
wait "$sweep_pid" || code=$?
is "$code" 0 "another PCR extended meanwhile: exit 0"
csv=$(</run/csv)
is "$(column verified "$csv")" true "... verified"
is "$(column update_difference "$csv")" 0.50 "... the difference is told: one bank of two"

# PCR 10 extended by somebody else is no difference but a break
busy_sweep 4 --processes 2 --duration 3 --warmup 0 --runs 2
sleep 1
TPM2TOOLS_TCTI=device:/dev/tpmrm${tpm#tpm} tpm2_pcrextend 10:sha256="$(printf '1%.0s' {1..64})" ||
	bail "tpm2_pcrextend"
code=0
wait "$sweep_pid" || code=$?
is "$code" 5 "PCR 10 extended by another program: exit 5"
like "$(column verified "$(</run/csv)")" '(^| )false$' "... after the point, which is not verified"
like "$(</run/stderr)" 'replayed to entry [0-9]+, is not what PCR 10 holds in bank sha256' \
	"... with the entry and the bank"
started=$(now_ms)
expect_fail -c 5 "afterwards every sweep says so" "${sweep[@]}"
at_most "$(($(now_ms) - started))" 5000 "... before it measures anything, in ms"

kill -KILL "$pid"
wait_gone "$tpm" || not_ok "$tpm goes away"
expect_fail -c 3 "the TPM is gone" vtpmfast sweep
is "$(pgrep -x vtpmfast || true)" "" "no process stays"
tap_done
