# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What guest tests of `vtpmfast sweep` with a TPM share, after tests/lib/guest.sh.

# column NAME CSV: its values in one line
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ printf "%s%s", (NR > 2 ? " " : ""), (at ? $at : "-") }' <<<"$2"
}

# sweep_with_tpm BANKS RULE...: a TPM that IMA is bound to; sets sweep, the command with
# a policy of these rules for the files of the sweep
# shellcheck disable=SC2154 # start_swtpm_with sets tpm
sweep_with_tpm() {
	local policy=/run/sweep.policy
	vtpmfast sweep --help >/dev/null 2>&1 || skip_all "vtpmfast sweep is not built"
	start_swtpm_with --banks "$1"
	shift
	[[ -e /sys/kernel/security/ima/tpm ]] ||
		skip_all "this kernel's IMA takes no TPM that comes late"
	[[ $(dmesg) = *"ima: Bound to $tpm"* ]] || not_ok "IMA binds to the TPM that comes late"
	printf 'measure %s fsuuid=@FSUUID@\n' "$@" >"$policy"
	# shellcheck disable=SC2034 # for the test
	sweep=(vtpmfast sweep --policy "$policy")
}

# busy_sweep PROCESSES OPTION...: in the background, into /run/csv and /run/stderr; sets
# sweep_pid, and returns once so many processes of vtpmfast are there
busy_sweep() {
	local processes=$1
	shift
	"${sweep[@]}" "$@" --csv >/run/csv 2>/run/stderr &
	sweep_pid=$!
	until (($(pgrep -xc vtpmfast) == processes)); do
		kill -0 "$sweep_pid" 2>/dev/null || bail "the sweep ended: $(</run/stderr)"
		sleep 0.05
	done
}
