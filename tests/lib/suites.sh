# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests/run knows about each suite: its files, what must be built for it,
# how one test is run and how its outcome is judged. Sourced from the top of the
# repository; patched_kernel and only_kernel are set by the caller.

# shellcheck disable=SC2034 # for tests/run
suites=(lint unit kernel kunit guest vm launcher system fuzz)
stock_kernel=build/uml-stock/linux
debug_kernel=build/uml-debug/linux
: "${patched_kernel:?}"

suite_of() {
	case $1 in
	tests/lint/*.sh) echo lint ;;
	tests/kernel-checks) echo kernel ;;
	tests/guest/*.sh) echo guest ;;
	tests/vm/*.sh) echo vm ;;
	tests/launcher/*.sh) echo launcher ;;
	tests/system/*.sh) echo system ;;
	tests/fuzz/*.sh) echo fuzz ;;
	build/tests/unit*) echo unit ;;
	*) return 1 ;;
	esac
}

# setting FILE NAME: from the line `# guest: NAME=VALUE...` near a test's top
setting() {
	sed -nE "1,5s/^# (guest|host): (.* )?$2=([^ ]*).*/\3/p" "$1"
}

list_file() {
	local suite=$1 file=$2 kernel kernels
	kernels=
	[[ $suite != guest ]] || kernels=$(setting "$file" kernel)
	if [[ -z $kernels ]]; then
		printf '%s\t%s\t\n' "$suite" "$file"
		return
	fi
	for kernel in ${kernels//,/ }; do
		[[ -z ${only_kernel-} || $kernel = "$only_kernel" ]] || continue
		printf '%s\t%s\t%s\n' "$suite" "$file" "$kernel"
	done
}

list_suite() {
	local file pattern
	case $1 in
	unit) pattern='build/tests/unit*/test_*' ;;
	kernel) pattern=tests/kernel-checks ;;
	kunit)
		printf 'kunit\tkunit\t\n'
		return
		;;
	*) pattern="tests/$1/*.sh" ;;
	esac
	while IFS= read -r file; do
		# libraries beside the tests cannot be executed
		[[ -f $file && -x $file ]] && list_file "$1" "$file"
	done < <(compgen -G "$pattern" | sort)
	return 0
}

# Builds what is cheap to build. The kernels are not: `make test` does that.
prepare() {
	local words=" $* "
	local log=build/logs/test-prepare.log san
	mkdir -p build/logs
	if [[ $words = *" unit "* ]]; then
		for san in "" asan tsan; do
			make -s -C userspace unit SAN=$san >"$log" 2>&1 && continue
			echo "tests/run: the unit tests do not build; see $log" >&2
			tail -n 20 "$log" >&2
			return 1
		done
	fi
	if [[ $words =~ guest|launcher|kunit ]] && ! vm-images/uml/mkroot >"$log" 2>&1; then
		cat "$log" >&2
		return 1
	fi
	return 0
}

# ---- one test ---------------------------------------------------------------

kernel_file() {
	case $1 in
	stock) echo "$stock_kernel" ;;
	debug) echo "$debug_kernel" ;;
	patched) echo "$patched_kernel" ;;
	any)
		if [[ -x $patched_kernel ]]; then
			echo "$patched_kernel"
		else
			echo "$stock_kernel"
		fi
		;;
	*)
		echo "unknown kernel '$1'" >&2
		return 1
		;;
	esac
}

run_guest_test() {
	local file=$1 word=$2 dir=$3 kernel timeout_s mem append
	kernel=$(kernel_file "$word") || return 1
	if [[ ! -x $kernel && $word = debug ]]; then
		echo "1..0 # SKIP $kernel is not built" >"$dir/tap"
		return 0
	fi
	timeout_s=$(setting "$file" timeout)
	mem=$(setting "$file" mem)
	append=$(setting "$file" append)
	timeout_s=${timeout_s:-60}
	# every lock and every access is checked there
	[[ $word != debug ]] || timeout_s=$((timeout_s * 3))
	exec vm-images/uml/run-uml --kernel "$kernel" --out "$dir" --quiet \
		--timeout "$timeout_s" --mem "${mem:-512M}" --append "${append//+/ }" \
		-- "/$file"
}

# KUnit suites run at boot, before init, and print to the kernel's log
run_kunit() {
	local dir=$1 kernel=$debug_kernel
	[[ -x $kernel ]] || kernel=$patched_kernel
	echo "kernel: $kernel"
	exec vm-images/uml/run-uml --kernel "$kernel" --out "$dir" --quiet --timeout 600 \
		--append "kunit.enable=1" -- true
}

run_test() {
	local suite=$1 file=$2 kernel=$3 dir=$4 timeout_s
	case $suite in
	guest)
		run_guest_test "$file" "$kernel" "$dir"
		return
		;;
	kunit)
		run_kunit "$dir"
		return
		;;
	esac
	timeout_s=$(setting "$file" timeout 2>/dev/null || true)
	CMOCKA_MESSAGE_OUTPUT=tap TSAN_OPTIONS=halt_on_error=1 \
		exec timeout -k 10 "${timeout_s:-900}" "./$file" >"$dir/tap" 2>"$dir/stderr"
}

# ---- its outcome ------------------------------------------------------------

# TAP on stdin; prints `PASSED FAILED SKIPPED` and, into $1, each line that
# failed with the comments under it, and each reason for a skip
read_tap() {
	awk -v code="$2" -v findings="$1" '
	function finding(text) { print text > findings }
	BEGIN { printf "" > findings }
	/^1\.\.[0-9]+/ {
		planned += substr($1, 4)
		has_plan = 1
		if ($0 ~ /^1\.\.0.*# *[Ss][Kk][Ii][Pp]/) {
			skipped++
			whole = 1
			finding($0)
		}
		next
	}
	/^ok( |$)/ {
		seen++
		show = 0
		if ($0 ~ /# *[Ss][Kk][Ii][Pp]/) { skipped++; finding($0) }
		else passed++
		next
	}
	/^not ok( |$)/ {
		seen++
		if ($0 ~ /# *[Tt][Oo][Dd][Oo]/) { skipped++; finding($0); next }
		failed++
		finding($0)
		show = 12
		next
	}
	/^Bail out!/ { failed++; bailed = 1; finding($0); next }
	/^#/ && show { finding($0); show-- }
	END {
		if (!has_plan && !seen && !bailed) {
			failed++
			finding("no test ran (exit code " code ")")
		} else if (!bailed && has_plan && planned != seen) {
			failed++
			finding("planned " planned " tests, saw " seen + 0)
		} else if (!bailed && !has_plan) {
			failed++
			finding("no plan: it ended early (exit code " code ")")
		}
		if (code != 0 && !failed) {
			failed++
			finding("exit code " code " although no test failed")
		}
		print passed + 0, failed + 0, skipped + 0
	}'
}

# The leaves of the KTAP in a kernel log, as TAP; the suites are its first level
kunit_tap() {
	sed -E 's/^\[ *[0-9]+\.[0-9]+\] //' "$1" | awk '
	/^KTAP version/ { inside = 1; next }
	!inside { next }
	/^1\.\.[0-9]+/ { suites = substr($1, 4); next }
	/^(not )?ok [0-9]+/ { suites_seen++; next }
	/^ +# Subtest: / { if (match($0, /^ +/) && RLENGTH == 4) suite = $3; next }
	/^    (not )?ok [0-9]+/ {
		n++
		line = $0
		sub(/^ +/, "", line)
		bad = line ~ /^not/
		sub(/^(not )?ok [0-9]+ (- )?/, "", line)
		print (bad ? "not ok " : "ok ") n " - " suite ": " line
		for (i = 0; bad && i < kept; i++)
			print "# " note[i]
		kept = 0
		next
	}
	/^ +# / { note[kept++] = $0; if (kept > 12) kept = 0 }
	END {
		if (suites + 0 != suites_seen + 0) {
			n++
			print "not ok " n " - " suites + 0 " suites announced, " suites_seen + 0 " ended"
		}
		if (n) print "1.." n
	}'
}

# Adds one failure to the counts and says which
add_failure() {
	local dir=$1 p f s
	shift
	read -r p f s <"$dir/counts"
	echo "$p $((f + 1)) $s" >"$dir/counts"
	echo "not ok - $*" >>"$dir/findings"
}

# What run-uml's own codes mean
guest_end() {
	case $1 in
	97) echo "the guest died" ;;
	98) echo "the guest ran into the host's time limit" ;;
	3) echo "the guest could not be started" ;;
	esac
}

judge() {
	local suite=$1 dir=$2 code=$3 end=
	[[ $suite != kunit || ! -f $dir/console.log ]] ||
		kunit_tap "$dir/console.log" >"$dir/tap"
	[[ $suite != guest || ! -f $dir/stdout ]] || cp "$dir/stdout" "$dir/tap"
	[[ -f $dir/tap ]] || : >"$dir/tap"

	[[ $suite != guest && $suite != kunit ]] || end=$(guest_end "$code")
	read_tap "$dir/findings" "$code" <"$dir/tap" >"$dir/counts"
	if [[ -n $end ]]; then
		add_failure "$dir" "$end: $(grep -m1 '^run-uml:' "$dir/log" || true)"
	fi
	if [[ -f $dir/console.log ]] &&
		! tests/lib/console-scan "$dir/console.log" >"$dir/console.bad"; then
		add_failure "$dir" "the kernel's log: $(head -n 1 "$dir/console.bad")"
	fi
}
