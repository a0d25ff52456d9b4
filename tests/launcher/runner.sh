#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The runner is a meter too: what it must not take for a pass.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"
# shellcheck disable=SC2034 # for suites.sh
patched_kernel=/none
# shellcheck source=tests/lib/suites.sh
. "$top/tests/lib/suites.sh"
cd "$top"

dir=$(mktemp -d)
trap 'rm -rf "$dir"; tap_at_exit' EXIT

# counts DESC WANT EXIT_CODE: TAP on stdin gives WANT (passed failed skipped)
counts() {
	is "$(read_tap "$dir/findings" "$3")" "$2" "$1"
}

counts "all passed" "2 0 0" 0 <<<$'1..2\nok 1 - a\nok 2 - b'
counts "one failed" "1 1 0" 1 <<<$'ok 1 - a\nnot ok 2 - b\n# why\n1..2'
is "$(<"$dir/findings")" $'not ok 2 - b\n# why' "what failed is named, with its comment"
counts "one skipped" "1 0 1" 0 <<<$'ok 1 - a\nok 2 - b # SKIP no TPM\n1..2'
counts "all skipped" "0 0 1" 0 <<<'1..0 # SKIP no TPM'
counts "known to fail is not a pass" "1 0 1" 0 <<<$'1..2\nok 1\nnot ok 2 - b # TODO later'
counts "two streams of one binary" "3 0 0" 0 <<<$'1..1\nok 1 - a\n1..2\nok 1 - b\nok 2 - c'
counts "ended early" "1 1 0" 1 <<<$'1..2\nok 1 - a'
counts "ended early without a plan" "1 1 0" 0 <<<'ok 1 - a'
counts "bailed out" "1 1 0" 1 <<<$'ok 1 - a\nBail out! no server'
counts "nothing at all" "0 1 0" 0 </dev/null
counts "an exit code that no failure explains" "1 1 0" 139 <<<$'1..1\nok 1 - a'
counts "words that only look like a result" "1 0 0" 0 <<<$'1..1\nok 1 - a\nokay then\nnot okay'

# shellcheck disable=SC2317 # called by expect_pass
scan() {
	printf '%b' "$1" >"$dir/console"
	tests/lib/console-scan "$dir/console"
}
expect_pass "a clean log" scan '[    0.1] Linux version 6.12\n[    0.2] tpm tpm0: Operation Canceled\n'
for line in 'Kernel panic - not syncing: x' 'WARNING: CPU: 0 PID: 9 at lib/x.c:3 y' \
	'BUG: KASAN: slab-use-after-free in x' 'INFO: task swtpm:12 blocked for more than 120 seconds.' \
	'WARNING: possible circular locking dependency detected' 'BUG: sleeping function called from x' \
	'vtpmfast-init: stuck: a process is still there 2000 ms after SIGKILL'; do
	expect_fail -c 1 "a log with: ${line:0:40}" scan "[    1.0] $line\n"
done
pci='[ 0.1] WARNING: CPU: 0 PID: 1 at arch/um/drivers/virt-pci.c:1005 um_pci_init+0xc7/0xd9\n'
expect_fail -c 1 "no warning of the boot is allowed" scan "$pci"

ktap() {
	printf '%b' "$1" >"$dir/console"
	kunit_tap "$dir/console" | read_tap "$dir/findings" 0
}
suite='[ 0.1] KTAP version 1\n[ 0.1] 1..1\n[ 0.1]     KTAP version 1\n[ 0.1]     # Subtest: s\n'
suite+='[ 0.1]     1..2\n[ 0.1]     ok 1 a\n'
is "$(ktap "${suite}[ 0.1]     ok 2 b\n[ 0.1] ok 1 s\n")" "2 0 0" "KUnit: two cases"
is "$(ktap "${suite}[ 0.1]     not ok 2 b\n[ 0.1] not ok 1 s\n")" "1 1 0" "KUnit: a failed case"
is "$(ktap "${suite}[ 0.1]     ok 2 b # SKIP x\n[ 0.1] ok 1 s\n")" "1 0 1" "KUnit: a skipped case"
is "$(ktap "$suite")" "1 1 0" "KUnit: a suite that never ended"
is "$(ktap '[ 0.1] Linux version\n')" "0 1 0" "KUnit: no suite at all is a failure"

expect_fail -c 2 "an unknown suite" tests/run nonsense
expect_fail -c 2 "an unknown option" tests/run --nonsense
like "$(tests/run --list guest)" "deaths.sh on the patched kernel" "--list says what would run"
tap_done
