# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What guest tests of `vtpmfast verify` do with a template of the kernel's. Source
# it after guest.sh.

# shellcheck source=tests/lib/ima.sh
. "$(dirname "${BASH_SOURCE[0]}")/ima.sh"

[[ -e $ima/tpm ]] || skip_all "this kernel's IMA binds to no TPM that comes late"
vtpmfast verify --help >/dev/null 2>&1 || skip_all "vtpmfast verify is not built"

# The kernel binds when the chip is registered, and has an entry more then.
start_bound_swtpm() {
	local i
	start_swtpm_with --banks sha1,sha256
	for ((i = 0; i < 100; i++)); do
		[[ $(wc -l <$ima/ascii_runtime_measurements) = 1 ]] || return 0
		sleep 0.05
	done
}

# Read by somebody who finds it open for writing.
make_violation() {
	local content
	exec 5>>"$mnt/written"
	echo more >&5
	read -r content <"$mnt/written"
	exec 5>&-
	: "$content"
}

# check_template NAME: the kernel writes it, and both lists are verified
check_template() {
	local text
	start_bound_swtpm
	private_mount
	load_policy
	make_files counted 23
	read_files counted
	make_violation
	is "$(tail -n 1 $ima/ascii_runtime_measurements | cut -d' ' -f3)" "$1" "the template is $1"
	text=$(vtpmfast verify --strict) || true
	like "$text" ' [1-9][0-9]* violations' "binary list: violations"
	like "$text" 'verified  yes' "... verified"
	expect_pass "ascii list" vtpmfast verify --strict $ima/ascii_runtime_measurements
	head -c -1 $ima/binary_runtime_measurements >/run/cut
	expect_fail -c 5 "without its last byte" vtpmfast verify /run/cut
}
