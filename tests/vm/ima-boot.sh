#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host: timeout=600
# A chip that is there when IMA starts (tpm-tis, tpm-crb in QEMU, TCG) is bound as ever,
# with ima_tpm=late or without; with the parameter and no chip IMA waits for one.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh

kernel=build/x86-patched/bzImage
[[ -f $kernel ]] || skip_all "$kernel is not built (make x86)"
type -P qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
dir=$(mktemp -d)
trap 'rm -rf "$dir"; tap_at_exit' EXIT

state=/sys/kernel/security/ima/tpm
list=/sys/kernel/security/ima/ascii_runtime_measurements

# boot OPTION...: sets shown and console
boot() {
	shown=$(vm-images/x86/show-boot --out "$dir/out" "$@" -- $state $list 2>"$dir/err") ||
		bail "show-boot $*: $(cat "$dir/err")"
	console=$(cat "$dir/out/console.log")
}

value() {
	awk -v name="$1" '$1 == name { print $2 }' <<<"$shown"
}

for device in tpm-tis tpm-crb; do
	for parameter in "" ima_tpm=late; do
		boot --tpm $device --append "$parameter"
		what="$device, '$parameter'"
		is "$(value state) $(value chip)" "boot tpm0" "$what: bound at boot"
		is "$(value extends) $(value lost)" "1 0" "$what: the boot aggregate was extended"
		like "$shown" 'sha256:[0-9a-f]{64} boot_aggregate' "$what: it is in the list"
		is "$(grep -c tpm_attach_aggregate <<<"$shown")" 0 "$what: nothing marks a late bind"
		is "$(grep -c -e 'No TPM chip found' -e 'Waiting for a TPM' <<<"$console")" 0 \
			"$what: IMA missed no TPM"
	done
done

boot --tpm none --append ima_tpm=late
is "$(value state) $(value extends)" "waiting 0" "no chip, ima_tpm=late: IMA waits"
like "$shown" 'sha256:0{64} boot_aggregate' "the boot aggregate is zeros"
boot --tpm none
is "$(value state) $(value extends)" "bypass 0" "no chip, no parameter: bypass"
tap_done
