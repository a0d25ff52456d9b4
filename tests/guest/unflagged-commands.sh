#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=stock,patched append=tpm.virtual=off
# What a chip without the flag is sent, from registration on. It is written down here, and
# the unpatched kernel has to do the same as the patched one.
. /tests/lib/guest.sh

start_scripted_with --banks sha256
tpm-client -q -d "/dev/$tpm" 'extend*5' getcap random read >/run/text || true
is "$(value_of verified "$(</run/text)")" yes "extends work"
is "$(sed 's/.*command=\([^ ]*\) .*/\1/' "$log" | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" \
	"$(paste -sd , <<-'END')" "these commands, in this order"
		1 SetLocality
		1 SelfTest
		1 Startup
		1 SelfTest
		3 GetCapability
		1 PCR_Read
		5 PCR_Extend
		1 GetCapability
		1 GetRandom
		2 PCR_Read
	END
is "$(grep -c ' rc=0x0$' "$log")" $(($(wc -l <"$log") - 1)) "all but one are done"
like "$(grep -m 1 -v ' rc=0x0$' "$log")" 'command=SelfTest k=1 ' "that is the test before the start-up"
stop_scripted
tap_done
