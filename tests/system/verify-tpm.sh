#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# verify against a TPM and against quotes of it, with a swtpm of its own.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

command -v tpm2_quote >/dev/null || skip_all "no tpm2-tools"
listgen=$top/build/tests/ima_listgen
[[ -x $listgen ]] || make -s -C "$top/userspace" listgen >"$work/make.log" 2>&1 ||
	bail "ima_listgen does not build: $(tail -n 1 "$work/make.log")"
b=$work/list p=$work/pcrs
verify=("$vtpmfast" verify)
banks=(sha1 sha256 sha384 sha512)

refuse() {
	local desc=$1
	shift
	run_timed "$@" --json
	is "$code $(jq -r '.verified' <<<"$out" 2>/dev/null)" "5 false" "$desc"
}

start_swtpm one
export TPM2TOOLS_TCTI=$tcti
# the TPM extends what the lists of each bank hold: the kernel's part, played here
for bank in "${banks[@]}"; do
	"$listgen" --entries 8 --algo "$bank" --violations 3 --ascii "$work/$bank"
done
extend_entry() {
	local i=$1 digest all="" bank
	for bank in "${banks[@]}"; do
		digest=$(sed -n "${i}s/^10 \([0-9a-f]*\) .*/\1/p" "$work/$bank")
		[[ $digest =~ [1-9a-f] ]] || digest=${digest//0/f}
		all+=${all:+,}$bank=$digest
	done
	tpm2_pcrextend "10:$all"
}
"$listgen" --entries 8 --violations 3 --binary "$b" --pcrs "$p" \
	--banks "$(IFS=, && echo "${banks[*]}")"
refuse "a TPM that was never extended" "${verify[@]}" "$b" --tcti "$tcti"
for i in {1..7}; do
	extend_entry "$i"
done
refuse "the last entry is not extended yet" "${verify[@]}" "$b" --tcti "$tcti"
expect_pass "... allowed" "${verify[@]}" "$b" --tcti "$tcti" --max-tail 1
extend_entry 8
run_timed "${verify[@]}" "$b" --tcti "$tcti" --json
is "$code $(jq -c '[.values_from, .matched_entry, (.banks | map(.bank))]' <<<"$out")" \
	"0 [\"tpm\",8,$(printf '"%s",' "${banks[@]}" | sed 's/,$//;s/.*/[&]/')]" \
	"all banks of a TPM, as the list says"
expect_pass "one bank" "${verify[@]}" "$b" --tcti "$tcti" --banks sha384
refuse "a bank that it lacks" "${verify[@]}" "$b" --tcti "$tcti" --banks sm3_256
refuse "a PCR without entries" "${verify[@]}" "$b" --tcti "$tcti" --pcr 9
tpm2_pcrread sha1:10+sha256:0,10,23+sha512:10 >"$work/read"
expect_pass "what tpm2_pcrread prints" "${verify[@]}" "$b" --pcrs "$work/read"
is "$("${verify[@]}" "$b" --pcrs "$work/read" --json | jq -c '.banks | map(.bank)')" \
	'["sha1","sha256","sha512"]' "... with all of its banks"

# ---- what IMA says itself ----
sys=$work/sys/kernel/security/ima
mkdir -p "$sys"
"$listgen" --entries 9 --violations 3 --binary "$sys/binary_runtime_measurements"
export VTPMFAST_SYSFS=$work/sys
hint() { # DESC WANT ARG...: exit 5 in any case
	local desc=$1 want=$2
	shift 2
	refuse "$desc" "${verify[@]}" "$@"
	is "$(jq -c .ima_lost <<<"$out")" "$want" "... the hint: $want"
}
live=("$sys/binary_runtime_measurements" --tcti "$tcti")
hint "a kernel that does not count" null "${live[@]}"
printf 'state boot\nlost 0\n' >"$sys/tpm"
hint "nothing was lost" null "${live[@]}"
printf 'state boot\nlost 2\n' >"$sys/tpm"
hint "a kernel that does not say where" null "${live[@]}"
printf 'state boot\nlost 2\nfirst_lost 9\n' >"$sys/tpm"
hint "IMA says where" '{"lost":2,"first_entry":9}' "${live[@]}"
like "$err" 'IMA counts 2 lost extends, the first at entry 9' "... in words"
cp "${live[0]}" "$work/copied"
hint "a list from elsewhere" null "$work/copied" --tcti "$tcti"
hint "another PCR" null "${live[@]}" --pcr 11
tpm2_pcrread sha1:10+sha256:10 >"$work/elsewhere"
hint "values from elsewhere" null "${live[0]}" --pcrs "$work/elsewhere"
run_timed "${verify[@]}" "${live[@]}" --max-tail 1 --json
is "$code $(jq -c '[.verified, .ima_lost]' <<<"$out")" "0 [true,null]" "a hint is no verdict"
unset VTPMFAST_SYSFS

# ---- quotes ----
declare -A kinds=([rsassa]=rsa2048:rsassa-sha256:null [rsapss]=rsa2048:rsapss-sha256:null
	[ecdsa]=ecc256:ecdsa-sha256:null)
attributes='fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign'
q=()
make_quote() { # KIND NAME OPTION...
	local kind=$1 name=$2
	shift 2
	tpm2_quote -Q --scheme "$kind" -c "$work/$kind.ctx" -m "$work/$name.msg" -s "$work/$name.sig" \
		-o "$work/$name.pcrs" "$@" 2>"$work/quote.log" || bail "$kind: $(head -n 2 "$work/quote.log" | tr "\n" " ")"
	tpm2_flushcontext -Q -t
	q=("${verify[@]}" "$b" --quote "$work/$name.msg" --signature "$work/$name.sig"
		--key "$work/$kind.pem")
}
for kind in rsassa rsapss ecdsa; do
	tpm2_createprimary -Q -C o -G "${kinds[$kind]}" -a "$attributes" -c "$work/$kind.ctx" ||
		bail "no key $kind"
	tpm2_readpublic -Q -c "$work/$kind.ctx" -f pem -o "$work/$kind.pem"
	tpm2_flushcontext -Q -t
	for form in values serialized; do
		make_quote "$kind" "$kind" -l sha256:0,10 -q c0ffee -F "$form"
		expect_pass "$kind, $form" "${q[@]}" --quote-pcrs "$work/$kind.pcrs" --nonce C0FFEE
	done
	expect_pass "$kind, values from tpm2_pcrread" "${q[@]}" --pcrs "$work/read"
done
kind=ecdsa
make_quote $kind many -l sha1:10+sha256:0,1,2,3,4,5,6,7,8,9,10+sha512:10 -q 00 -F serialized
run_timed "${q[@]}" --quote-pcrs "$work/many.pcrs" --json
is "$code $(jq -c '[.values_from, (.banks | map(.bank))]' <<<"$out")" \
	'0 ["quote",["sha1","sha256","sha512"]]' "more PCRs than one reading gives, three banks"
refuse "quoted PCRs that are not given" "${q[@]}" --pcrs "$p"
make_quote $kind good -l sha256:10 -q c0ffee -F values
good=("${q[@]}" --quote-pcrs "$work/good.pcrs")
expect_pass "one PCR" "${good[@]}"
expect_pass "... its value from a file that has more" "${q[@]}" --pcrs "$p"
is "$("${q[@]}" --pcrs "$p" --json | jq -c '.banks | map(.bank)')" '["sha256"]' \
	"... only what was quoted is compared"
refuse "another nonce" "${good[@]}" --nonce c0ffef
refuse "a bank that was not quoted" "${good[@]}" --banks sha1
tpm2_readpublic -Q -c "$work/rsassa.ctx" -o "$work/public"
tpm2_flushcontext -Q -t
refuse "a key of another kind" "${verify[@]}" "$b" --quote "$work/good.msg" \
	--signature "$work/good.sig" --key "$work/rsassa.pem" --pcrs "$p"
refuse "no PEM" "${verify[@]}" "$b" --quote "$work/good.msg" --signature "$work/good.sig" \
	--key "$work/public" --pcrs "$p"
openssl ecparam -name prime256v1 -genkey -noout 2>/dev/null | openssl ec -pubout \
	-out "$work/other.pem" 2>/dev/null
expect_fail -c 2 "a directory as key" "${verify[@]}" "$b" --quote "$work/good.msg" \
	--signature "$work/good.sig" --key "$work" --pcrs "$p"
refuse "another key" "${verify[@]}" "$b" --quote "$work/good.msg" --signature "$work/good.sig" \
	--key "$work/other.pem" --pcrs "$p"

# any byte of any part of a quote, changed
flip() { # FILE OFFSET: a copy in $work/flipped
	local byte
	cp "$1" "$work/flipped"
	byte=$(xxd -s "$2" -l 1 -p "$1")
	printf '%02x' $((16#$byte ^ 1)) | xxd -r -p |
		dd of="$work/flipped" bs=1 seek="$2" conv=notrunc status=none
}
accepted=
for part in msg sig pcrs; do
	size=$(stat -c %s "$work/good.$part")
	for ((i = 0; i < size; i++)); do
		flip "$work/good.$part" "$i"
		args=(--quote "$work/good.msg" --signature "$work/good.sig" --key "$work/ecdsa.pem"
			--quote-pcrs "$work/good.pcrs")
		case $part in
		msg) args[1]=$work/flipped ;;
		sig) args[3]=$work/flipped ;;
		pcrs) args[7]=$work/flipped ;;
		esac
		code=0
		"${verify[@]}" "$b" "${args[@]}" >"$work/out" 2>&1 || code=$?
		((code == 5)) || accepted+=" $part:$i:$code"
	done
done
is "$accepted" "" "every byte of message, signature and values counts"
for part in msg sig pcrs; do
	head -c -1 "$work/good.$part" >"$work/flipped"
	args=(--quote "$work/good.msg" --signature "$work/good.sig" --key "$work/ecdsa.pem"
		--quote-pcrs "$work/good.pcrs")
	args=("${args[@]/#$work\/good.$part/$work/flipped}")
	refuse "$part without its last byte" "${verify[@]}" "$b" "${args[@]}"
done
# an attestation that is no quote
tpm2_certify -Q -c "$work/ecdsa.ctx" -C "$work/ecdsa.ctx" -g sha256 -o "$work/cert.msg" \
	-s "$work/cert.sig"
tpm2_flushcontext -Q -t
refuse "a certification in place of a quote" "${verify[@]}" "$b" --quote "$work/cert.msg" \
	--signature "$work/cert.sig" --key "$work/ecdsa.pem" --pcrs "$p"
like "$err" 'not a quote' "... says so"

# one more extend, by somebody else
quote_before=("${good[@]}")
tpm2_pcrextend "10:sha256=$(printf '1%.0s' {1..64})"
refuse "a PCR that somebody else extended" "${verify[@]}" "$b" --tcti "$tcti" --banks sha256
expect_pass "... the quote of before still holds" "${quote_before[@]}"
tap_done
