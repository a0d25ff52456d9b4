#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report.sh - vtpmfast report: its arithmetic, its files, its refusals. TAP on stdout.
# VTPMFAST names the binary (default: build/userspace/vtpmfast). Needs gnuplot.
# shellcheck disable=SC2317 # functions that expect_pass calls
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"
cd "$work"

# exits CODE PATTERN ARG...: report ends with CODE and says PATTERN on stderr
exits() {
	local want=$1 pattern=$2 rc=0
	shift 2
	"$vtpmfast" report "$@" >out 2>err || rc=$?
	cat out err
	echo "exit $rc, wanted $want; stderr must match: $pattern"
	((rc == want)) && { [[ -z $pattern ]] || grep -qE -- "$pattern" err; }
}

# doc KIND BOOT_ID POINT... > file
doc() {
	local kind=$1 boot=$2 points
	shift 2
	points=$(printf ',%s' "$@")
	printf '{"schema":1,"kind":"%s","conditions":{"boot_id":"%s","kernel":"patched","kernel_release":"6.12.1","guest":"uml","banks":"sha256"},"points":[%s]}\n' \
		"$kind" "$boot" "${points:1}"
}

# point MODE RUN RATE [more members]
point() {
	printf '{"workload":"extend","device":"vtpm_proxy","target":"/dev/tpm0","transport":"raw","mode":"%s","processes":1,"run":%d,"extends_per_s":%s,"verified":true%s}' \
		"$1" "$2" "$3" "${4-}"
}

floor() {
	printf '{"kind":"pingpong","processes":1,"run":%d,"extends_per_s":%s}' "$1" "$2"
}

# field CSV-FILE BOOT WORKLOAD MODE COLUMN
field() {
	awk -F, -v boot="$2" -v workload="$3" -v mode="$4" -v name="$5" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["boot"] == boot && $c["workload"] == workload && $c["mode"] == mode { print $c[name] }' "$1"
}


# --- arithmetic: two boots whose ratios must not be mixed ---------------------
doc extend A "$(point stock 1 100)" "$(point stock 2 300)" "$(point stock 3 200)" \
	"$(point auto 1 1000)" "$(point auto 2 3000)" >a.json
doc floor A "$(floor 1 4000)" >a-floor.json
doc extend B "$(point stock 1 400)" "$(point auto 1 8000)" >b.json

"$vtpmfast" report --csv=r.csv --json=r.json a.json a-floor.json b.json >table
is "$(field r.csv 1 extend stock extends_per_s)" 200 "median of an odd number of runs"
is "$(field r.csv 1 extend auto extends_per_s)" 2000 "median of an even number of runs"
is "$(field r.csv 1 extend auto ratio_to_stock)" 10 "ratio within the boot"
is "$(field r.csv 2 extend auto ratio_to_stock)" 20 "ratio within the other boot"
is "$(field r.csv 1 extend auto pct_of_pingpong)" 50 "share of the ping-pong of the same boot"
is "$(field r.csv 2 extend auto pct_of_pingpong)" "" "no share in a boot without ping-pong"
is "$(field r.csv 1 extend stock lowest_extends_per_s)" 100 "slowest run"
is "$(field r.csv 1 extend stock highest_extends_per_s)" 300 "fastest run"
is "$(field r.csv 1 extend stock runs)" 3 "runs are counted"
is "$(field r.csv 1 pingpong '' extends_per_s)" 4000 "files of one boot_id are one boot"
# median of 10 and 20, where the ratio of the medians would be 5000/300 = 16.7
expect_pass "over boots the median of the boots' ratios" grep -qE '^/dev/tpm0 .* auto +5000 .* 15\.0 ' table
expect_pass "the table says so" grep -q 'only ever within one boot' table

# --- the merged document reads back as what it was made of --------------------
"$vtpmfast" report --json=again.json --csv=again.csv r.json >again
expect_pass "table of the merged file" cmp table again
expect_pass "CSV of the merged file" cmp r.csv again.csv
expect_pass "merging twice changes nothing" cmp r.json again.json
expect_pass "schema number" grep -q '"schema": *1' r.json

mkdir boot-1
doc extend "" "$(point stock 1 100)" | sed 's/"boot_id":"",//' >boot-1/x.json
doc floor "" "$(floor 1 1000)" | sed 's/"boot_id":"",//' >boot-1/y.json
"$vtpmfast" report --csv boot-1 >d.csv
is "$(field d.csv 1 extend stock pct_of_pingpong)" 10 "a directory is one boot"
"$vtpmfast" report --csv boot-1/x.json boot-1/y.json >d.csv
is "$(field d.csv 1 extend stock pct_of_pingpong)$(field d.csv 2 pingpong '' boot)" 2 \
	"files without boot_id are boots of their own"

"$vtpmfast" report --csv "$data"/report-*.json >all.csv
expect_pass "every CSV line has every column" \
	awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 40 }' all.csv
expect_pass "no filler in CSV" bash -c '! grep -qiE "nan|inf|,-1(,|$)" all.csv'

# --- the chart ----------------------------------------------------------------
"$vtpmfast" report --svg c.svg "$data"/report-*.json >table
for text in 'PCR extends per second' 'bare ping-pong' 'patched, auto' 'unpatched, stock' \
	'swtpm 0.7.1' 'prefers-color-scheme: dark' '</svg>'; do
	expect_pass "chart has: $text" grep -qF -- "$text" c.svg
done
expect_pass "the chart loads nothing" \
	bash -c '! grep -oE "(href|src)=[\"'\''][^#][^\"'\'']*" c.svg; ! grep -qiE "<script|@import|url\(" c.svg'
doc extend A "$(point "x'; system('touch pwned') #\\u000a!touch pwned" 1 100)" >evil.json
"$vtpmfast" report --svg evil.svg evil.json >table
expect_pass "text from a file stays text" test ! -e pwned
expect_pass "and is drawn" grep -q 'system' evil.svg
expect_pass "floors alone cannot be drawn" exits 5 'nothing to draw' --svg f.svg a-floor.json
expect_pass "no chart is left of that" test ! -e f.svg
mkdir bin
expect_pass "no gnuplot: exit 3 and the package's name" \
	env PATH="$work/bin" /bin/bash -c "'$vtpmfast' report --svg g.svg a.json >g.out 2>g.err; (( \$? == 3 ))"
expect_pass "it names gnuplot-nox" grep -q gnuplot-nox g.err
expect_pass "the table is printed all the same" grep -q '^/dev/tpm0' g.out

# --- IMA: the ceiling comes from other boots, and is named so -------------------
# ima MODE PROCESSES RATE [more members]
ima() {
	printf '{"workload":"read","device":"vtpm_proxy","target":"tpm0","transport":"ima","mode":"%s","processes":%d,"run":1,"extends_per_s":%s,"p99_us":100,"cpu_us_per_extend":50,"list_entries":7,"verified":true%s}' \
		"$1" "$2" "$3" "${4-}"
}
no_tpm() {
	printf '{"workload":"read","device":"none","transport":"ima","mode":"no-tpm","processes":%d,"run":%d,"extends_per_s":%s,"p99_us":30,"cpu_us_per_extend":20,"list_entries":7}' \
		"$1" "$2" "$3"
}
doc sweep A "$(ima stock 1 1000)" "$(ima auto 1 9000 ',"update_difference":-3,"commands_per_extend":0.25,"mean_batch":3.5,"ima_wait_p50_us_below":128,"ima_wait_p99_us_below":4096')" "$(ima auto 2 8000)" >ima-a.json
doc sweep B "$(ima stock 1 2000)" "$(ima auto 1 11000)" >ima-b.json
# short and long lists are different things, with a ratio and a ceiling each
no_tpm_asked() { no_tpm "$1" 1 "$2" | sed "s/}$/,\"list_entries_asked\":$3}/"; }
for asked in 1000 200000; do
	rate=$((asked == 1000 ? 8000 : 4000))
	doc sweep "L$asked" "$(ima stock 1 1000 ",\"list_entries_asked\":$asked")" \
		"$(ima auto 1 "$rate" ",\"list_entries_asked\":$asked")" >"long-$asked.json"
	sed "s/\"run\":1/\"run\":2/; s/boot_id\":\"L$asked/boot_id\":\"L/" "long-$asked.json" >"one-$asked.json"
	doc sweep "N$asked" "$(no_tpm_asked 1 $((rate * 2)) "$asked")" >"no-$asked.json"
done
expect_pass "two lengths of the list in one boot" exits 0 '' --csv=l.csv one-1000.json one-200000.json \
	no-1000.json no-200000.json
lists() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["mode"] == "auto" { printf "%s=%s ", $c["list_entries_asked"], $c[name] }' l.csv; }
is "$(lists extends_per_s)" "1000=8000 200000=4000 " "... are two rows"
is "$(lists ratio_to_stock)" "1000=8 200000=4 " "... each against stock with the same list"
is "$(lists pct_of_no_tpm_medians)" "1000=50 200000=50 " "... and against the same list without a TPM"
expect_pass "... and two lines of a chart" exits 0 '' --chart ima=l.svg one-1000.json one-200000.json
expect_pass "... that say which" grep -q 'list of 200000' l.svg
# other conditions: without a TPM there are no banks
doc sweep C "$(no_tpm 1 1 30000)" "$(no_tpm 1 2 40000)" | sed 's/,"banks":"sha256"//' >no-c.json
doc sweep D "$(no_tpm 1 1 45000)" | sed 's/,"banks":"sha256"//' >no-d.json

expect_pass "sweeps are read" exits 0 '' --csv=i.csv ima-a.json ima-b.json no-c.json no-d.json a-floor.json
is "$(field i.csv 1 read auto ratio_to_stock | head -n 1)" 9 "IMA against stock, within the boot"
is "$(field i.csv 2 read auto ratio_to_stock)" 5.5 "and within the other"
is "$(field i.csv 1 read auto pct_of_pingpong | head -n 1)" 225 "against the ping-pong of the same boot"
# auto: median of 9000 and 11000; without a TPM: median of 35000 (of two runs) and 45000
is "$(field i.csv 1 read auto pct_of_no_tpm_medians | head -n 1)" 25 "against the medians without a TPM"
is "$(field i.csv 2 read auto pct_of_no_tpm_medians)" 25 "the same in each boot"
is "$(field i.csv 3 read no-tpm pct_of_no_tpm_medians)" "" "the ceiling has no ceiling"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	$c["processes"] == 2 && $c["transport"] == "ima" { print $c["pct_of_no_tpm_medians"] "." }' i.csv)" . \
	"nor has a number of processes that was not measured without a TPM"
is "$(field i.csv 1 read auto update_difference | head -n 1)" -3 "a difference may be below zero"
for member in commands_per_extend=0.25 mean_batch=3.5 ima_wait_p50_us_below=128 ima_wait_p99_us_below=4096; do
	is "$(field i.csv 1 read auto "${member%=*}" | head -n 1)" "${member#*=}" "IMA's own: ${member%=*}"
	is "$(field i.csv 1 read stock "${member%=*}")" "" "... empty where nothing is said"
done
is "$(field i.csv 1 read stock list_entries_asked)" "" "no length where none was asked for"
is "$(field i.csv 1 read stock list_entries)" 7 "the list's length is carried"
is "$(field i.csv 3 read no-tpm verified)" "" "without a TPM there is nothing to verify"
expect_pass "the table has it" exits 0 '' ima-a.json ima-b.json no-c.json no-d.json
expect_pass "as a line of IMA" grep -qE '^read +ima +1 auto +10000 .* 7\.25 .* 25\.0 .* 7 ok' out
expect_pass "named what it is" grep -q 'ratio of medians over interleaved boots' out
"$vtpmfast" report --json=i.json --csv=i2.csv ima-a.json ima-b.json no-c.json no-d.json a-floor.json >i.table
"$vtpmfast" report --csv=i3.csv i.json >i3.table
expect_pass "the merged file of sweeps reads back" cmp i2.csv i3.csv
expect_pass "and its table" cmp i.table i3.table
doc sweep E "$(ima auto 1 1 | sed s/true/false/)" >ima-wrong.json
expect_pass "a replay that does not match" exits 5 '1 of 1 points ended with a wrong PCR' ima-wrong.json

all=("$data"/report-*.json "$data"/sweep-*.json)
expect_pass "four charts at once" exits 0 '' --svg main.svg --chart raw=raw.svg --chart ima=ima.svg \
	--chart p99:read=p99.svg --chart cpu=cpu.svg "${all[@]}"
expect_pass "the main chart is IMA's where there is IMA" cmp main.svg ima.svg
for text in 'that IMA does' 'workload read' 'fast (auto)' 'IMA without a TPM (other boots)' '>64<'; do
	expect_pass "IMA's chart has: $text" grep -qF -- "$text" ima.svg
done
expect_pass "and no raw line" bash -c '! grep -qE "ping-pong|usleep|unpatched" ima.svg'
expect_pass "p99 is another chart" grep -q '99th percentile of one access' p99.svg
expect_pass "CPU too" grep -q 'us per extend' cpu.svg
expect_pass "the raw chart has no IMA in it" bash -c 'grep -q ping-pong raw.svg && ! grep -q "without a TPM" raw.svg'
expect_pass "no points of that workload" exits 5 'no point of workload exec .* .ima.' --chart ima:exec=x.svg "${all[@]}"
expect_pass "no points of IMA at all" exits 5 'nothing to draw in x.svg' --chart p99=x.svg a.json
expect_pass "no raw points" exits 5 "chart 'raw'" --chart raw=x.svg ima-a.json
expect_pass "an unknown chart" exits 2 "unknown kind 'p98'" --chart p98=x.svg a.json
expect_pass "a chart without a file" exits 2 'KIND=FILE expected' --chart ima a.json
expect_pass "a workload of raw extends" exits 2 'have no workload' --chart raw:read=x.svg a.json
expect_pass "no file of these is left" test ! -e x.svg

# --- refusals: a clear word, and the place -------------------------------------
expect_pass "no argument" exits 2 'no result file'
expect_pass "unknown option" exits 2 'unrecognized' --frobnicate a.json
expect_pass "two results for one stdout" exits 2 'cannot share' --csv --json a.json
expect_pass "no such file" exits 2 'cannot read none.json: No such file' none.json
mkdir empty
expect_pass "a directory without results" exits 5 'empty: no result file' empty
head -c 200 a.json >cut.json
expect_pass "truncated, with line and column" exits 5 'cut.json:1:201: the file ends' cut.json
: >zero.json
expect_pass "empty file" exits 5 'zero.json:1:1: the file is empty' zero.json
printf '{"schema":1,\n "points":[1,}\n' >bad.json
expect_pass "broken JSON, with line and column" exits 5 'bad.json:2:1[0-9]: ' bad.json
{ cat a.json; echo x; } >tail.json
expect_pass "more text after the JSON" exits 5 'tail.json:2:1: ' tail.json
sed 's/"schema":1/"schema":2/' a.json >s2.json
expect_pass "another schema" exits 5 's2.json: schema 2, .* reads schema 1' s2.json
echo '{"points":[]}' >s0.json
expect_pass "no schema" exits 5 'no schema number' s0.json
echo '[]' >array.json
expect_pass "no object" exits 5 'a JSON object expected' array.json
doc quote A "$(point stock 1 1)" >kind.json
expect_pass "another kind" exits 5 'kind "quote"' kind.json
doc extend A "$(point stock 1 '"fast"')" >str.json
expect_pass "a word for a number" exits 5 'points\[0\].extends_per_s: a number' str.json
doc extend A "$(point stock 1 -1)" >neg.json
expect_pass "a negative rate" exits 5 'finite and not negative' neg.json
doc extend A "$(point stock 1 NaN)" >nan.json
expect_pass "NaN" exits 5 'nan.json' nan.json
doc extend A "$(point stock 1 1 | sed 's/"processes":1/"processes":1e12/')" >many.json
expect_pass "an absurd number of clients" exits 5 'processes: more than' many.json
doc extend A '{"workload":"extend"}' >norate.json
expect_pass "a point without a rate" exits 5 'points\[0\]: no extends_per_s' norate.json
doc extend A '{"extends_per_s":1}' >what.json
expect_pass "a point that says nothing" exits 5 'neither kind nor workload' what.json
echo '{"schema":1,"kind":"extend","points":[]}' >none-in.json
expect_pass "no points" exits 5 'no points in none-in.json' none-in.json
expect_pass "the same file twice" exits 2 'was read before' a.json a.json
expect_pass "merged and its part" exits 2 'was read before' r.json b.json
doc extend C "$(point stock 1 5 | sed s/true/false/)" >wrong.json
expect_pass "a wrong PCR" exits 5 '1 of 1 points ended with a wrong PCR' wrong.json
expect_pass "the table says WRONG" grep -q WRONG out
sed 's/"points"/"incomplete":"interrupted","points"/' a.json >part.json
expect_pass "an incomplete file" exits 6 'not complete' part.json

# --- files are replaced as a whole or not at all --------------------------------
echo old >keep.csv
expect_pass "a failed run leaves the old file" exits 5 'cut.json' --csv=keep.csv a.json cut.json
expect_pass "untouched" grep -qx old keep.csv
expect_pass "no directory: exit 2" exits 2 'cannot write nodir/x.csv' --csv=nodir/x.csv a.json
expect_pass "--output takes the table" exits 0 '' --output t.txt a.json
expect_pass "stdout is empty then" test ! -s out
expect_pass "no temporary file is left" bash -c '! ls -A | grep -E "\.(tmp|new)|^\.[a-z]"'

tap_done
