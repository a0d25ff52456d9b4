#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every exit code of extend and floor, provoked.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

start_swtpm one
extend=("$vtpmfast" extend --tcti "$tcti" --warmup 0 --runs 1)
floor=("$vtpmfast" floor --warmup 0 --runs 1)

check() { # CODE DESC CMD...
	local want=$1 desc=$2
	shift 2
	run_timed "$@"
	is "$code" "$want" "$want: $desc"
	((code == want)) || diag "$err"
}

# 0
check 0 "extend" "${extend[@]}" --count 5
check 0 "floor" "${floor[@]}" --count 100
check 0 "floor --pingpong" "${floor[@]}" --count 100 --pingpong
check 0 "--help" "$vtpmfast" --help
check 0 "--version" "$vtpmfast" --version
check 0 "extend --help" "$vtpmfast" extend --help

# 1: the result cannot be written
# shellcheck disable=SC2317 # called by check
full() { "$@" >/dev/full; }
check 1 "extend into a full device" full "${extend[@]}" --count 5
check 1 "extend --json into a full device" full "${extend[@]}" --count 5 --json
check 1 "floor into a full device" full "${floor[@]}" --count 5
check 1 "--output to a full device" "${extend[@]}" --count 5 --output /dev/full

# 2
check 2 "no subcommand" "$vtpmfast"
check 2 "unknown subcommand" "$vtpmfast" nonsense
check 2 "unknown option" "${extend[@]}" --nonsense
check 2 "an argument too many" "${extend[@]}" more
for bad in "--clients 0" "--clients 65" "--clients 1," "--pcr 24" "--duration 0" "--duration x" \
	"--count -1" "--runs 0" "--banks md5" "--modes fast" "--json --csv" "--device /dev/tpm0" \
	"--output /nonexistent/x" "--tpm-pid 4194303"; do
	# shellcheck disable=SC2086 # option and value are two words
	check 2 "extend $bad" "${extend[@]}" $bad
done
check 2 "64 clients on /dev/tpm0" "$vtpmfast" extend --device /dev/tpm0 --clients 1,64
like "$err" '/dev/tpmrm0' "... and it says what to use"
for bad in "--digests 0" "--digests 17" "more"; do
	# shellcheck disable=SC2086
	check 2 "floor $bad" "${floor[@]}" $bad
done

# 3
check 3 "no such device" "$vtpmfast" extend --device /dev/tpm77
check 3 "no such TCTI library" "$vtpmfast" extend --tcti nonsense:x
check 3 "no such device behind a TCTI" "$vtpmfast" extend --tcti device:/dev/tpm77
check 3 "an inactive bank" "${extend[@]}" --count 5 --banks sm3_256
check 3 "modes without a kernel driver" "${extend[@]}" --modes stock,auto
check 3 "floor without swtpm" env SWTPM=/nonexistent/swtpm "${floor[@]}" --pingpong
like "$err" 'SWTPM' "... and it says how to name one"
check 3 "floor without a place for swtpm's state" env TMPDIR=/nonexistent "${floor[@]}" --pingpong

# 4
check 4 "nobody behind the socket" "$vtpmfast" extend --tcti "swtpm:path=$work/nobody"
check 4 "more digests than a command takes" "${floor[@]}" --digests 5 --count 5
check 4 "not a TPM" "$vtpmfast" extend --device /dev/zero
check 4 "a swtpm that ends at once" env SWTPM=/bin/true "${floor[@]}" --pingpong

# 5: another program extends the same PCR
if command -v tpm2_pcrextend >/dev/null; then
	disturb() {
		sleep 0.5
		TPM2TOOLS_TCTI=$tcti tpm2_pcrextend "16:sha256=$(printf '1%.0s' {1..64})"
	}
	disturb &
	other=$!
	check 5 "somebody else extends the PCR" "${extend[@]}" --duration 2 --json
	wait "$other"
	is "$(jq -r '.points[0].verified' <<<"$out")" false "... and the point says so"
	expect_pass "... in a document that is as the schema says" valid_json "$work/out"
else
	skip "5: somebody else extends the PCR" "no tpm2-tools"
fi

# 6: interrupted
check 6 "extend, interrupted" timeout --preserve-status --signal INT 1 "${extend[@]}" --duration 30
check 6 "floor, terminated" timeout --preserve-status --signal TERM 1 "${floor[@]}" --duration 30
tap_done
