#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=240 append=ima_tpm=late mem=1G
# A list that still grows while the TPM comes: 16 processes measure before, during
# and after the bind. Nothing is missed, nothing is extended twice.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
for ((p = 0; p < 16; p++)); do
	make_files "p$p" 300
done
make_files long 80
read_files long
is "$(entries)" 81 "80 files were measured without a TPM"

# each goes on until IMA is bound, and for ten files more
reader() {
	local i last=300
	for ((i = 0; i < last; i++)); do
		read -r _ <"$mnt/$1/$i"
		# a pause without a program: nobody writes to it
		read -rt 0.02 -u 9 _ || true
		[[ ! -e /run/bound ]] || ((last <= i + 11)) || last=$((i + 11))
	done
	echo "$i" >"/run/read.$1"
}
mkfifo /run/pause
exec 9<>/run/pause
pids=()
for ((p = 0; p < 16; p++)); do
	reader "p$p" &
	pids+=($!)
done
start_swtpm
# the chip can be used before such a list is in its PCR
deadline=$(($(now_ms) + 60000))
until [[ $(tpm_value state) != waiting ]] || (($(now_ms) > deadline)); do
	sleep 0.05
done
is "$(tpm_value state)" late "IMA binds"
touch /run/bound
wait "${pids[@]}"
read=$(cat /run/read.* | awk '{ n += $1 } END { print n }')
diag "$(($(awk '$5 == "tpm_attach_aggregate" { print NR }' $list) - 82)) of $read came before the end of the bind"
is "$(entries)" "$((82 + read))" "every file is listed once, and the mark"
is "$(entries_named tpm_attach_aggregate)" 1 "which is there once"
is "$(tpm_value extends) $(tpm_value lost)" "$((82 + read)) 0" "every entry is extended once"
expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" sha256
is "$(stuck_tasks)" "" "no stuck task"
tap_done
