#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# However the launcher ends, no process of the guest outlives it.
# shellcheck source=tests/launcher/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
out=$scratch/out

# A guest with work to do: a TPM, and a client that never stops
busy='vtpm-up && echo up && exec tpm-client -q "extend*100000000"'

launch() {
	rm -f "$out/stdout"
	guest_in_background --out "$out" -- bash -c "$busy"
	wait_until 60 started "$out" || bail "the guest did not come up: $(<"$scratch/stderr")"
}

launch
like "$(ours)" "linux" "this test can see the guest's processes"
end_with KILL
is "$code" 137 "kill -9 of the launcher"
expect_pass "no process is left after it" wait_until 5 nothing_runs
is "$(leftovers)" "" "no temporary file either"

for signal in INT TERM HUP; do
	launch
	end_with "$signal"
	is "$code" "$((128 + $(kill -l "$signal")))" "SIG$signal to the launcher"
	# at once: the launcher waits for what it ends
	is "$(ours)" "" "no process is left after SIG$signal"
	is "$(leftovers)" "" "no temporary file is left after SIG$signal"
	is "$(find "$out" -mindepth 1 -type d)" "" "nor a directory in the output"
done

# Ctrl-C reaches every process of the terminal's group
launch
end_with INT "-$launcher"
is "$code" 130 "Ctrl-C"
is "$(ours)" "" "no process is left after Ctrl-C"

# without an output directory the temporary one goes too
guest_in_background -- bash -c 'echo up; sleep 1000'
# shellcheck disable=SC2317 # called by wait_until
started_anywhere() {
	compgen -G "$scratch/tmp/run-uml.*/stdout" >/dev/null &&
		started "$scratch"/tmp/run-uml.*
}
wait_until 60 started_anywhere || bail "the guest did not come up"
end_with INT
is "$code" 130 "SIGINT without an output directory"
is "$(ours)$(leftovers)" "" "leaves nothing"

# one guest's end is not another's
launch
guest --quiet --out "$scratch/out2" -- true || not_ok "a second guest beside the first"
expect_pass "the first guest lives on beside a second one" kill -0 "$launcher"
end_with TERM
is "$code" 143 "and ends when told"
is "$(ours)" "" "nothing is left"
tap_done
