# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the guest tests of IMA share, after tests/lib/guest.sh. The policy is bound
# to a private mount, so nothing else in the guest is measured.

ima=/sys/kernel/security/ima
list=$ima/ascii_runtime_measurements
binary_list=$ima/binary_runtime_measurements

# Where the measured files go; sets mnt and uuid. The policy measures a file that
# is read there.
private_mount() {
	mnt=$(mktemp -d /tmp/private.XXXXXX)
	mount -t tmpfs private "$mnt"
	uuid=$(fsuuid "$mnt")
}

# load_policy [RULE...]: by default what is read from the private mount
load_policy() {
	(($#)) || set -- "measure func=FILE_CHECK mask=MAY_READ fsuuid=$uuid"
	printf '%s\n' "$@" >$ima/policy || bail "the policy '$*' was refused"
}

# make_files NAME N: N files of different contents, not measured yet
make_files() {
	local i
	mkdir -p "$mnt/$1"
	for ((i = 0; i < $2; i++)); do
		echo "$1 $i" >"$mnt/$1/$i"
	done
}

read_files() {
	cat "$mnt/$1"/* >/dev/null
}

# tpm_value NAME: a line of ima/tpm
tpm_value() {
	local word value
	while read -r word value; do
		[[ $word != "$1" ]] || echo "$value"
	done <$ima/tpm
}

entries() {
	cat $ima/runtime_measurements_count
}

# entries_named NAME
entries_named() {
	awk -v name="$1" '$5 == name { n++ } END { print n + 0 }' $list
}

# all_pcrs TPM BANK: as evmctl reads them, which wants each from 0 on
all_pcrs() {
	tpm2_pcrread -T "device:/dev/tpmrm${1#tpm}" "$2:all" |
		awk '$1 ~ /^[0-9]+:?$/ { sub(/.*0x/, ""); printf "PCR-%02d:%s\n", n++, $0 }'
}

# pcr10 TPM BANK: its value in lower case
pcr10() {
	tpm2_pcrread -T "device:/dev/tpmrm${1#tpm}" "$2:10" |
		awk '$1 == "10:" { print tolower(substr($2, 3)) }'
}

# replay_by_evmctl TPM BANK...: a judge that is not ours. It exits 0 when it has
# compared nothing, so it must say that it matched.
replay_by_evmctl() {
	local tpm=$1 bank dir text
	local -a options=(--ignore-violations)
	shift
	dir=$(mktemp -d)
	for bank in "$@"; do
		all_pcrs "$tpm" "$bank" >"$dir/$bank"
		options+=(--pcrs "$bank,$dir/$bank")
	done
	cat $binary_list >"$dir/list"
	text=$(evmctl ima_measurement "${options[@]}" "$dir/list" 2>&1) || {
		diag "$text"
		return 1
	}
	[[ $text = *"Matched per TPM bank calculated digest(s)"* ]] || {
		diag "$text"
		return 1
	}
}

# hex_bytes HEX, u32_bytes N: as printf wants them
hex_bytes() {
	# shellcheck disable=SC2001 # & has no counterpart in ${}
	sed 's/../\\x&/g' <<<"$1"
}

u32_bytes() {
	printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) \
		$(($1 >> 16 & 255)) $(($1 >> 24 & 255))
}

# replay_by_hand TPM BANK: for the banks that evmctl does not know, with nothing but
# the hash programs. Template ima-ng without violations: each field after its length,
# the file's digest as ALGORITHM:, a NUL and the bytes, the name with a NUL.
replay_by_hand() {
	local pcr template digest name algo hex data
	pcr=$("${2}sum" </dev/null | awk '{ gsub(/./, "0", $1); print $1 }')
	while read -r _ _ template digest name; do
		[[ $template = ima-ng ]] || return 1
		algo=${digest%%:*}
		hex=${digest#*:}
		data=$(u32_bytes $((${#algo} + 2 + ${#hex} / 2)))$algo:'\x00'$(hex_bytes "$hex")
		data+=$(u32_bytes $((${#name} + 1)))$name'\x00'
		# shellcheck disable=SC2059 # it is all escapes
		digest=$(printf "$data" | "${2}sum")
		# shellcheck disable=SC2059
		pcr=$(printf "$(hex_bytes "$pcr")$(hex_bytes "${digest%% *}")" | "${2}sum")
		pcr=${pcr%% *}
	done <$list
	[[ $pcr = "$(pcr10 "$1" "$2")" ]]
}

# replay_is_pcr TPM BANK...: by our own verify, and by evmctl where it knows the bank
replay_is_pcr() {
	local tpm=$1 bank text
	local -a known=()
	shift
	text=$(vtpmfast verify --device "/dev/tpmrm${tpm#tpm}" --banks "$(IFS=,; echo "$*")" 2>&1) || {
		diag "$text"
		return 1
	}
	for bank in "$@"; do
		[[ $bank != sha1 && $bank != sha256 ]] || known+=("$bank")
	done
	((${#known[@]} == 0)) || replay_by_evmctl "$tpm" "${known[@]}"
}

# measures_and_replays TPM BANK...: 23 files are 23 entries and 23 extends, no more
# and no less, and the list replays to the PCR in every bank
measures_and_replays() {
	local entries_before extends_before tpm=$1
	shift
	entries_before=$(entries)
	extends_before=$(tpm_value extends)
	make_files counted 23
	read_files counted
	is $(($(entries) - entries_before)) 23 "23 files are 23 entries"
	is $(($(tpm_value extends) - extends_before)) 23 "and 23 extends"
	read_files counted
	is $(($(entries) - entries_before)) 23 "reading them again adds nothing"
	expect_pass "the list replays to the PCR in $*" replay_is_pcr "$tpm" "$@"
}

# The whole of a late bind with these banks
late_bind() {
	is "$(tpm_value state)" waiting "without a TPM IMA waits for one"
	is "$(entries)" 1 "the list holds the boot aggregate"
	start_swtpm_with --banks "$(IFS=,; echo "$*")"
	is "$(tpm_value state)" late "IMA is bound when the chip can be used"
	is "$(tpm_value chip)" "$tpm" "to this chip"
	is "$(entries_named boot_aggregate),$(entries_named tpm_attach_aggregate)" 1,1 \
		"the boot aggregate stays, one entry marks the bind"
	expect_pass "the list replays to the PCR" replay_is_pcr "$tpm" "$@"
	private_mount
	load_policy
	measures_and_replays "$tpm" "$@"
	is "$(tpm_value lost)" 0 "nothing was lost"
}

# late_bind_fails N: the extend number N of the bind, 1 or 2, is refused
# shellcheck disable=SC2154 # start_scripted sets log and tpm
late_bind_fails() {
	start_scripted "PCR_Extend:$1=rc,0x101"
	is "$(tpm_value state)" failed "IMA says that the bind failed"
	is "$(entries_named tpm_attach_aggregate)" $(($1 - 1)) "entries that mark the bind"
	is "$(tpm_value lost) $(tpm_value extends)" "$1 0" "all that is listed counts as lost"
	like "$(dmesg | grep 'ima: Binding')" 'failed half-way' "the log says so"
	is "$(grep -c PCR_Extend "$log")" $(($1 + 1)) "one more extend followed: the ones"
	expect_fail "the list does not replay to the PCR" replay_is_pcr "$tpm" sha256
	private_mount
	load_policy
	make_files a 3
	read_files a
	is "$(grep -c PCR_Extend "$log")" $(($1 + 1)) "nothing is extended any more"
	is "$(entries)" $(($1 + 3)) "files are listed all the same"
}

# events_of LOG: what extends of PCR 10 a scripted TPM with --events has done, in its
# order, a line for each event: the command's time, how many events the PCR held
# before the command, how many entries were listed then, events in the command,
# digest (sha1, if it has that bank)
events_of() {
	awk '
	function value(name,   i) {
		for (i = 1; i <= NF; i++)
			if (index($i, name "=") == 1)
				return substr($i, length(name) + 2)
		return ""
	}
	value("command") == "PCR_Extend" && value("pcr") == 10 && value("rc") == "0x0" {
		n = split(value("digests"), digest, ",")
		for (i = 1; i <= n; i++)
			print value("in_us"), held + 0, value("listed"), n, digest[i]
		held += n
	}' "$1"
}

# The digests of the list, as they are extended
listed_digests() {
	awk '{ if ($2 ~ /^0+$/) gsub(/0/, "f", $2); print $2 }' $list
}

# list_and_pcr_agree LOG: invariants of group commit, as the TPM has seen them. It knows
# at one moment what it holds and what is listed.
list_and_pcr_agree() {
	local events=/run/events.$$
	events_of "$1" >"$events"
	is "$(awk '$2 + $4 > $3' "$events" | wc -l)" 0 "nothing is extended before it is listed"
	is "$(awk '$3 > $2 + 16' "$events" | wc -l)" 0 "the list leads by at most 16 entries"
	expect_pass "$(wc -l <"$events") extends came in the order of the list, none twice" \
		diff <(cut -d' ' -f5 "$events") <(listed_digests)
	diag "largest lead: $(awk '$3 - $2 > most { most = $3 - $2 } END { print most + 0 }' "$events")"
}
