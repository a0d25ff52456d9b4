#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched
# The files under /sys/class/tpm/tpmN and the words that they take.
. /tests/lib/guest.sh

start_swtpm
dir=/sys/class/tpm/$tpm
write_mode() {
	printf %b "$1" >"$dir/completion_mode"
}
write_error() {
	local text
	text=$( (printf %b "$1" >"$dir/completion_mode") 2>&1) || true
	echo "${text##*: }"
}

is "$(<"$dir/virtual")" "1 vtpm_proxy" "a vtpm_proxy chip is virtual, and says why"
is "$(stat -c %a "$dir/virtual")" 444 "virtual is read-only"
is "$(stat -c %a "$dir/completion_mode")" 644 "completion_mode is root's to write"
is "$(stat -c %a "$dir/completion_mode_effective")" 444 "completion_mode_effective is read-only"
is "$(stat -c %a "$dir/completion_stats")" 444 "completion_stats is read-only"
is "$(<"$dir/completion_mode")" auto "auto is the default"
is "$(<"$dir/completion_mode_effective")" event "auto means event where the driver wakes the waiter"

for mode in stock usleep adaptive event auto; do
	expect_pass "$mode is taken" write_mode "$mode\n"
	is "$(<"$dir/completion_mode")" "$mode" "$mode is read back"
	want=$mode
	[[ $mode = auto ]] && want=event
	is "$(<"$dir/completion_mode_effective")" "$want" "$mode is in effect as $want"
done
expect_pass "a word without a newline is taken" write_mode stock
is "$(<"$dir/completion_mode")" stock "and read back"

for word in '' ' ' '\n' fast STOCK stockx 'stock usleep' sto 0 '\x00' \
	"$(head -c 3000 /dev/zero | tr '\0' a)"; do
	# an empty write never reaches the kernel
	[[ -n $word ]] || continue
	is "$(write_error "$word")" "Invalid argument" "'${word:0:12}' is refused with EINVAL"
done
is "$(<"$dir/completion_mode")" stock "a refused word changes nothing"
write_mode auto

for name in commands looks sleeps wakeups timeouts cancels; do
	like "$(grep "^$name " "$dir/completion_stats")" "^$name [0-9]+\$" "completion_stats counts $name"
done
is "$(wc -l <"$dir/completion_stats")" 6 "and nothing else"
stat_of() {
	awk -v name="$1" '$1 == name { print $2 }' "$dir/completion_stats"
}
before=$(stat_of commands)
sleeps=$(stat_of sleeps)
wakeups=$(stat_of wakeups)
expect_pass "10 extends" tpm-client -q -d "/dev/$tpm" 'extend*10'
# and the two reads of the PCR
at_least "$(($(stat_of commands) - before))" 12 "every command is counted"
at_least "$(($(stat_of sleeps) - sleeps))" 1 "and so are the sleeps"
at_least "$(($(stat_of wakeups) - wakeups))" 10 "and the driver ended most of them"
is "$(stat_of timeouts)" 0 "nothing timed out"

is "$(</sys/module/tpm/parameters/virtual)" auto "tpm.virtual is auto by default"
kill "$pid"
expect_pass "the chip goes when swtpm ends" wait_gone "$tpm"
tap_done
