#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# probe.sh - vtpmfast probe against made-up sysfs trees. TAP on stdout.
# VTPMFAST names the binary (default: build/userspace/vtpmfast).
# shellcheck disable=SC2317 # functions that expect_pass calls
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
vtpmfast=$(readlink -f "${VTPMFAST:-$top/build/userspace/vtpmfast}")
work=$(mktemp -d)
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"
trap 'rm -rf "$work"; tap_at_exit' EXIT
cd "$work"

# probe ROOT ARG...: leaves out, err, and the exit code in rc
probe() {
	local root=$1
	shift
	rc=0
	VTPMFAST_SYSFS=$work/$root "$vtpmfast" probe "$@" >out 2>err || rc=$?
}

has() {
	cat out err
	echo "no line matches: $1"
	grep -qE -- "$1" out
}

lacks() {
	cat out
	echo "a line matches: $1"
	! grep -qE -- "$1" out
}


# --- no TPM at all --------------------------------------------------------------
mkdir bare
begin_ns=$(date +%s%N)
probe bare
took_ms=$((($(date +%s%N) - begin_ns) / 1000000))
is "$rc" 3 "no TPM: exit 3"
expect_pass "no TPM: within a second" test "$took_ms" -lt 1000
expect_pass "no TPM: said on stderr" grep -q 'no TPM chip is registered' err
expect_pass "no TPM: what was found is printed" has '^  kernel_release '
expect_pass "no TPM: and that there is none" has 'none registered'
expect_pass "no securityfs is not taken for no IMA" has 'securityfs is not mounted'
probe bare --json
is "$rc" 3 "no TPM, JSON: exit 3"
expect_pass "no TPM, JSON: an empty list" lacks '"chip":'

# --- a patched kernel's vtpm_proxy chip; its number keeps a real node out of it ------
chip=full/class/tpm/tpm4095
mkdir -p $chip/pcr-sha256 $chip/pcr-sha1 full/module/tpm/parameters full/class/dmi/id \
	full/kernel/security/ima full/kernel/config/tsm/report
echo "1 vtpm_proxy" >$chip/virtual
echo auto >$chip/completion_mode
echo event >$chip/completion_mode_effective
printf 'commands 7\nlooks 9\nsleeps 3\nwakeups 6\ntimeouts 2\ncancels 1\n' >$chip/completion_stats
echo 2 >$chip/tpm_version_major
echo auto >full/module/tpm/parameters/virtual
echo "Some Maker" >full/class/dmi/id/sys_vendor
: >full/kernel/security/lsm
echo 123 >full/kernel/security/ima/runtime_measurements_count
echo 4 >full/kernel/security/ima/violations
printf 'measure func=BPRM_CHECK\nmeasure func=MMAP_CHECK\n' >full/kernel/security/ima/policy
zeros=$(printf '0%.0s' {1..64})
echo "10 ab ima-ng sha256:$zeros boot_aggregate" \
	>full/kernel/security/ima/ascii_runtime_measurements
probe full
is "$rc" 0 "a chip: exit 0"
expect_pass "patched" has '^  kernel +patched$'
expect_pass "virtual" has '^  virtual +yes$'
expect_pass "with the reason" has '^  virtual_reason +vtpm_proxy$'
expect_pass "mode" has '^  completion_mode +auto$'
expect_pass "what auto is" has '^  completion_mode_effective +event$'
expect_pass "banks, sorted" has '^  banks +sha1\+sha256$'
expect_pass "counters" has '^  completion_stats.wakeups +6$'
expect_pass "driver of a chip without a parent" has '^  driver +vtpm_proxy$'
expect_pass "a node that cannot be asked says why" has '^  identity_error .*/dev/tpmrm4095'
expect_pass "no invented vendor" lacks '^  manufacturer'
expect_pass "DMI" has '^  dmi_vendor +Some Maker$'
expect_pass "IMA without a TPM is in bypass" has '^  state +bypass$'
expect_pass "list entries" has '^  list_entries +123$'
expect_pass "policy rules" has '^  policy_rules +2$'
expect_pass "TSM reports" has '^  present +yes$'
expect_pass "no report entry is left behind" test -z "$(ls -A full/kernel/config/tsm/report)"

probe full --json
expect_pass "JSON: virtual is a boolean" has '"virtual": *true'
expect_pass "JSON: counters are numbers" has '"timeouts": *2'
expect_pass "JSON: schema" has '"schema": *1'

echo "10 ab ima-ng sha256:${zeros%0}1 boot_aggregate" \
	>full/kernel/security/ima/ascii_runtime_measurements
echo "0 unknown" >$chip/virtual
probe full
expect_pass "IMA with a TPM is active" has '^  state +active$'
printf 'state late\nchip tpm0\nextends 25\nlost 1\nexempt 3\n' >full/kernel/security/ima/tpm
echo "10 ab ima-ng sha256:$zeros boot_aggregate" \
	>full/kernel/security/ima/ascii_runtime_measurements
probe full
expect_pass "so it is with one that came late, whose boot aggregate is zeros" has '^  state +active$'
expect_pass "bound late" has '^  tpm_bound +late$'
expect_pass "to this chip" has '^  tpm_chip +tpm0$'
expect_pass "lost extends" has '^  lost +1$'
expect_pass "what an older kernel does not say is absent" \
	lacks '^  (refused|recovered|lead|first_lost|batch_sizes|wait_us_log2)'

# numbers that differ from each other, so that none can stand in for another
sizes=$(seq -s ' ' 101 116)
waits=$(seq -s ' ' 201 224)
printf '%s\n' 'refused 11' 'recovered 12' 'lead 13' 'first_lost 14' "batch_sizes $sizes" \
	"wait_us_log2 $waits" >>full/kernel/security/ima/tpm
probe full
for line in 'refused 11' 'recovered 12' 'lead 13' 'first_lost 14' "batch_sizes $sizes" \
	"wait_us_log2 $waits"; do
	expect_pass "shown: ${line%% *}" has "^  ${line/ / +}\$"
done
probe full --json
# shellcheck disable=SC2016 # variables of jq
expect_pass "JSON: numbers in arrays" jq -e --arg sizes "$sizes" --arg waits "$waits" '.ima |
	.refused == 11 and .recovered == 12 and .lead == 13 and .first_lost == 14 and
	(.batch_sizes | map(tostring) | join(" ")) == $sizes and
	(.wait_us_log2 | map(tostring) | join(" ")) == $waits and
	(.batch_sizes + .wait_us_log2 | all(type == "number"))' out
# half a histogram would be a wrong one
for line in "batch_sizes ${sizes% *}" "batch_sizes $sizes 1" "batch_sizes x${sizes#1}" \
	"batch_sizes ${sizes/ /  }" "batch_sizes"; do
	printf 'state late\nchip tpm0\n%s\n' "$line" >full/kernel/security/ima/tpm
	probe full
	expect_pass "left out, since it is not as documented: $line" lacks '^  batch_sizes'
done
printf 'state late\nlost -1\nbatch_sizes %s 18446744073709551615\n' "${sizes% *}" \
	>full/kernel/security/ima/tpm
probe full
expect_pass "the largest number" has '^  batch_sizes .* 18446744073709551615$'
expect_pass "no counter is negative" lacks '^  lost'
echo "state waiting" >full/kernel/security/ima/tpm
probe full
expect_pass "IMA that waits for a TPM says so" has '^  state +waiting$'
expect_pass "and is bound to none" lacks '^  tpm_bound'
rm full/kernel/security/ima/tpm
expect_pass "not virtual, with the reason" has '^  virtual_reason +unknown$'
expect_pass "not virtual" has '^  virtual +no$'

# --- a stock kernel: files that are not there are no error ----------------------------
mkdir -p stock/class/tpm/tpm4095/pcr-sha256 stock/class/tpm/tpm4095/device \
	stock/bus/drivers/tpm_crb stock/kernel/security
ln -s ../../../../bus/drivers/tpm_crb stock/class/tpm/tpm4095/device/driver
: >stock/kernel/security/lsm
probe stock
is "$rc" 0 "stock kernel: exit 0"
expect_pass "stock kernel: is called so" has '^  kernel +stock$'
expect_pass "stock kernel: its only mode" has '^  completion_mode +stock$'
expect_pass "stock kernel: nothing about the flag" lacks '^  virtual'
expect_pass "driver from sysfs" has '^  driver +tpm_crb$'
expect_pass "a kernel without IMA" has '^  present +no$'

# --- command line ------------------------------------------------------------------
probe full --output t.txt
expect_pass "--output" grep -q 'vtpm_proxy' t.txt
expect_pass "--output: nothing on stdout" test ! -s out
probe full --output nodir/x
is "$rc" 2 "unwritable output: exit 2"
probe full --output .
is "$rc" 2 "a directory as output: exit 2"
probe full --frobnicate
is "$rc" 2 "unknown option: exit 2"
probe full word
is "$rc" 2 "unexpected word: exit 2"

tap_done
