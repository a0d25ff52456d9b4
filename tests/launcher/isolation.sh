#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run-uml as a plain user, and where no namespace can be had: there process
# groups and parent-death signals must do.
# shellcheck source=tests/launcher/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
out=$scratch/out

if (($(id -u) == 0)); then
	chmod 755 "$scratch"
	install -d -o nobody "$scratch/nobody"
	as_nobody=(setpriv --reuid nobody --regid nogroup --clear-groups env
		"TMPDIR=$scratch/nobody" "HOME=$scratch/nobody")
	if "${as_nobody[@]}" test -x "$run_uml" -a -x "$kernel"; then
		expect_pass "a plain user runs a guest with a TPM" "${as_nobody[@]}" "$run_uml" \
			--kernel "$kernel" --out "$scratch/nobody/out" -- vtpm-up
		is "$(find "$scratch/nobody" -mindepth 1 -maxdepth 2 -printf '%f\n' | sort | paste -sd ' ')" \
			"cmd console.log out status stderr stdout" "and nothing else is left of it"
	else
		skip "a plain user runs a guest with a TPM" "nobody may not read $top"
	fi
else
	skip "a plain user runs a guest with a TPM" "all of this runs as one"
fi

# an unshare that may not, as in a container
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/unshare"
chmod +x "$scratch/bin/unshare"
PATH=$scratch/bin:$PATH

expect_pass "without namespaces a guest runs" guest --out "$out" -- vtpm-up
is "$(find "$out" -mindepth 1 -type d)" "" "and its directory of work is gone"
expect_fail -c 97 "a panic is told" guest --out "$out" --append init=/usr/bin/false -- true
expect_fail -c 98 "the time limit holds" guest --out "$out" --timeout 2 -- sleep 1000
expect_pass "no process is left" wait_until 5 nothing_runs

for signal in KILL INT TERM; do
	rm -f "$out/stdout"
	guest_in_background --out "$out" -- bash -c 'echo up; sleep 1000'
	wait_until 60 started "$out" || bail "the guest did not come up: $(<"$scratch/stderr")"
	end_with "$signal"
	is "$code" "$((128 + $(kill -l "$signal")))" "SIG$signal to the launcher"
	expect_pass "no process is left after SIG$signal" wait_until 5 nothing_runs
done
is "$(find "$out" -mindepth 1 -type d)" "" "nor a directory"
tap_done
