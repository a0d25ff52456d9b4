# SPDX-License-Identifier: GPL-2.0
# verdict.awk - holds the goals of the bench against the CSV of `vtpmfast report`
#
# Each line of that CSV is one setting in one boot. A figure here is the median over the boots; the
# boots' own figures stand behind it. A missed goal is said and changes no exit code: a bench is
# not a test. A wrong PCR does: exit 5.

function median(list,   n, v, i, j, t) {
	n = split(list, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	if (n == 0)
		return ""
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function rounded(list, format,   n, v, i, text) {
	n = split(list, v, " ")
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? " " : "") sprintf(format, v[i])
	return text
}

# good: "met", "MISSED", or "unknown" if nothing was measured
function say(good, what, figure, goal) {
	printf "  %-7s %-52s %-16s %s\n", good, what, figure, goal
}

function hold(what, list, limit, format, goal) {
	if (list == "")
		say("unknown", what, "not measured", goal)
	else
		say(median(list) >= limit ? "met" : "MISSED", what, sprintf(format, median(list)),
		    goal "; boots: " rounded(list, format))
}

BEGIN { FS = "," }

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

{
	target = $column["target"]
	mode = $column["mode"]
	kernel = $column["kernel"]
	rate = $column["extends_per_s"]
	processes = $column["processes"]
	ima = $column["transport"] == "ima"
	single = target ~ /^\/dev\/tpm[0-9]+$/ && processes == 1
}

$column["verified"] == "false" { wrong++ }
!ima && $column["verified"] == "true" { verified++ }
!ima && $column["verified"] == "false" { raw_wrong++ }
!ima && $column["errors"] > 0 { errors += $column["errors"] }

# One thing measured several times in one boot, with no kernel in the path: what differs is the machine.
$column["workload"] == "pingpong" && $column["lowest_extends_per_s"] > 0 {
	spread = 100 * ($column["highest_extends_per_s"] / $column["lowest_extends_per_s"] - 1)
	if (spread > widest + 0)
		widest = spread
	floors++
}

$column["workload"] == "pingpong" && kernel == "patched" { pingpong = pingpong " " rate }

# Without a TPM there is no PCR that the list could be replayed to.
ima && mode != "no-tpm" {
	ima_rows++
	ima_verified += $column["verified"] == "true"
	ima_errors += $column["errors"]
	counted += $column["tpm_extends_per_s"] != ""
	difference = $column["update_difference"]
	if (difference < 0)
		difference = -difference
	if (difference > most_difference + 0)
		most_difference = difference
}

ima && $column["workload"] == "read" {
	if (!(processes in ima_counts)) {
		ima_counts[processes] = ++ima_count
		ima_order[ima_count] = processes
	}
	if (mode == "no-tpm")
		no_tpm[processes] = no_tpm[processes] " " rate
	if (mode == "stock")
		ima_stock[processes] = ima_stock[processes] " " rate
	if (mode == "auto") {
		ima_auto[processes] = ima_auto[processes] " " rate
		if ($column["ratio_to_stock"] != "")
			ima_ratio[processes] = ima_ratio[processes] " " $column["ratio_to_stock"]
	}
}

$column["workload"] != "extend" { next }

single && kernel == "stock" { unpatched = unpatched " " rate }
single && kernel == "patched" && mode == "stock" { stock_mode = stock_mode " " rate }
single && kernel == "patched" && mode == "stock" && $column["pct_of_pingpong"] > 0 {
	limit = limit " " 100 / $column["pct_of_pingpong"]
}
single && kernel == "patched" && mode == "usleep" { usleep = usleep " " rate }
single && kernel == "patched" && mode == "event" && $column["pct_of_pingpong"] != "" {
	event_floor = event_floor " " $column["pct_of_pingpong"]
}
single && kernel == "patched" && mode == "auto" && $column["pct_of_pingpong"] != "" {
	auto_floor = auto_floor " " $column["pct_of_pingpong"]
}
single && kernel == "patched" && mode == "auto" && $column["ratio_to_stock"] != "" {
	auto_stock = auto_stock " " $column["ratio_to_stock"]
}

mode == "auto" && $column["ratio_to_stock"] != "" {
	auto_settings++
	if (slowest == "" || $column["ratio_to_stock"] < slowest) {
		slowest = $column["ratio_to_stock"]
		slowest_at = target ", " $column["processes"] " client(s)"
	}
}

# About what an extend of IMA could cost at best here, us: the measurement itself and one bare round trip.
function bound_us(n) {
	if (no_tpm[n] == "" || pingpong == "" || median(no_tpm[n]) <= 0 || median(pingpong) <= 0)
		return 0
	return 1e6 / median(no_tpm[n]) + 1e6 / median(pingpong)
}

function hold_ima_rate(n,   what, bound, goal) {
	what = sprintf("%d process%s: auto against stock", n, n > 1 ? "es" : "")
	goal = "goal 12x or more"
	bound = bound_us(n)
	if (bound > 0 && ima_stock[n] != "" && median(ima_stock[n]) > 0)
		goal = goal sprintf("; no TPM + ping-pong would give %.1fx here", 1e6 / bound / median(ima_stock[n]))
	hold(what, ima_ratio[n], 12, "%.1fx", goal)
}

function hold_ima_time(   what, took, bound) {
	what = "1 process: time against (no TPM + ping-pong)"
	bound = bound_us(1)
	if (bound == 0 || ima_auto[1] == "") {
		say("unknown", what, "not measured", "goal 1.15x or less")
		return
	}
	took = 1e6 / median(ima_auto[1])
	say(took <= 1.15 * bound ? "met" : "MISSED", what, sprintf("%.2fx", took / bound),
	    sprintf("goal 1.15x or less; %.0f us against %.0f + %.0f us", took, 1e6 / median(no_tpm[1]),
		    1e6 / median(pingpong)))
}

function hold_ima(   i) {
	print "Goals, IMA, workload read:"
	for (i = 1; i <= ima_count; i++)
		hold_ima_rate(ima_order[i])
	if (!ima_count)
		say("unknown", "auto against stock", "not measured", "goal 12x or more at every number of processes")
	hold_ima_time()
	if (!ima_rows) {
		say("unknown", "replay of the list equals the PCR", "not measured", "goal every point")
		return
	}
	say(ima_verified == ima_rows ? "met" : "MISSED", "replay of the list equals the PCR",
	    ima_verified " right", (ima_rows - ima_verified) " not; " (ima_errors + 0) " failed accesses")
	say(counted == ima_rows ? "seen" : "unknown", "the TPM's own count of extends against the list",
	    counted ? (most_difference + 0) " at most" : "not counted",
	    counted + 0 " of " ima_rows " compared; not 0: somebody else extended too")
}

END {
	print "Goals, raw extends by one client on the exclusive device:"
	hold("event against the bare ping-pong", event_floor, 90, "%.1f %%", "goal 90 % or more")
	hold("auto against the bare ping-pong", auto_floor, 90, "%.1f %%", "goal 90 % or more")
	hold("auto against completion mode stock", auto_stock, 16, "%.1fx", "goal 16x or more")
	# where system calls are slow, the TPM's own round trip is most of a stock extend
	if (limit != "")
		printf "  %-7s %-52s %-16s %s\n", "seen", "the bare ping-pong against mode stock",
		       sprintf("%.1fx", median(limit)), "about the most that any mode can gain on this machine"
	if (unpatched == "" || stock_mode == "")
		say("unknown", "unpatched kernel against mode stock", "not measured", "goal within 10 %")
	else {
		off = 100 * (median(unpatched) / median(stock_mode) - 1)
		say(off <= 10 && off >= -10 ? "met" : "MISSED", "unpatched kernel against mode stock",
		    sprintf("%+.1f %%", off), sprintf("goal within 10 %%; %s/s against %s/s",
		    rounded(unpatched, "%.0f"), rounded(stock_mode, "%.0f")))
	}
	print "Goals, raw extends, every client count:"
	if (slowest == "")
		say("unknown", "auto never slower than stock", "not measured", "goal 1x or more everywhere")
	else
		say(slowest >= 1 ? "met" : "MISSED", "auto never slower than stock",
		    sprintf("%.2fx at least", slowest), sprintf("goal 1x or more; the least of %d, at %s",
		    auto_settings, slowest_at))
	say(raw_wrong + 0 == 0 && verified > 0 ? "met" : "MISSED", "PCR after every run equals the computed one",
	    (verified + 0) " right", (raw_wrong + 0) " wrong; " (errors + 0) " failed commands")
	if (usleep != "")
		printf "  %-7s %-52s %-16s\n", "seen", "usleep, the blind microsecond poll, extends/s",
		       rounded(usleep, "%.0f")
	hold_ima()
	if (floors)
		printf "  %-7s %-52s %-16s %s\n", (widest > 20 ? "NOISY" : "quiet"),
		       "slowest to fastest ping-pong of one boot", sprintf("%.0f %%", widest),
		       (widest > 20 ? "over 20 %: repeat on a quiet machine, these verdicts are shaky" : "")
	exit wrong > 0 ? 5 : 0
}
