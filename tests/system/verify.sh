#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# verify: lists of every template against PCR values, and what must be refused.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

listgen=$top/build/tests/ima_listgen
[[ -x $listgen ]] || make -s -C "$top/userspace" listgen >"$work/make.log" 2>&1 ||
	bail "ima_listgen does not build: $(tail -n 1 "$work/make.log")"
b=$work/list a=$work/ascii p=$work/pcrs
verify=("$vtpmfast" verify)

gen() { "$listgen" --binary "$b" --ascii "$a" --pcrs "$p" "$@"; }
# 5 and the position: refuse DESC ENTRY CMD... ; ENTRY "" where none is at fault
refuse() {
	local desc=$1 entry=$2 got
	shift 2
	run_timed "$@" --json
	got="$code $(jq -r '.verified' <<<"$out" 2>/dev/null) $(jq -r '.bad_entry.entry // ""' <<<"$out")"
	is "$got" "5 false $entry" "$desc"
}
# The files that evmctl wants: all 24 PCRs of one bank
evmctl_pcrs() {
	awk -F: -v bank="$1" '$1 == bank { hex[$2] = toupper($3); len = length($3) } END {
		for (pcr = 0; pcr < 24; pcr++) {
			printf "PCR-%02d:", pcr
			for (i = 1; i < len; i += 2)
				printf " %s", pcr in hex ? substr(hex[pcr], i, 2) : "00"
			print ""
		}
	}' "$p"
}
agree() {
	local desc=$1
	command -v evmctl >/dev/null || {
		skip "$desc: evmctl agrees" "no evmctl"
		return
	}
	evmctl_pcrs sha1 >"$work/sha1"
	evmctl_pcrs sha256 >"$work/sha256"
	expect_pass "$desc: evmctl agrees" evmctl ima_measurement --ignore-violations \
		--pcrs "sha1,$work/sha1" --pcrs "sha256,$work/sha256" "$b"
}

# ---- every template ----
for template in ima ima-ng ima-sig ima-buf ima-modsig ima-ngv2 ima-sigv2 evm-sig \
	'd|n' 'd-ng|n-ng' 'd-ngv2|n-ng|sig|buf' 'n-ng|d-ng|imode|iuid|xattrnames'; do
	gen --templates "$template" --entries 30 --violations 7
	expect_pass "$template: binary" "${verify[@]}" "$b" --pcrs "$p"
	expect_pass "$template: ascii" "${verify[@]}" "$a" --pcrs "$p"
	agree "$template"
	head -c -1 "$b" >"$work/cut"
	refuse "$template: without its last byte" 30 "${verify[@]}" "$work/cut" --pcrs "$p"
	sed '1s/[0-4]$/5/;1t;1s/.$/0/' "$p" >"$work/wrong"
	refuse "$template: another PCR value" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
done

gen --templates 'ima-ng,ima-sig,evm-sig,d|n' --entries 60 --violations 5 --other-pcr 7
agree "templates mixed, two PCRs"
for where in start end; do
	if [[ $where = start ]]; then
		{ printf '\0sha1:10:%040d\n' 1 && cat "$p"; } >"$work/nul"
	else
		{ cat "$p" && printf 'sha1:10:%040d\0\n' 1; } >"$work/nul"
	fi
	refuse "a value behind a NUL, at the $where of the file, is not passed over" "" \
		"${verify[@]}" "$b" --pcrs "$work/nul"
done
expect_pass "... PCR 10" "${verify[@]}" "$b" --pcrs "$p"
expect_pass "... PCR 11" "${verify[@]}" "$b" --pcrs "$p" --pcr 11
gen --templates 'ima-ng,ima,ima-sig,ima-buf,evm-sig,d-ng|n-ng|igid' --entries 60 --violations 5 \
	--other-pcr 7
expect_pass "... also with ima" "${verify[@]}" "$b" --pcrs "$p"
expect_pass "... ascii" "${verify[@]}" "$a" --pcrs "$p"
expect_pass "... standard input" "${verify[@]}" - --pcrs "$p" <"$b"
skip "templates mixed with ima: evmctl agrees" "evmctl 1.4 refuses lists with ima and other templates"
run_timed "${verify[@]}" "$b" --pcrs "$p" --json --output "$work/copy"
is "$(jq -cS . <<<"$out")" "$(jq -cS . "$work/copy")" "--output says what --json says"
is "$(jq -c '[.schema, .kind, .verified, .list.entries, .list.entries_of_pcr, .list.violations,
	.tail_entries, (.banks | map(.bank))]' <<<"$out")" \
	'[1,"verify",true,60,52,10,0,["sha1","sha256"]]' "the document counts right"
gen --templates ima-ng,no-such --entries 1
sed 's/ima-ng/ima-xg/' "$b" >"$work/unknown"
refuse "an unknown template" 1 "${verify[@]}" "$work/unknown" --pcrs "$p"
gen --templates 'd-ng|n-ng' --entries 1
sed 's/d-ng|n-ng/d-ng|x-ng/' "$b" >"$work/unknown"
refuse "an unknown field" 1 "${verify[@]}" "$work/unknown" --pcrs "$p"
like "$err" 'entry 1 at byte 0: .*unknown template or field' "... says where"

# ---- digests of other algorithms in the list, banks ----
for algo in sha256 sha384 sha512; do
	gen --algo "$algo" --entries 20 --violations 3 --banks sha1,sha256,sha384,sha512
	expect_pass "a list of $algo digests" "${verify[@]}" "$b" --list-algo "$algo" --pcrs "$p"
	cp "$b" "$work/binary_runtime_measurements_$algo"
	expect_pass "... by its name" "${verify[@]}" "$work/binary_runtime_measurements_$algo" \
		--pcrs "$p"
	expect_pass "... ascii" "${verify[@]}" "$a" --list-algo "$algo" --pcrs "$p"
	refuse "... taken for sha1" 1 "${verify[@]}" "$b" --pcrs "$p"
done
gen --entries 20 --violations 3 --banks sha256
expect_pass "a TPM with sha256 only" "${verify[@]}" "$b" --pcrs "$p"
refuse "a bank without a value" "" "${verify[@]}" "$b" --pcrs "$p" --banks sha1
sed 's/sha256/sha3_256/' "$p" >"$work/wrong"
refuse "a value of another bank" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
like "$out$err" 'bank sha3_256 is' "... and names the bank"
gen --entries 20 --pcrs-after 19
cp "$p" "$work/early"
gen --entries 20
{ grep sha1 "$p"; grep sha256 "$work/early"; } >"$work/wrong"
refuse "banks that stand at different entries" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
like "$err" 'sha1 is as after entry 20, bank sha256 as after entry 19' "... says which"
expect_pass "... either alone" "${verify[@]}" "$b" --pcrs "$work/wrong" --banks sha1
# sha1 of the data and zeros in a bank whose algorithm the kernel lacks
padded=$(printf '0%.0s' {1..64})
while read -r _ digest _; do
	padded=$(printf '%s%s%s' "$padded" "$digest" "$(printf '0%.0s' {1..24})" | xxd -r -p |
		openssl dgst -r -sm3 | cut -d' ' -f1)
done <"$a"
echo "sm3_256:10:$padded" >"$work/padded"
expect_pass "a padded bank" "${verify[@]}" "$b" --pcrs "$work/padded" --padded sm3_256
refuse "... that is not said to be one" "" "${verify[@]}" "$b" --pcrs "$work/padded"

# ---- the tail ----
gen --entries 20 --pcrs-after 18 --other-pcr 6
refuse "two entries that are not in the PCR" 20 "${verify[@]}" "$b" --pcrs "$p" --max-tail 0
gen --entries 20 --pcrs-after 17
refuse "three" 18 "${verify[@]}" "$b" --pcrs "$p"
refuse "... two allowed" 18 "${verify[@]}" "$b" --pcrs "$p" --max-tail 2
expect_pass "... three allowed" "${verify[@]}" "$b" --pcrs "$p" --max-tail 3
is "$("${verify[@]}" "$b" --pcrs "$p" --max-tail 3 --json | jq -c '[.matched_entry, .tail_entries]')" \
	'[17,3]' "... and says how many"

# ---- first entry, kexec ----
for first in boot_aggregate boot_aggregate_late tpm_attach_aggregate; do
	gen --first "$first"
	expect_pass "first entry $first" "${verify[@]}" "$b" --pcrs "$p" --strict
done
gen --first something_else
run_timed "${verify[@]}" "$b" --pcrs "$p"
is "$code" 0 "a first entry of another name"
like "$err" 'something_else' "... is mentioned"
refuse "... --strict" 1 "${verify[@]}" "$b" --pcrs "$p" --strict
gen --entries 30 --boots 10
run_timed "${verify[@]}" "$b" --pcrs "$p"
like "$out" 'kexec +3 boot aggregates' "a list carried over kexec twice"
is "$code" 0 "... is verified"

# ---- a TPM that came late ----
for template in ima ima-ng ima-ngv2; do
	gen --templates $template --entries 20 --attach 15
	expect_pass "$template: a boot aggregate of zeros, and tpm_attach_aggregate" "${verify[@]}" "$b" --pcrs "$p"
	expect_pass "$template: ... ascii" "${verify[@]}" "$a" --pcrs "$p"
	gen --templates $template --entries 20 --attach 15 --pcrs-after 14
	refuse "$template: the PCR ends before that entry" 1 "${verify[@]}" "$b" --pcrs "$p" --max-tail 6
	gen --templates $template --entries 20 --attach 15 --pcrs-after 15
	expect_pass "$template: the PCR ends with it" "${verify[@]}" "$b" --pcrs "$p" --max-tail 5
	gen --templates $template --entries 14 --attach 0
	refuse "$template: there is no such entry" 1 "${verify[@]}" "$b" --pcrs "$p"
done
like "$err" 'tpm_attach_aggregate' "... with the reason"

# ---- nothing to compare ----
gen
: >"$work/empty"
refuse "an empty list" "" "${verify[@]}" "$work/empty" --pcrs "$p"
refuse "no values" "" "${verify[@]}" "$b" --pcrs "$work/empty"
refuse "another PCR" "" "${verify[@]}" "$b" --pcrs "$p" --pcr 11
sed 's/:10:/:11:/' "$p" >"$work/wrong"
refuse "no entry of that PCR" "" "${verify[@]}" "$b" --pcrs "$work/wrong" --pcr 11
echo "sha256:10:$(printf '0%.0s' {1..64})" >"$work/wrong"
refuse "a PCR at its reset value" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
echo "sha256:10:12345" >"$work/wrong"
refuse "a value that is too short" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
cat "$p" "$p" >"$work/wrong"
refuse "a value given twice" "" "${verify[@]}" "$b" --pcrs "$work/wrong"
expect_fail -c 2 "no such file of values" "${verify[@]}" "$b" --pcrs "$work/none"
expect_fail -c 2 "no such list" "${verify[@]}" "$work/none" --pcrs "$p"
expect_fail -c 2 "a directory of values" "${verify[@]}" "$b" --pcrs "$work"
expect_fail -c 2 "a directory as list" "${verify[@]}" "$work" --pcrs "$p"
for output in "$work/none/x" "$work" "$work/none/" ""; do
	run_timed "${verify[@]}" "$b" --pcrs "$p" --output "$output"
	is "$code$out" 2 "an output that cannot be: '${output#"$work"}'"
done
expect_fail -c 2 "values and a TPM" "${verify[@]}" "$b" --pcrs "$p" --device /dev/tpm0
expect_fail -c 2 "half a quote" "${verify[@]}" "$b" --pcrs "$p" --quote "$p"
expect_fail -c 3 "no such TPM" "${verify[@]}" "$b" --device /dev/tpm77
expect_fail -c 4 "nobody behind the socket" "${verify[@]}" "$b" --tcti "swtpm:path=$work/nobody"
# shellcheck disable=SC2016 # the inner shell's
expect_fail -c 1 "into a full device" bash -c '"$@" >/dev/full' _ "${verify[@]}" "$b" --pcrs "$p"

# ---- a lost extend ----
missing() { # DESC [ENTRY MATCHED] ARG...: exit 5, and this entry is named
	local desc=$1 want=$2
	shift 2
	run_timed "${verify[@]}" "$@" --json
	is "$code $(jq -cS '.missing_entry | del(.byte)?' <<<"$out")" "5 $want" "$desc"
}
gen --entries 60 --lost 23 --banks sha1,sha256,sha512 --other-pcr 5
missing "one extend was lost" '{"entry":23,"matched_entry":60}' "$b" --pcrs "$p"
like "$err" 'as after entry 60, but entry 23 at byte [1-9][0-9]* was never extended' "... in words"
missing "... ascii" '{"entry":23,"matched_entry":60}' "$a" --pcrs "$p"
missing "... one bank" '{"entry":23,"matched_entry":60}' "$b" --pcrs "$p" --banks sha512
gen --entries 60 --lost 1
missing "the very first" '{"entry":1,"matched_entry":60}' "$b" --pcrs "$p"
gen --entries 60 --lost 23 --pcrs-after 40
missing "the list has grown since" '{"entry":23,"matched_entry":40}' "$b" --pcrs "$p"
missing "... nor does a tail make it right" '{"entry":23,"matched_entry":40}' "$b" --pcrs "$p" \
	--max-tail 100
gen --entries 60 --lost 60
refuse "the last extend is only one that may be under way" 60 "${verify[@]}" "$b" --pcrs "$p"
is "$(jq -c .missing_entry <<<"$out")" null "... no entry is called missing"
gen --entries 60 --lost 23
cp "$p" "$work/early"
gen --entries 60 --lost 24
{ grep sha1: "$p"; grep sha256: "$work/early"; } >"$work/wrong"
missing "each bank lacks another one" null "$b" --pcrs "$work/wrong"
sed 30p "$a" >"$work/moved"
missing "two are too many" null "$work/moved" --pcrs "$p"
# the search has an end: 4096 entries of the PCR, of which the last explains nothing
gen --entries 4200 --lost 105
missing "the oldest that is tried" '{"entry":105,"matched_entry":4200}' "$b" --pcrs "$p" --banks sha1
gen --entries 4200 --lost 104
missing "one older is not" null "$b" --pcrs "$p" --banks sha1
diag "searching all of them took $took_ms ms"

# ---- whole entries moved ----
gen --entries 6
split -l 1 -d -a 1 "$a" "$work/line."
line() { local i; for i in "$@"; do cat "$work/line.$i"; done >"$work/moved"; }
line 0 1 2 3 4 5
expect_pass "lines put together again" "${verify[@]}" "$work/moved" --pcrs "$p"
line 0 2 1 3 4 5
refuse "two lines swapped" "" "${verify[@]}" "$work/moved" --pcrs "$p"
line 0 1 3 4 5
refuse "a line removed" "" "${verify[@]}" "$work/moved" --pcrs "$p"
line 0 1 2 3 4
refuse "the last line removed" "" "${verify[@]}" "$work/moved" --pcrs "$p"
line 0 1 2 2 3 4 5
refuse "a line twice" "" "${verify[@]}" "$work/moved" --pcrs "$p"
line 0 1 2 3 4 5 5
refuse "the last line twice" 7 "${verify[@]}" "$work/moved" --pcrs "$p"
sed '3s/ /  /2' "$a" >"$work/moved"
refuse "a blank too many" 3 "${verify[@]}" "$work/moved" --pcrs "$p"

# ---- a list as long as those of machines that run for months ----
entries=50000
[[ -z ${VTPMFAST_SLOW-} ]] || entries=1000000
gen --entries "$entries" --violations 1000 --ascii /dev/null
/usr/bin/time -f '%e %M' -o "$work/ours" "${verify[@]}" "$b" --pcrs "$p" >"$work/out" || true
is "$(tail -n 1 "$work/out")" "verified  yes" "$entries entries"
read -r ours_s ours_kib <"$work/ours"
at_most "$ours_kib" 32768 "... in KiB of memory"
agree "$entries entries"
if [[ -n ${VTPMFAST_SLOW-} ]] && command -v evmctl >/dev/null; then
	/usr/bin/time -f %e -o "$work/theirs" evmctl ima_measurement --ignore-violations \
		--pcrs "sha1,$work/sha1" --pcrs "sha256,$work/sha256" "$b" >"$work/out" 2>&1
	theirs_s=$(tail -n 1 "$work/theirs")
	diag "ours $ours_s s, evmctl $theirs_s s"
	at_most "$(awk -v a="$ours_s" -v b="$theirs_s" 'BEGIN { printf "%d", 100 * a / b }')" 50 \
		"... in percent of evmctl's time"
else
	skip "... in half of evmctl's time" "a million entries and evmctl; VTPMFAST_SLOW=1 tries"
fi
tap_done
