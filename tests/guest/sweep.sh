#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=any timeout=240
# vtpmfast sweep with an IMA that has no TPM: what is counted, and that nothing stays.
. /tests/lib/guest.sh

vtpmfast sweep --help >/dev/null 2>&1 || skip_all "vtpmfast sweep is not built"
ima=/sys/kernel/security/ima
[[ -r $ima/runtime_measurements_count ]] || skip_all "no IMA"
policy=/run/sweep.policy
cat >"$policy" <<-'RULES'
	# what the private mount of one sweep holds

	measure func=FILE_CHECK mask=MAY_READ fsuuid=@FSUUID@
	measure func=BPRM_CHECK mask=MAY_EXEC fsuuid=@FSUUID@
	measure func=MMAP_CHECK mask=MAY_EXEC fsuuid=@FSUUID@
RULES

# column NAME CSV: its values in one line
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ printf "%s%s", (NR > 2 ? " " : ""), (at ? $at : "-") }' <<<"$2"
}

entries() {
	cat "$ima/runtime_measurements_count"
}

# All that a sweep could leave behind
traces() {
	cat /proc/mounts
	ls -A / /tmp /run /mnt 2>/dev/null || true
	pgrep -x vtpmfast || true
}

mkdir /run/files
before=$(traces)

started=$(now_ms)
expect_fail -c 3 "no TPM, and --no-tpm not asked for" vtpmfast sweep
at_most "$(($(now_ms) - started))" 1000 "... said within a second, in ms"
expect_fail -c 3 "no such chip" vtpmfast sweep --no-tpm --chip tpm7
expect_fail -c 3 "not root" setpriv --reuid 65534 --clear-groups vtpmfast sweep --no-tpm

code=0
text=$(vtpmfast sweep --no-tpm 2>&1) || code=$?
is "$code" 3 "no policy: exit 3"
like "$text" 'measure func=FILE_CHECK mask=MAY_READ fsuuid=[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`' \
	"... with the rule that is missing"
echo "measure func=NO_SUCH_CHECK" >/run/bad.policy
before=$(traces)
code=0
text=$(vtpmfast sweep --no-tpm --policy /run/bad.policy 2>&1) || code=$?
is "$code" 2 "a rule that IMA refuses: exit 2"
like "$text" 'line 1' "... with its line"

first=$(entries)
code=0
csv=$(vtpmfast sweep --no-tpm --policy "$policy" --workload read,create,exec,mmap --processes 1,3 \
	--count 23 --warmup 0 --runs 1 --csv --output /out/sweep.json 2>/run/stderr) || code=$?
is "$code" 0 "all workloads, one and three workers"
like "$(</run/stderr)" 'stays until the next boot' "... saying that the policy stays"
is "$(column workload "$csv")" "read read create create exec exec mmap mmap" "eight points"
is "$(column accesses "$csv")" "23 69 23 69 23 69 23 69" "23 files of each worker are accessed"
is "$(column extends "$csv")" "23 69 23 69 23 69 23 69" "... and make 23 entries"
is "$(column errors "$csv")" "0 0 0 0 0 0 0 0" "... without errors"
is "$(column mode "$csv")" "$(printf 'no-tpm%.0s ' {1..7})no-tpm" "mode no-tpm"
is "$(column device "$csv")" "$(printf 'none%.0s ' {1..7})none" "device none"
is "$(column verified "$csv")" "- - - - - - - -" "no verdict without a TPM"
is "$(column list_entries_end "$csv" | awk '{ print $NF }')" "$(entries)" \
	"the last point ends where the list ends"
ascii=$ima/ascii_runtime_measurements
is "$(wc -l <"$ascii")" "$(entries)" "IMA's list is as long as it says"
at_least "$(($(entries) - first))" 368 "all of them came from here"
is "$(awk '{ print $4 }' "$ascii" | sort | uniq -d | wc -l)" 0 "no content was there twice"

csv=$(vtpmfast sweep --no-tpm --policy "$policy" --processes 1,4 --threads --pin --duration 0.3 \
	--warmup 0.05 --runs 2 --csv 2>/dev/null) || not_ok "by duration"
is "$(column threads "$csv")" "true true true true" "threads"
is "$(column extends "$csv")" "$(column accesses "$csv")" "an entry for every access, by duration too"

goal=$(($(entries) + 700))
csv=$(vtpmfast sweep --no-tpm --policy "$policy" --list-entries "$goal" --processes 1 --runs 1 \
	--count 5 --warmup 0 --csv 2>/dev/null) || not_ok "--list-entries"
at_least "$(column list_entries "$csv")" "$goal" "--list-entries fills the list"
at_most "$(column list_entries "$csv")" "$((goal + 300))" "... and not much further"

csv=$(vtpmfast sweep --no-tpm --policy "$policy" --dir /run/files --processes 2 --runs 1 \
	--count 23 --warmup 0 --csv 2>/dev/null) || not_ok "--dir"
is "$(column extends "$csv")" 46 "--dir: 46 entries"
is "$(grep -c ' /run/files/vtpmfast-' "$ascii" || true)" \
	"$(($(grep -c ' /run/files/' "$ascii" || true)))" "... in a directory of its own"
at_least "$(grep -c ' /run/files/' "$ascii" || true)" 46 "... below DIR"
is "$(ls -A /run/files)" "" "... that is gone"

rm /run/stderr
is "$(traces)" "$before" "no mount, file or process stays"

# busy SIGNAL: sends it to a sweep whose workers are at work; sets code
busy() {
	local pid start
	# a shell's background job ignores SIGINT; env gives it back
	env --default-signal=INT vtpmfast sweep --no-tpm --policy "$policy" --processes 4 \
		--duration 60 --runs 1 >/run/stdout 2>&1 &
	pid=$!
	until (($(pgrep -xc vtpmfast) == 5)); do
		kill -0 "$pid" 2>/dev/null || bail "the sweep ended: $(</run/stdout)"
		sleep 0.05
	done
	sleep 0.5
	kill "-$1" "$pid"
	start=$(now_ms)
	code=0
	wait "$pid" 2>/dev/null || code=$?
	at_most "$(($(now_ms) - start))" 3000 "SIG$1: ends soon, in ms"
	for _ in {1..60}; do
		pgrep -x vtpmfast >/dev/null || break
		sleep 0.05
	done
	rm /run/stdout
	is "$(traces)" "$before" "SIG$1: no mount, file or process stays"
}

busy INT
is "$code" 6 "SIGINT: exit 6"
busy TERM
is "$code" 6 "SIGTERM: exit 6"
busy KILL
tap_done
