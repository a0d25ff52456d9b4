#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run-uml's exit codes, each of them provoked, and what it leaves behind.
# shellcheck source=tests/launcher/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
out=$scratch/out

code_of() {
	local code=0
	guest "$@" >"$scratch/stdout" 2>"$scratch/stderr" || code=$?
	echo "$code"
}

is "$(code_of --out "$out" -- true)" 0 "a program that succeeds"
is "$(<"$out/status")" "exit 0" "its status is in the output directory"
is "$(code_of --out "$out" -- bash -c 'echo "a  b"; echo c >&2; exit 42')" 42 "a program's own code"
is "$(<"$scratch/stdout")" "a  b" "its stdout is passed on"
is "$(<"$scratch/stderr")" c "and its stderr"
is "$(<"$out/stdout")/$(<"$out/stderr")" "a  b/c" "both are kept too"
like "$(<"$out/console.log")" "Linux version" "with the kernel's log"
is "$(code_of --out "$out" -- bash -c 'kill -9 $$')" 137 "a program that is killed"
is "$(code_of --out "$out" -- /no/such/program)" 127 "a program that is not there"
like "$(<"$scratch/stderr")" "/no/such/program" "is named"
expect_pass "arguments keep their spaces, quotes and newlines" test \
	"$(guest -- printf '%s|' 'a b' "c'\"d" $'e\nf' '' '*')" = $'a b|c\'"d|e\nf||*|'

is "$(code_of --out "$out" -- bash -c 'sleep 1000 & (trap "" TERM; sleep 1000) & exit 3')" 3 \
	"a program that leaves others behind"
is "$(code_of --out "$out" --timeout 2 -- sleep 1000)" 98 "the host's time limit"
like "$(<"$scratch/stderr")" "time limit of 2 s" "says so"
expect_fail "and writes no status" test -e "$out/status"
expect_pass "and ends everything" nothing_runs

is "$(code_of --out "$out" --append init=/usr/bin/false -- true)" 97 "a guest that panics"
like "$(<"$scratch/stderr")" "panicked" "says so"
like "$(<"$scratch/stderr")" "Attempted to kill init" "with the end of the kernel's log"
is "$(code_of --out "$out" -- bash -c 'sleep 1000 & kill -9 -1; exit 5')" 5 \
	"a program that kills everything but itself"

is "$(code_of --no-such-option -- true)" 2 "an unknown option"
is "$(code_of --out "$out")" 2 "no program"
is "$(code_of --mem 12parsec -- true)" 2 "nonsense for a size"
is "$(code_of --timeout 0 -- true)" 2 "a time limit of nothing"
is "$(code_of --kernel /no/such/kernel -- true)" 3 "a kernel that is not there"
like "$(<"$scratch/stderr")" "/no/such/kernel" "is named"
is "$(code_of --root "$scratch" -- true)" 3 "a root without an init"
is "$(code_of --cpu 4095 -- true)" 3 "a CPU that is not there"

guest_in_background --out "$out" -- bash -c 'echo up; sleep 1000'
wait_until 60 started "$out" || bail "the guest did not come up"
is "$(code_of --out "$out" -- true)" 2 "an output directory that is in use"
end_with TERM

expect_pass "a guest without a directory given" guest -- true
is "$(leftovers)" "" "no temporary file is left"
expect_pass "no process is left" nothing_runs
tap_done
