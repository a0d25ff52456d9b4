# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What guest tests of `vtpmfast verify` do with a template of the kernel's. Source
# it after guest.sh.

ima=/sys/kernel/security/ima
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

# A filesystem of their own, so that nothing but its files is measured.
measure_tmpfs() {
	mkdir -p /tmp/measured
	mount -t tmpfs measured /tmp/measured
	echo "measure func=FILE_CHECK mask=MAY_READ fsmagic=0x01021994 uid=0" >$ima/policy
}

make_files() { # FROM TO
	local i content
	for ((i = $1; i <= $2; i++)); do
		echo "$i" >"/tmp/measured/$i"
		read -r content <"/tmp/measured/$i"
	done
	: "$content"
}

# Read by somebody who finds it open for writing.
make_violation() {
	local content
	exec 5>>/tmp/measured/written
	echo more >&5
	read -r content </tmp/measured/written
	exec 5>&-
	: "$content"
}

# check_template NAME: the kernel writes it, and both lists are verified
check_template() {
	local text
	start_bound_swtpm
	measure_tmpfs
	make_files 1 23
	make_violation
	is "$(tail -n 1 $ima/ascii_runtime_measurements | cut -d' ' -f3)" "$1" "the template is $1"
	text=$(vtpmfast verify --strict) || true
	like "$text" ' [1-9][0-9]* violations' "binary list: violations"
	like "$text" 'verified  yes' "... verified"
	expect_pass "ascii list" vtpmfast verify --strict $ima/ascii_runtime_measurements
	head -c -1 $ima/binary_runtime_measurements >/run/cut
	expect_fail -c 5 "without its last byte" vtpmfast verify /run/cut
}
