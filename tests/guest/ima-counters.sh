#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late+tpm.limit_ms=10000
# What ima/tpm counts, and what the tracepoints tell.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

# sum NAME: of the numbers in a line of ima/tpm
sum() {
	local n total=0
	for n in $(tpm_value "$1"); do
		total=$((total + n))
	done
	echo "$total"
}

# number NAME K: the K-th of them, from 0
number() {
	local -a values
	read -ra values <<<"$(tpm_value "$1")"
	echo "${values[$2]}"
}

is "$(tpm_value lead) $(sum batch_sizes) $(sum wait_us_log2)" "0 0 0" "without a TPM nothing is counted"
is "$(tpm_value batch_sizes | wc -w) $(tpm_value wait_us_log2 | wc -w)" "16 24" "there are 16 sizes and 24 times"

private_mount
load_policy
# 1 and 2 are the bind
start_scripted PCR_Extend:3=delay,3000 PCR_Extend:5=rc,0x101 PCR_Extend:7=delay,600
make_files a 6
cat "$mnt/a/0" >/dev/null &
reader=$!
until grep -q 'PCR_Extend k=3' "$log"; do
	sleep 0.01
done
is "$(tpm_value lead)" 1 "the list leads by one while it is extended"
is "$(tpm_value extends)" 2 "it does not count yet"
wait "$reader"
is "$(tpm_value lead) $(tpm_value extends)" "0 3" "and then it does"
# 2^21 us are 2.1 s, 2^22 are 4.2 s; more is for a host that was busy
at_least "$(($(number wait_us_log2 22) + $(number wait_us_log2 23)))" 1 "the reader waited for 3 s"
is "$(sum wait_us_log2)" 1 "it is the only one so far"
is "$(tpm_value first_lost)" "" "nothing is lost, so there is no first"

# the fourth entry is extended, the fifth is refused, the sixth is extended
cat "$mnt/a/1" "$mnt/a/2" "$mnt/a/3" >/dev/null
is "$(tpm_value lost) $(tpm_value refused) $(tpm_value first_lost)" "1 1 5" "the fifth of the list is lost"
is "$(sed -n 5p $list | cut -d' ' -f5)" "$mnt/a/2" "it is that file"
is "$(tpm_value batch_sizes)" "4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" "each was alone"
is "$(sum wait_us_log2)" 4 "all of them waited"
cat "$mnt/a/1" >/dev/null
is "$(sum wait_us_log2)" 4 "one that was measured before does not wait"

# what is in the trace, where the kernel has tracing
tracing=/sys/kernel/tracing
[[ -e $tracing/events || ! -d $tracing ]] || mount -t tracefs tracefs $tracing
if [[ -d $tracing/events ]]; then
	echo 1 >$tracing/events/ima/enable
	cat "$mnt/a/4" "$mnt/a/5" >/dev/null
	echo 0 >$tracing/events/ima/enable
	trace=$(grep -o 'ima_[a-z_]*: .*' $tracing/trace)
	diag "$trace"
	is "$(cut -d: -f1 <<<"$trace" | tr '\n' ' ')" \
		"ima_measure_begin ima_batch ima_measure_end ima_measure_begin ima_batch ima_measure_end " \
		"two files: begin, batch, end, each"
	is "$(grep -c 'taken=1 listed=1 commands=1 lost=0 ns=' <<<"$trace")" 2 "batches of one"
	like "$(sed -n 3p <<<"$trace")" 'result=0 extend=0 wait_ns=([6-9][0-9]{8}|[0-9]{10,})' "the first waited for 600 ms"
else
	[[ $(uname -r) != *debug* ]] || not_ok "the debug kernel has tracing"
fi
stop_scripted
tap_done
