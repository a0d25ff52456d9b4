#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The threaded clients under TSan and everything under ASan, against a swtpm.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

for san in tsan asan; do
	make -s -C "$top/userspace" SAN=$san >"$work/make.log" 2>&1 ||
		bail "make SAN=$san: $(tail -n 3 "$work/make.log")"
	start_swtpm $san
	# a report in a client ends that client, which makes the exit code 1
	run_timed "$top/build/userspace-$san/vtpmfast" extend --tcti "$tcti" --threads \
		--clients 1,8 --runs 2 --duration 0.5 --warmup 0.1 --json
	is "$code" 0 "$san: extend with threads"
	is "$(grep -c Sanitizer <<<"$err" || true)" 0 "$san: no report"
	((code == 0)) || diag "$err"
	is "$(jq '[.points[] | select(.verified)] | length' <<<"$out")" 4 "$san: verified"
done
for kind in --libtpms --pingpong; do
	run_timed "$top/build/userspace-asan/vtpmfast" floor $kind --count 200 --runs 1 --json
	is "$code" 0 "asan: floor $kind"
	is "$(grep -c Sanitizer <<<"$err" || true)" 0 "asan: no report"
done
# a good list, one cut in every entry, and a PCR that it does not lead to
make -s -C "$top/userspace" listgen >"$work/make.log" 2>&1 || bail "ima_listgen does not build"
"$top/build/tests/ima_listgen" --templates ima,ima-sig,ima-buf,evm-sig --entries 20 --violations 6 \
	--binary "$work/list" --ascii "$work/ascii" --pcrs "$work/pcrs"
for list in list ascii; do
	size=$(stat -c %s "$work/$list")
	codes=
	for ((len = size; len >= 0; len -= size / 20)); do
		head -c "$len" "$work/$list" >"$work/cut"
		run_timed "$top/build/userspace-asan/vtpmfast" verify "$work/cut" --pcrs "$work/pcrs" --json
		[[ $err != *Sanitizer* ]] || diag "$err"
		codes+=" $code"
	done
	like "$codes" '^ 0( 5){20,21}$' "asan: verify $list, whole and cut"
done
tap_done
