#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host: timeout=300
# Each IMA policy in a guest of its own, since rules cannot be taken back: it loads, it reads back, and
# it measures what it says and nothing else. bench-none, the twin of bench-all, measures nothing.
# shellcheck source=tests/launcher/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# what each must measure of the accesses that tests/lib/policy-guest.sh makes; a library that is
# preloaded is opened for reading before it is mapped
declare -A measures=(
	[bench-read]="read map"
	[bench-exec]="exec map"
	[bench-mmap]="exec map"
	[bench-all]="read exec map"
	[bench-none]=""
	[executed]="exec map other-exec other-map"
	[tcb]="exec map other-exec other-map root-read"
	[root-reads]="root-read"
	[container-host]="exec map other-exec other-map"
)

for file in "$top"/ima-policy/*.policy; do
	name=${file##*/}
	name=${name%.policy}
	if [[ ! -v measures[$name] ]]; then
		not_ok "$name: this test does not know what it must measure"
		continue
	fi
	expect_pass "$name.policy" guest -- bash /tests/lib/policy-guest.sh "$name" "${measures[$name]}"
	# one write takes at most a page
	at_most "$(stat -c %s "$file")" 4095 "$name.policy in bytes"
done
is "${#measures[@]}" "$(find "$top/ima-policy" -name '*.policy' | wc -l)" "every policy was looked at"
# the judge itself: what is expected and not measured is a failure
expect_fail -c 1 "a policy that does not keep its word" guest -- bash /tests/lib/policy-guest.sh \
	bench-none read
tap_done
