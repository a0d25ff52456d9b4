# SPDX-License-Identifier: GPL-2.0
# verdict.awk - holds the goals of the raw bench against the CSV of `vtpmfast report`
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
	single = target ~ /^\/dev\/tpm[0-9]+$/ && $column["processes"] == 1
}

$column["verified"] == "true" { verified++ }
$column["verified"] == "false" { wrong++ }
$column["errors"] > 0 { errors += $column["errors"] }

# One thing measured several times in one boot, with no kernel in the path: what differs is the machine.
$column["workload"] == "pingpong" && $column["lowest_extends_per_s"] > 0 {
	spread = 100 * ($column["highest_extends_per_s"] / $column["lowest_extends_per_s"] - 1)
	if (spread > widest + 0)
		widest = spread
	floors++
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
	print "Goals, every client count:"
	if (slowest == "")
		say("unknown", "auto never slower than stock", "not measured", "goal 1x or more everywhere")
	else
		say(slowest >= 1 ? "met" : "MISSED", "auto never slower than stock",
		    sprintf("%.2fx at least", slowest), sprintf("goal 1x or more; the least of %d, at %s",
		    auto_settings, slowest_at))
	say(wrong + 0 == 0 && verified > 0 ? "met" : "MISSED", "PCR after every run equals the computed one",
	    (verified + 0) " right", (wrong + 0) " wrong; " (errors + 0) " failed commands")
	if (usleep != "")
		printf "  %-7s %-52s %-16s\n", "seen", "usleep, the blind microsecond poll, extends/s",
		       rounded(usleep, "%.0f")
	if (floors)
		printf "  %-7s %-52s %-16s %s\n", (widest > 20 ? "NOISY" : "quiet"),
		       "slowest to fastest ping-pong of one boot", sprintf("%.0f %%", widest),
		       (widest > 20 ? "over 20 %: repeat on a quiet machine, these verdicts are shaky" : "")
	exit wrong > 0 ? 5 : 0
}
