#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# policy-guest.sh POLICY MEASURED - in a guest of its own: loads /etc/ima-policy/POLICY.policy, reads it
# back, makes one access of each kind and looks which of them are in the measurement list. TAP on stdout.
#
# MEASURED: those that must be, of read exec map (on the mount that the bench policies name),
# other-read other-exec other-map (on another tmpfs), root-read user-read (on the root). The
# rest must not be.
. /tests/lib/guest.sh

policy=/etc/ima-policy/$1.policy
measured=" $2 "
list=/sys/kernel/security/ima/ascii_runtime_measurements
loaded=/sys/kernel/security/ima/policy
library=$(find /usr/lib -name 'libm.so.6' | head -n 1)

# rules FILE: one per line, their words in one order, a magic number in one spelling
rules() {
	grep -E '^(dont_)?measure ' "$1" | while read -ra words; do
		printf '%s\n' "${words[@]}" | sort | paste -sd ' '
	done
}

# access KIND FILE: both made unlike any other, so that each is an entry of its own
access() {
	case $1 in
	*read) echo "$1" >"$2" && cat "$2" >/dev/null ;;
	*exec) { cat /usr/bin/true && echo "$1"; } >"$2" && chmod 755 "$2" && "$2" ;;
	*map) { cat "$library" && echo "$1"; } >"$2" && LD_PRELOAD=$2 /usr/bin/true ;;
	esac
}

# shellcheck disable=SC2317 # called by expect_pass
listed() {
	grep -qF " $1" "$list"
}

judge() {
	if [[ $measured = *" $1 "* ]]; then
		expect_pass "$1 is measured" listed "$2"
	else
		expect_fail -c 1 "$1 is not" listed "$2"
	fi
}

mkdir /run/bench /run/other
mount -t tmpfs bench /run/bench
mount -t tmpfs other /run/other
uuid=$(fsuuid /run/bench) || bail "no UUID of a tmpfs"
sed "s/@FSUUID@/$uuid/g" "$policy" >/run/policy
entries=$(wc -l <"$list")
is "$entries" 1 "nothing was measured before"
expect_pass "$1.policy loads" dd if=/run/policy of="$loaded" bs=4095 status=none
is "$(rules "$loaded")" "$(rules /run/policy)" "it reads back as it was written"
at_least "$(rules /run/policy | wc -l)" 1 "rules"

for kind in read exec map; do
	access "$kind" "/run/bench/file-$kind" || bail "$kind failed"
	access "other-$kind" "/run/other/other-$kind" || bail "other-$kind failed"
	judge "$kind" "/run/bench/file-$kind"
	judge "other-$kind" "/run/other/other-$kind"
done
cat /etc/hosts >/dev/null
setpriv --reuid 1000 --regid 1000 --clear-groups cat /tests/bench/verdict.awk >/dev/null
judge root-read /etc/hosts
judge user-read /tests/bench/verdict.awk
tap_done
