# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0
# (names are shared between the parts of kernel-tree: seen alone, a part looks wrong)
# import: Debian's source tarball becomes a git tree with one commit, branch base.

IMPORT_STAMP=.git/vtpm-fast-import

imported() { [ -r "$STOCK/$IMPORT_STAMP" ]; }

require_imported() {
	imported || die "base $BASE_NAME is not imported yet: run 'kernel-tree import' (or 'make import')"
}

# upstream version from a tree's own Makefile: 6.12.117
tree_version() {
	awk -F' *= *' '$1 == "VERSION" { v = $2 } $1 == "PATCHLEVEL" { p = $2 }
		$1 == "SUBLEVEL" { print v "." p "." $2; exit }' "$1/Makefile"
}

package_version() { dpkg-query -W -f '${Version}' "$BASE_PACKAGE" 2>/dev/null || true; }

# Says whether this is the pinned tarball; a sister release is a notice only.
judge_tarball() {
	local tarball=$1 sum=$2

	if [ "$sum" = "$BASE_SHA256" ]; then
		say "source: $BASE_PACKAGE $BASE_VERSION (checksum as pinned)"
		return
	fi
	if [ "$tarball" = "$BASE_TARBALL" ] && [ "$(package_version)" = "$BASE_VERSION" ]; then
		die "$tarball: version is $BASE_VERSION as pinned, but the checksum differs: damaged? reinstall $BASE_PACKAGE"
	fi
	say "notice: $tarball is not the pinned $BASE_VERSION; taken all the same, the series must apply without fuzz"
}

# Unpack beside the final name: only a finished tree ever gets that name.
unpack() {
	local tarball=$1 dir=$2

	rm -rf "$dir"
	mkdir "$dir"
	say "unpacking $tarball (about 20 s)"
	tar -xf "$tarball" -C "$dir" --strip-components=1 --no-same-owner
	case $(tree_version "$dir") in
	"$BASE_LINE".*) ;;
	*) die "$tarball holds kernel $(tree_version "$dir"), the base needs $BASE_LINE" ;;
	esac
}

commit_tree() {
	local dir=$1 date

	say "making a git tree of it (about 30 s)"
	# the same tarball gives the same commit on every machine
	date="@$(stat -c %Y "$dir/Makefile") +0000"
	git -C "$dir" init -q -b base
	git -C "$dir" config user.name "$AUTHOR_NAME"
	git -C "$dir" config user.email "$AUTHOR_EMAIL"
	git -C "$dir" config commit.gpgsign false
	git -C "$dir" config core.autocrlf false
	# loose objects stay: a background gc would disturb measurements
	git -C "$dir" config gc.auto 0
	# Debian's .gitignore hides every new file; the output folders take its place
	sed -i -e '\|^/\*$|d' -e '\|^!/debian/$|d' "$dir/.gitignore"
	printf '/%s/\n' uml uml-debug x86 >>"$dir/.git/info/exclude"
	# -f: the kernel's own part of it hides files that its tarball has
	git -C "$dir" add -A -f
	GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date \
		git -C "$dir" commit -q -m "Import Linux $(tree_version "$dir")"
}

write_import_stamp() {
	local dir=$1 tarball=$2 sum=$3

	cat >"$dir/$IMPORT_STAMP" <<-EOF
	tarball=$tarball
	sha256=$sum
	version=$(tree_version "$dir")
	package=$BASE_PACKAGE
	EOF
}

# --renew throws the old tree away, so the patched tree may hold nothing of its own
remove_import() {
	if [ -e "$PATCHED/.git" ] && ! tree_is_disposable; then
		die "the patched tree has work that is not exported; first: kernel-tree export (or apply --force)"
	fi
	say "removing the old trees of base $BASE_NAME"
	rm -rf "$PATCHED" "$PREFIX" "$STOCK"
}

cmd_import() {
	local tarball=$BASE_TARBALL renew=no sum

	while [ $# -gt 0 ]; do
		case $1 in
		--tarball) [ $# -ge 2 ] || die_usage "--tarball needs a file"; tarball=$2; shift 2 ;;
		--renew) renew=yes; shift ;;
		*) die_usage "import: unknown argument $1" ;;
		esac
	done
	need git tar xz=xz-utils sha256sum=coreutils awk=mawk
	lock_base
	if imported && [ $renew = no ]; then
		say "base $BASE_NAME: Linux $(value_of version "$STOCK/$IMPORT_STAMP") is imported already"
		notice_other_package
		return 0
	fi
	[ -r "$tarball" ] || {
		say "missing: $tarball"
		die_missing "install with: apt-get install --no-install-recommends $BASE_PACKAGE"
	}
	if [ -e "$STOCK" ] && [ $renew = no ]; then
		die "$STOCK is there but was not imported by kernel-tree; move it away"
	fi
	sum=$(sha256sum "$tarball")
	sum=${sum%% *}
	judge_tarball "$tarball" "$sum"
	[ ! -e "$STOCK" ] || remove_import
	[ ! -e "$STOCK.partial" ] || say "an earlier import was interrupted: doing it again"
	unpack "$tarball" "$STOCK.partial"
	commit_tree "$STOCK.partial"
	write_import_stamp "$STOCK.partial" "$tarball" "$sum"
	mv "$STOCK.partial" "$STOCK"
	say "imported: $STOCK (branch base)"
}

# an upgrade of the package does not silently change what is measured
notice_other_package() {
	local had now

	had=$(value_of sha256 "$STOCK/$IMPORT_STAMP")
	now=$(package_version)
	[ -n "$now" ] && [ "$had" = "$BASE_SHA256" ] && [ "$now" != "$BASE_VERSION" ] || return 0
	say "notice: $BASE_PACKAGE $now is installed now; 'kernel-tree import --renew' would take it"
}

cmd_discard() {
	[ $# -eq 0 ] || die_usage "discard takes no arguments"
	lock_base
	[ ! -e "$STOCK" ] || remove_import
	rm -rf "$STOCK.partial" "$WORK/prefix-built"
}
