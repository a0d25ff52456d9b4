# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0
# (names are shared between the parts of kernel-tree: seen alone, a part looks wrong)
# config and build: a flavour is a tree, an architecture and a list of fragments.
#
# The output folders are direct children of the source trees: srctree is then `..`
# everywhere, no absolute path reaches the compiler, and ccache (with
# CCACHE_NOHASHDIR) shares one object between all trees.

FLAVOURS=(uml-stock uml-patched uml-debug x86-stock x86-patched)
CONFIG_DIR=$here/../vm-images/config
BUILT_STAMP=.vtpm-fast-built

# set_flavour NAME: F_* variables. F_STEPS is the number of build steps of a build
# from nothing, for the estimate only.
set_flavour() {
	F_NAME=$1
	F_PATCHED=yes
	F_TREE=$PATCHED
	case $1 in
	uml-*) F_ARCH=um F_IMAGE=linux F_FRAGMENTS="base uml" F_STEPS=$STEPS_UML ;;
	x86-*) F_ARCH=x86_64 F_IMAGE=bzImage F_FRAGMENTS="base x86" F_STEPS=$STEPS_X86 ;;
	esac
	case $1 in
	uml-stock) F_OUT=uml F_TREE=$STOCK F_PATCHED=no ;;
	uml-patched) F_OUT=uml F_FRAGMENTS+=" kunit" ;;
	uml-debug) F_OUT=uml-debug F_FRAGMENTS+=" kunit debug" ;;
	x86-stock) F_OUT=x86 F_TREE=$STOCK F_PATCHED=no ;;
	x86-patched) F_OUT=x86 ;;
	*) die_usage "no flavour '$1'; there are: ${FLAVOURS[*]}" ;;
	esac
	F_DIR=$F_TREE/$F_OUT
}
STEPS_UML=990
STEPS_X86=1100

cmd_flavours() { printf '%s\n' "${FLAVOURS[@]}"; }

need_kernel_tools() {
	need make gcc ccache flex bison bc perl flock=util-linux
	[ "$F_ARCH" = um ] || [ -e /usr/include/libelf.h ] || {
		say "missing: libelf.h"
		die_missing "install with: apt-get install --no-install-recommends libelf-dev"
	}
}

# kmake TREE OUT ARCH RELEASE-SUFFIX ARG...: fixed names and dates, so that the
# same source gives the same image, and a rebuild does not relink for a new date
kmake() {
	local tree=$1 out=$2 arch=$3 suffix=$4 date

	shift 4
	date=$(date -u -d "@$(git_stock log -1 --format=%ct base)")
	# the user's make flags belong to the caller's makefile, not to the kernel's
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL CCACHE_NOHASHDIR=1 \
		make -C "$tree" O="$out" ARCH="$arch" CC="ccache gcc" HOSTCC="ccache gcc" \
		LOCALVERSION="$suffix" KBUILD_BUILD_USER=vtpm-fast KBUILD_BUILD_HOST=vtpm-fast \
		KBUILD_BUILD_TIMESTAMP="$date" KBUILD_BUILD_VERSION=1 "$@"
}

# requested_lines FRAGMENT-NAMES PATCHED(yes|no): the lines to ask for, the last
# word on a symbol wins. Lines of a "# for patched only" section come with a
# leading '?': such a symbol exists only where the series defines it.
requested_lines() {
	local names=$1 patched=$2 name files=()

	for name in $names; do
		[ -r "$CONFIG_DIR/$name.config" ] || die "no fragment $CONFIG_DIR/$name.config"
		files+=("$CONFIG_DIR/$name.config")
	done
	awk -v patched="$patched" '
		FNR == 1 || /^# for every kernel$/ { only = 0 }
		/^# for patched only$/ { only = 1 }
		/^CONFIG_[A-Za-z0-9_]+=/ { sym = $0; sub(/=.*/, "", sym) }
		/^# CONFIG_[A-Za-z0-9_]+ is not set$/ { sym = $2 }
		sym != "" {
			if (!(sym in line)) order[++n] = sym
			line[sym] = (only ? "?" : "") $0
			if (only && patched == "no") line[sym] = ""
			sym = ""
		}
		END { for (i = 1; i <= n; i++) if (line[order[i]] != "") print line[order[i]] }
	' "${files[@]}"
}

tree_defines() {
	git -C "$1" grep -qE "^(menu)?config ${2#CONFIG_}\$" -- '*Kconfig*'
}

# survives LINE CONFIG-FILE
survives() {
	case $1 in
	*' is not set')
		local sym=${1#'# '}
		! grep -q "^${sym% is not set}=" "$2" ;;
	*) grep -qxF -- "$1" "$2" ;;
	esac
}

# every requested line must be in the result, or Kconfig dropped it silently
verify_config() {
	local tree=$1 requested=$2 config=$3 line sym bad=0

	while read -r line; do
		survives "${line#'?'}" "$config" && continue
		sym=$(grep -o 'CONFIG_[A-Za-z0-9_]*' <<<"$line" | head -n 1)
		case $line in
		'?'*) tree_defines "$tree" "$sym" || continue ;;
		esac
		if tree_defines "$tree" "$sym"; then
			say "$config: asked for '${line#'?'}', got '$(grep -E "^(# )?$sym( |=)" "$config" || echo nothing)'"
		else
			say "$config: asked for '${line#'?'}', but this kernel has no such symbol"
		fi
		bad=1
	done <"$requested"
	return $bad
}

# configure TREE OUT ARCH SUFFIX FRAGMENT-NAMES PATCHED
configure() {
	local tree=$1 out=$2 arch=$3 suffix=$4 names=$5 patched=$6 dir=$1/$2

	mkdir -p "$dir"
	requested_lines "$names" "$patched" >"$dir/.vtpm-fast-requested"
	sed 's/^?//' "$dir/.vtpm-fast-requested" >"$dir/.vtpm-fast-allconfig"
	kmake "$tree" "$out" "$arch" "$suffix" KCONFIG_ALLCONFIG="$dir/.vtpm-fast-allconfig" allnoconfig \
		>"$dir/.vtpm-fast-config.log" 2>&1 || {
		tail -n 20 "$dir/.vtpm-fast-config.log" >&2
		die "$dir: configuration failed"
	}
	verify_config "$tree" "$dir/.vtpm-fast-requested" "$dir/.config" ||
		die "$dir: the configuration is not what the fragments ask for ($names)"
}

flavour_tree_ready() {
	require_imported
	[ "$F_PATCHED" = no ] || [ -e "$PATCHED/.git" ] || cmd_apply
}

cmd_config() {
	local flavour

	[ $# -gt 0 ] || die_usage "config needs a flavour: ${FLAVOURS[*]}"
	for flavour in "$@"; do
		set_flavour "$flavour"
		need_kernel_tools
		flavour_tree_ready
		configure "$F_TREE" "$F_OUT" "$F_ARCH" "-$flavour" "$F_FRAGMENTS" "$F_PATCHED"
		say "$flavour: every requested symbol is in $F_DIR/.config"
	done
}

# what an image was built from; the tree part only where the tree is committed
build_inputs() {
	[ -z "$(git -C "$F_TREE" status --porcelain)" ] || return 1
	printf 'source=%s\n' "$(git -C "$F_TREE" rev-parse 'HEAD^{tree}')"
	printf 'config=%s\n' "$(requested_lines "$F_FRAGMENTS" "$F_PATCHED" | sha256sum | cut -d' ' -f1)"
	printf 'compiler=%s\n' "$(gcc --version | head -n 1)"
	printf 'rules=1\n'
}

image_path() {
	case $F_IMAGE in
	bzImage) printf '%s\n' "$F_DIR/arch/x86/boot/bzImage" ;;
	*) printf '%s\n' "$F_DIR/$F_IMAGE" ;;
	esac
}

up_to_date() {
	[ -x "$F_DIR/$F_IMAGE" ] || [ -r "$F_DIR/$F_IMAGE" ] || return 1
	[ -r "$F_DIR/$BUILT_STAMP" ] || return 1
	build_inputs | cmp -s - "$F_DIR/$BUILT_STAMP"
}

built_state() {
	if [ ! -r "$(image_path)" ]; then
		printf 'not built\n'
	elif up_to_date; then
		printf 'up to date\n'
	else
		printf 'older than its inputs\n'
	fi
}

# copies make's output to LOG and tells how far it is: on a terminal one line that
# moves, elsewhere a line a minute. Percentages only for a build from nothing.
progress() {
	local label=$1 log=$2 expected=$3 line steps=0 start=$EPOCHSECONDS next=$((EPOCHSECONDS + 1)) spent

	[ -t 2 ] || next=$((start + 60))
	while IFS= read -r line; do
		printf '%s\n' "$line" >&5
		case $line in
		'  CC '*|'  AS '*|'  LD '*|'  AR '*|'  CHECK '*) steps=$((steps + 1)) ;;
		esac
		[ "$EPOCHSECONDS" -ge $next ] || continue
		spent=$((EPOCHSECONDS - start))
		next=$((EPOCHSECONDS + 1))
		if [ -t 2 ]; then
			printf '\r\033[K%s: %s' "$label" "$(progress_text "$steps" "$expected" "$spent")" >&2
		else
			say "$label: $(progress_text "$steps" "$expected" "$spent")"
			next=$((EPOCHSECONDS + 60))
		fi
	done 5>"$log"
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

progress_text() {
	local steps=$1 expected=$2 spent=$3

	if [ "$expected" -gt "$steps" ] && [ "$steps" -gt 10 ]; then
		printf '%d of about %d objects, %d s, about %d s to go' "$steps" "$expected" "$spent" \
			$((spent * (expected - steps) / steps))
	else
		printf '%d objects, %d s' "$steps" "$spent"
	fi
}

# make_logged LABEL LOG EXPECTED-STEPS KMAKE-ARGS...
make_logged() {
	local label=$1 log=$2 expected=$3 start=$EPOCHSECONDS

	shift 3
	if kmake "$@" 2>&1 | progress "$label" "$log" "$expected"; then
		say "$label: done in $((EPOCHSECONDS - start)) s"
		return 0
	fi
	grep -E 'error|Error |undefined reference|\*\*\*' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
	say "$label: failed, the whole log is $log"
	return 1
}

# build/uml-stock and so on: short names for scripts, for the default base only
link_flavour() {
	local target=$BASE_NAME/${F_TREE##*/}/$F_OUT

	[ "$F_IMAGE" != bzImage ] || ln -sfn arch/x86/boot/bzImage "$F_DIR/bzImage"
	[ "$BASE_NAME" = 6.12 ] || return 0
	ln -sfn "$target" "$BUILD/$F_NAME"
}

build_flavour() {
	local expected=0 target=$F_IMAGE

	exec 8>"$WORK/.lock-$F_NAME"
	flock 8
	link_flavour_if_built
	if up_to_date; then
		say "$F_NAME: up to date"
		return 0
	fi
	configure "$F_TREE" "$F_OUT" "$F_ARCH" "-$F_NAME" "$F_FRAGMENTS" "$F_PATCHED"
	rm -f "$F_DIR/$BUILT_STAMP"
	[ -e "$F_DIR/vmlinux.o" ] || expected=$F_STEPS
	say "$F_NAME: building in $F_DIR (log: $LOGS/kernel-$F_NAME.log)"
	make_logged "$F_NAME" "$LOGS/kernel-$F_NAME.log" "$expected" \
		"$F_TREE" "$F_OUT" "$F_ARCH" "-$F_NAME" -j"$JOBS" "$target" || exit 1
	link_flavour
	# edits in the tree: no stamp, so the next build asks make again
	if build_inputs >"$F_DIR/$BUILT_STAMP.new"; then
		mv "$F_DIR/$BUILT_STAMP.new" "$F_DIR/$BUILT_STAMP"
	else
		rm -f "$F_DIR/$BUILT_STAMP.new"
	fi
}

link_flavour_if_built() {
	[ ! -r "$(image_path)" ] || link_flavour
}

cmd_build() {
	local flavour

	[ $# -gt 0 ] || die_usage "build needs a flavour: ${FLAVOURS[*]}"
	for flavour in "$@"; do
		set_flavour "$flavour"
	done
	for flavour in "$@"; do
		set_flavour "$flavour"
		need_kernel_tools
		flavour_tree_ready
		build_flavour
	done
}
