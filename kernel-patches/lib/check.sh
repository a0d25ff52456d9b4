# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0
# (names are shared between the parts of kernel-tree: seen alone, a part looks wrong)
# check: the series is judged as a maintainer would. One function per check; each
# tells what it found on stderr, sets NOTE for the summary line and returns 0 or 1.

ALL_CHECKS=(series mail checkpatch w1 sparse prefix)
CHECKS_DIR=$here/checks

patch_paths() { series_list | sed "s|^|$BASE_DIR/|"; }

# --- series: list and files agree, files apply, tree and files agree ---

check_series() {
	local name bad=0 file

	NOTE="$(series_list | wc -l) patches"
	if [ -n "$(series_list | sort | uniq -d)" ]; then
		say "series names a patch twice: $(series_list | sort | uniq -d | tr '\n' ' ')"
		bad=1
	fi
	while read -r name; do
		[ -r "$BASE_DIR/$name" ] || { say "series names $name, which is not there"; bad=1; }
	done < <(series_list)
	for file in "$BASE_DIR"/*.patch; do
		[ -e "$file" ] || continue
		# not through a pipe: grep ends at the first hit, and then the writer fails
		grep -qxF -- "${file##*/}" <(series_list) || { say "${file##*/} is not in series"; bad=1; }
	done
	[ $bad = 0 ] || return 1
	commits_of_files >"$TMP_DIR/commits" || return 1
	if [ -e "$PATCHED/.git" ] && ! files_match_tree; then
		say "the files and the patched tree differ: kernel-tree apply or export"
		return 1
	fi
}

# --- mail: author, sign-off, subject, licence of new files ---

# new files of a patch whose first two lines name no licence; Documentation/ABI
# has a fixed format without one
new_files_without_spdx() {
	awk '
		function done() { if (new && file != "" && !found) print file; new = 0; file = ""; found = 0; seen = 0 }
		/^diff --git / { done() }
		/^new file mode / { new = 1 }
		/^\+\+\+ b\// { if (new) { file = substr($0, 7); if (file ~ /^Documentation\/ABI\//) found = 1 } next }
		new && /^\+/ { if (++seen <= 2 && /SPDX-License-Identifier:/) found = 1 }
		END { done() }
	' "$1"
}

check_one_mail() {
	local file=$1 name=${1##*/} who="$AUTHOR_NAME <$AUTHOR_EMAIL>" bad=0 lacking

	grep -qxF "From: $who" "$file" || { say "$name: author is not $who"; bad=1; }
	grep -qxF "Signed-off-by: $who" <(sed '/^---$/q' "$file") || { say "$name: no sign-off of $who"; bad=1; }
	grep -qE '^Subject: \[PATCH\] [^ ]+: ' "$file" || { say "$name: subject names no subsystem"; bad=1; }
	head -n 1 "$file" | grep -q '^From 0\{40\} ' || { say "$name: not written by kernel-tree export"; bad=1; }
	lacking=$(new_files_without_spdx "$file")
	[ -z "$lacking" ] || { say "$name: new file without SPDX line: $lacking"; bad=1; }
	return $bad
}

check_mail() {
	local file bad=0

	NOTE="$(series_list | wc -l) patches"
	while read -r file; do
		check_one_mail "$file" || bad=1
	done < <(patch_paths)
	return $bad
}

# --- checkpatch: the kernel's own, strict ---

# The types that do not count in patch $1
checkpatch_ignored() {
	local type folder

	sed 's/[[:space:]]*#.*//; /^$/d' "$CHECKS_DIR/checkpatch.ignore" |
		while read -r type folder; do
			[ -z "$folder" ] || grep -qF "+++ b/$folder" "$1" || continue
			echo "$type"
		done | paste -sd, -
}

check_checkpatch() {
	local file bad=0

	need perl
	NOTE="$(series_list | wc -l) patches, --strict"
	while read -r file; do
		# Its exit code is 1 for errors, warnings and checks alike. Without a git folder it
		# looks for no commits (the tree has no history) and starts no Python licence check.
		GIT_DIR=/nonexistent "$STOCK/scripts/checkpatch.pl" --root="$STOCK" --strict --show-types --quiet --no-summary \
			--ignore "$(checkpatch_ignored "$file")" "$file" >"$TMP_DIR/checkpatch" 2>&1 || bad=1
		if [ -s "$TMP_DIR/checkpatch" ]; then
			say "checkpatch: ${file##*/}"
			cat "$TMP_DIR/checkpatch" >&2
			bad=1
		fi
	done < <(patch_paths)
	return $bad
}

# --- w1, sparse: what the compiler and sparse say about the touched files ---

CHECK_ARCHES="um x86_64"

# files that the tree under judgement has and base has not, or has otherwise
touched() { git -C "$CHECK_TREE" diff --name-only --diff-filter=d base -- "$@"; }

# object_of FILE: the object that FILE is compiled into, in the flavour's folder. A
# KUnit suite may be included by the file that it tests.
object_of() {
	local file=$1 dir=${1%/*} cmd

	if [ -e "$F_DIR/${file%.c}.o" ]; then
		printf '%s\n' "${file%.c}.o"
		return 0
	fi
	cmd=$(grep -lF -- "/$file " "$F_DIR/$dir"/.*.o.cmd 2>/dev/null | head -n 1)
	[ -n "$cmd" ] || return 1
	cmd=${cmd##*/.}
	printf '%s\n' "$dir/${cmd%.cmd}"
}

# Where each touched C file is compiled: lines OBJECT ARCH in $TMP_DIR/where, found
# by what a whole build left. UML first, x86 only for what UML has not.
locate_touched() {
	local arch file object

	: >"$TMP_DIR/where"
	touched '*.c' >"$TMP_DIR/todo"
	for arch in $CHECK_ARCHES; do
		[ -s "$TMP_DIR/todo" ] || return 0
		set_check_flavour "$arch"
		need_kernel_tools
		# in a shell of its own, since a failed build exits
		(build_flavour) || return 1
		: >"$TMP_DIR/left"
		while read -r file; do
			if object=$(object_of "$file"); then
				printf '%s %s\n' "$object" "$arch" >>"$TMP_DIR/where"
			else
				printf '%s\n' "$file" >>"$TMP_DIR/left"
			fi
		done <"$TMP_DIR/todo"
		mv "$TMP_DIR/left" "$TMP_DIR/todo"
	done
	[ ! -s "$TMP_DIR/todo" ] || {
		say "touched, but compiled in no configuration of ours: $(tr '\n' ' ' <"$TMP_DIR/todo")"
		return 1
	}
}

set_check_flavour() {
	case $1 in
	um) set_flavour uml-patched ;;
	x86_64) set_flavour x86-patched ;;
	esac
}

objects_on() { sed -n "s/ $1\$//p" "$TMP_DIR/where" | sort -u; }

# recompile TREE ARCH LABEL LOG ARG...: the objects (or what ARG names), with more
# warnings than usual, in a folder of their own: the kernels keep their objects
recompile() {
	local tree=$1 arch=$2 label=$3 log=$4 patched=yes

	shift 4
	set_check_flavour "$arch"
	[ "$tree" != "$STOCK" ] || patched=no
	(configure "$tree" "check-$arch" "$arch" -check "$F_FRAGMENTS" $patched) || return 1
	make_logged "$label on $arch" "$log" 0 "$tree" "check-$arch" "$arch" -check W=1 -j"$JOBS" "$@"
}

# complaints in a log about files that the series touches
complaints() {
	touched '*.[ch]' >"$TMP_DIR/touched"
	[ -s "$TMP_DIR/touched" ] || return 0
	sed 's|^\.\./||' "$1" | grep -E ': (warning|error):' | grep -F -f "$TMP_DIR/touched" | sort -u || true
}

# W=1 reads the kernel-doc of C files only
header_complaints() {
	git -C "$CHECK_TREE" diff --name-only --diff-filter=A base -- '*.h' | while read -r file; do
		"$CHECK_TREE/scripts/kernel-doc" -none "$CHECK_TREE/$file" 2>&1 | grep -E 'warning|error' || true
	done
}

check_w1() {
	local arch log objects found

	NOTE="$(touched '*.c' | wc -l) C files, $(touched '*.h' | wc -l) headers"
	locate_touched || return 1
	found=$(header_complaints)
	for arch in $CHECK_ARCHES; do
		objects=$(objects_on "$arch")
		[ -n "$objects" ] || continue
		log=$LOGS/kernel-w1-$arch.log
		# a kept object would keep its warnings to itself
		(cd "$CHECK_TREE" && for object in $objects; do rm -f "check-$arch/$object"; done)
		# shellcheck disable=SC2086 # a list of objects
		recompile "$CHECK_TREE" "$arch" W=1 "$log" $objects || { complaints "$log" >&2; return 1; }
		found+=$(complaints "$log")
	done
	[ -z "$found" ] || { printf '%s\n' "$found" >&2; return 1; }
}

# sparse_lines LOG: complaints with a count and without line numbers, so that they
# can be compared over time. Those of headers count once, however many include them;
# those with an option's name are the compiler's.
sparse_lines() {
	sed -nE '/\[-W/d; s,^(\.\./)?([^ :]+):[0-9]+:[0-9]+: ((warning|error): .*),\2: \3,p' "$1" | sort | uniq -c |
		awk '{ n = $1; sub(/^ *[0-9]+ /, ""); if ($1 ~ /\.h:$/) n = 1; print n "\t" $0 }'
}

# more_than_baseline BASELINE CURRENT
more_than_baseline() {
	awk -F'\t' 'FILENAME == ARGV[1] { if ($0 !~ /^#/) old[$2] = $1; next }
		$1 > old[$2] + 0 { print $2 (old[$2] ? " (" old[$2] " before, " $1 " now)" : "") }' "$1" "$2"
}

check_sparse() {
	local arch objects log found=

	need sparse
	NOTE="$(touched '*.c' | wc -l) C files against checks/sparse.baseline"
	locate_touched || return 1
	for arch in $CHECK_ARCHES; do
		objects=$(objects_on "$arch")
		[ -n "$objects" ] || continue
		log=$LOGS/kernel-sparse-$arch.log
		# shellcheck disable=SC2086 # a list of objects
		recompile "$CHECK_TREE" "$arch" sparse "$log" C=2 $objects || return 1
		sparse_lines "$log" >"$TMP_DIR/sparse"
		found+=$(more_than_baseline "$CHECKS_DIR/sparse.baseline" "$TMP_DIR/sparse")
	done
	[ -z "$found" ] || {
		printf '%s\n' "$found" >&2
		say "new sparse complaints; if the unpatched tree has them too: kernel-tree check --update-baseline"
		return 1
	}
}

# The baseline is made from the unpatched tree: whole folders that the series works
# in, so that it holds when another file of them is touched.
update_baseline() {
	local arch dirs log file=$CHECKS_DIR/sparse.baseline

	need sparse
	: >"$TMP_DIR/all"
	for arch in $CHECK_ARCHES; do
		dirs=$(sed -n "s/^${arch}[[:space:]]//p" "$CHECKS_DIR/sparse.dirs")
		[ -n "$dirs" ] || continue
		log=$LOGS/kernel-sparse-stock-$arch.log
		# shellcheck disable=SC2086 # a list of folders
		recompile "$STOCK" "$arch" sparse "$log" C=2 prepare $dirs || return 1
		sparse_lines "$log" >>"$TMP_DIR/all"
	done
	{
		printf '# SPDX-License-Identifier: GPL-2.0\n'
		printf '# What sparse says about the unpatched tree: count, file, complaint.\n'
		printf '# Written by "kernel-tree check --update-baseline" from the folders in sparse.dirs.\n'
		sort -u -t "$(printf '\t')" -k 2,2 "$TMP_DIR/all"
	} >"$file.new"
	mv "$file.new" "$file"
	say "wrote $file: $(grep -vc '^#' "$file" || true) complaints of the unpatched tree"
}

# --- prefix: the kernel builds after every patch ---

# What the series is compared with: origin/main; where nothing differs from that, as
# in a fresh clone, what was there before the newest commit that changed the series.
# Nothing is printed where neither is known.
compared_with() {
	local rev

	if git -C "$REPO" rev-parse -q --verify origin/main >/dev/null &&
		! git -C "$REPO" diff --quiet origin/main -- "$BASE_DIR"; then
		echo origin/main
		return
	fi
	rev=$(git -C "$REPO" log -1 --first-parent --format=%H -- "$BASE_DIR" 2>/dev/null) || return 0
	git -C "$REPO" rev-parse -q --verify "$rev^" || true
}

# Numbers of the patches to try; all of them where nothing is known of before
prefixes_to_try() {
	local count number=0 name rev=${CHANGED_SINCE:-$(compared_with)}

	count=$(series_list | wc -l)
	if [ "$TRY_ALL" = yes ] || [ -z "$rev" ]; then
		seq 1 "$count"
		return
	fi
	while read -r name; do
		number=$((number + 1))
		git -C "$REPO" diff --quiet "$rev" -- "$BASE_DIR/$name" && git -C "$REPO" ls-files --error-unmatch \
			"$BASE_DIR/$name" >/dev/null 2>&1 || printf '%d\n' $number
	done < <(series_list)
}

ensure_prefix_tree() {
	[ -e "$PREFIX/.git" ] && return 0
	rm -rf "$PREFIX"
	git_stock worktree prune
	say "making a tree for prefix builds (about 10 s)"
	git_stock worktree add -q --detach "$PREFIX" base
}

# what a prefix build depends on
prefix_key() {
	{
		git_stock rev-parse "$1^{tree}"
		requested_lines "base uml kunit" yes
		gcc --version | head -n 1
	} | sha256sum | cut -d' ' -f1
}

check_prefix() {
	local number commit key tried=0 known=0

	set_flavour uml-patched
	need_kernel_tools
	commits_of_files >"$TMP_DIR/commits" || return 1
	exec 7>"$WORK/.lock-prefix"
	flock 7
	mkdir -p "$WORK/prefix-built"
	for number in $(prefixes_to_try); do
		commit=$(sed -n "${number}p" "$TMP_DIR/commits")
		key=$(prefix_key "$commit")
		if [ -e "$WORK/prefix-built/$key" ]; then
			known=$((known + 1))
			continue
		fi
		ensure_prefix_tree
		git -C "$PREFIX" checkout -q --force --detach "$commit" || return 1
		configure "$PREFIX" uml um -prefix "base uml kunit" yes
		make_logged "prefix $number" "$LOGS/kernel-prefix-$number.log" 0 \
			"$PREFIX" uml um -prefix -j"$JOBS" linux || {
			say "the kernel does not build after patch $number: $(series_list | sed -n "${number}p")"
			return 1
		}
		: >"$WORK/prefix-built/$key"
		tried=$((tried + 1))
	done
	NOTE="$tried built now, $known built before, of $(series_list | wc -l)"
}

run_check() {
	local name=$1 start=$EPOCHSECONDS verdict=ok

	NOTE=
	"check_$name" || verdict="not ok"
	printf '%s - %s%s, %d s\n' "$verdict" "$name" "${NOTE:+: $NOTE}" $((EPOCHSECONDS - start))
	[ "$verdict" = ok ]
}

cmd_check() {
	local names=("${ALL_CHECKS[@]}") name failed=0 baseline=no

	CHANGED_SINCE='' TRY_ALL=no CHECK_TREE=$PATCHED
	while [ $# -gt 0 ]; do
		case $1 in
		--only) [ $# -ge 2 ] || die_usage "--only needs names"; IFS=, read -ra names <<<"$2"; shift 2 ;;
		--changed) [ $# -ge 2 ] || die_usage "--changed needs a revision"; CHANGED_SINCE=$2; shift 2 ;;
		--all) TRY_ALL=yes; shift ;;
		--tree) [ $# -ge 2 ] || die_usage "--tree needs a folder"; CHECK_TREE=$2; shift 2 ;;
		--update-baseline) baseline=yes; shift ;;
		*) die_usage "check: unknown argument $1" ;;
		esac
	done
	for name in "${names[@]}"; do
		declare -F "check_$name" >/dev/null || die_usage "no check '$name'; there are: ${ALL_CHECKS[*]}"
	done
	[ -z "$CHANGED_SINCE" ] || git -C "$REPO" rev-parse -q --verify "$CHANGED_SINCE" >/dev/null ||
		die_usage "no revision '$CHANGED_SINCE' in $REPO"
	require_imported
	make_tmp
	if [ $baseline = yes ]; then
		update_baseline
		return
	fi
	[ -e "$CHECK_TREE/.git" ] || cmd_apply
	for name in "${names[@]}"; do
		run_check "$name" || failed=$((failed + 1))
	done
	[ $failed -eq 0 ] || die "$failed of ${#names[@]} checks failed"
}
