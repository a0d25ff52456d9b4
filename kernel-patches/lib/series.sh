# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0
# (names are shared between the parts of kernel-tree: seen alone, a part looks wrong)
# apply, edit, export, status: patch files on one side, branch `series` on the other.
#
# What was last the same on both sides is noted in SYNC (commit and digest of the
# files). So "the files moved on" and "the tree moved on" can be told apart, and
# only when both did there is something to lose.

sync_file() { printf '%s/.git/vtpm-fast-sync\n' "$STOCK"; }

# names of the patch files, in order
series_list() {
	local line

	[ -r "$BASE_DIR/series" ] || return 0
	while read -r line _; do
		case $line in
		''|'#'*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$BASE_DIR/series"
}

# one digest over names and contents of all that the series is
files_digest() {
	local name

	series_list | while read -r name; do
		printf '%s\n' "$name"
		cat "$BASE_DIR/$name" 2>/dev/null || printf 'missing\n'
	done | sha256sum | cut -d' ' -f1
}

series_head() { git_stock rev-parse -q --verify refs/heads/series; }
base_head() { git_stock rev-parse -q --verify refs/heads/base; }

# commits base..series of a tree, as mails, into an empty folder
mails_into() {
	local dir=$1 tip=$2

	# every switch is given, since user settings must not show in the files
	GIT_CONFIG_GLOBAL=/dev/null git_stock \
		-c diff.algorithm=myers -c diff.noprefix=false -c diff.mnemonicPrefix=false \
		format-patch -q -o "$dir" --zero-commit --no-signature --no-numbered \
		--subject-prefix=PATCH --no-cover-letter --no-base --no-thread --no-attach \
		--no-renames --no-notes --stat=72 --abbrev=12 --suffix=.patch \
		--no-encode-email-headers "base..$tip"
}

# write the list that goes with a folder of mails
write_series() {
	local dir=$1 mail

	{
		printf '# SPDX-License-Identifier: GPL-2.0\n'
		printf '# Written by "kernel-tree export". The order of this list is the only order.\n'
		for mail in "$dir"/[0-9][0-9][0-9][0-9]-*.patch; do
			[ ! -e "$mail" ] || printf '%s\n' "${mail##*/}"
		done
	} >"$dir/series"
}

# Are files and tree the same? Either nothing moved since they last were (on another
# point release line numbers differ from the files, so text alone would not do), or
# the files are exactly what the tree would export.
files_match_tree() {
	local dir name

	if [ "$(series_head)" = "$(synced head)" ] && [ "$(files_digest)" = "$(synced files)" ]; then
		return 0
	fi
	make_tmp
	dir=$TMP_DIR/match
	rm -rf "$dir"
	mkdir "$dir"
	mails_into "$dir" series
	write_series "$dir"
	cmp -s <(series_list) <(grep -v '^#' "$dir/series" || true) || return 1
	while read -r name; do
		cmp -s "$BASE_DIR/$name" "$dir/$name" || return 1
	done < <(series_list)
}

tree_is_clean() { [ -z "$(git_patched status --porcelain)" ]; }

tree_is_mid_operation() {
	local dir

	dir=$(git_patched rev-parse --absolute-git-dir)
	[ -e "$dir/rebase-merge" ] || [ -e "$dir/rebase-apply" ] || [ -e "$dir/CHERRY_PICK_HEAD" ]
}

# nothing in the patched tree that is not also in the patch files
tree_is_disposable() {
	tree_is_clean || return 1
	[ "$(series_head)" = "$(base_head)" ] && return 0
	[ "$(series_head)" = "$(synced head)" ] && return 0
	files_match_tree
}

# what the note says, if it is about the patch folder in use
synced() {
	[ "$(value_of dir "$(sync_file)")" != "$BASE_DIR" ] || value_of "$1" "$(sync_file)"
}

note_sync() {
	printf 'dir=%s\nhead=%s\nfiles=%s\n' "$BASE_DIR" "$(series_head)" "$(files_digest)" >"$(sync_file).new"
	mv "$(sync_file).new" "$(sync_file)"
}

# the worktree of branch series, made where it lacks
ensure_patched() {
	require_imported
	# a moved clone leaves git with old absolute paths
	if [ -e "$PATCHED/.git" ]; then
		git_patched rev-parse -q --git-dir >/dev/null 2>&1 ||
			git_stock worktree repair "$PATCHED" >/dev/null
		return 0
	fi
	[ ! -e "$PATCHED" ] || die "$PATCHED is there but is no git tree; move it away"
	git_stock worktree prune
	say "making the patched tree (about 10 s)"
	if series_head >/dev/null; then
		git_stock worktree add -q "$PATCHED" series
	else
		git_stock worktree add -q -b series "$PATCHED" base
	fi
}

require_branch_series() {
	local branch

	branch=$(git_patched symbolic-ref -q --short HEAD || true)
	[ "$branch" = series ] ||
		die "$PATCHED is on '${branch:-no branch}', not on 'series': finish or abort what you began there"
	! tree_is_mid_operation || die "$PATCHED is in the middle of an am or rebase: finish or abort it"
}

# commit_mail PARENT FILE: prints the commit that FILE makes on top of PARENT.
# Works on an index of its own, which must hold PARENT; no file of any tree is
# touched. Dates and names come from the mail, so that the same files always give
# the same commits.
commit_mail() {
	local parent=$1 file=$2 dir=$TMP_DIR/mail tree info

	info=$dir/info
	git_stock mailinfo -b --encoding=UTF-8 "$dir/msg" "$dir/diff" <"$file" >"$info" ||
		{ say "${file##*/}: not a patch mail"; return 1; }
	[ -s "$dir/diff" ] || { say "${file##*/}: no diff in it"; return 1; }
	# git apply knows no fuzz: every context line must be there (it may have moved)
	GIT_INDEX_FILE=$dir/index git_stock apply --cached --whitespace=nowarn "$dir/diff" ||
		{ say "${file##*/}: does not apply without fuzz to Linux $(tree_version "$STOCK")"; return 1; }
	tree=$(GIT_INDEX_FILE=$dir/index git_stock write-tree)
	{ sed -n 's/^Subject: //p' "$info"; printf '\n'; cat "$dir/msg"; } | git stripspace >"$dir/text"
	GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' "$info") \
	GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' "$info") \
	GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' "$info") \
	GIT_COMMITTER_DATE=$(sed -n 's/^Date: //p' "$info") \
		git_stock commit-tree "$tree" -p "$parent" -F "$dir/text"
}

# prints one commit per patch file, in order; fails at the first that does not apply
commits_of_files() {
	local tip name

	tip=$(base_head)
	mkdir -p "$TMP_DIR/mail"
	GIT_INDEX_FILE=$TMP_DIR/mail/index git_stock read-tree "$tip" || return 1
	while read -r name; do
		[ -r "$BASE_DIR/$name" ] || { say "series names $name, which is not there"; return 1; }
		tip=$(commit_mail "$tip" "$BASE_DIR/$name") || return 1
		printf '%s\n' "$tip"
	done < <(series_list)
}

refuse_to_lose() {
	say "the series files changed, and the patched tree has work of its own:"
	git_patched log --oneline "$(synced head)..series" 2>/dev/null | head -n 20 >&2 || true
	git_patched status --short | head -n 20 >&2
	say "to keep it:  save the file changes (git), then 'kernel-tree export', then merge"
	die "to drop it:  kernel-tree apply --force (the old tip stays in 'git reflog series')"
}

cmd_apply() {
	local force=no tip

	while [ $# -gt 0 ]; do
		case $1 in
		--force) force=yes; shift ;;
		*) die_usage "apply: unknown argument $1" ;;
		esac
	done
	need git
	require_imported
	lock_base
	make_tmp
	ensure_patched
	require_branch_series
	if files_match_tree; then
		note_sync
		tree_is_clean || [ $force = yes ] || say "note: the patched tree has edits that are not committed"
		if [ $force = no ] || tree_is_clean; then
			say "patched tree is up to date: $(series_list | wc -l) patches"
			return 0
		fi
	elif [ "$(files_digest)" = "$(synced files)" ] && [ $force = no ]; then
		say "patched tree is ahead of the series files (see 'kernel-tree status'); left as it is"
		return 0
	fi
	[ $force = yes ] || tree_is_disposable || refuse_to_lose
	commits_of_files >"$TMP_DIR/commits" || die "nothing was changed"
	tip=$(tail -n 1 "$TMP_DIR/commits")
	move_tree_to "${tip:-$(base_head)}" "$force"
	note_sync
	say "applied $(series_list | wc -l) patches to Linux $(tree_version "$STOCK")"
}

# Both ways git rewrites only files that differ, so a rebuild stays short.
move_tree_to() {
	if [ "$2" = yes ]; then
		git_patched reset -q --hard "$1"
	else
		git_patched reset -q --keep "$1"
	fi
}

cmd_export() {
	local dir old

	[ $# -eq 0 ] || die_usage "export takes no arguments"
	need git
	require_imported
	lock_base
	ensure_patched
	require_branch_series
	git_stock merge-base --is-ancestor base series ||
		die "branch series does not start at branch base: rebase it"
	[ -z "$(git_stock rev-list --merges base..series)" ] || die "branch series has merges: make it linear"
	tree_is_clean || say "note: edits that are not committed are not exported"
	make_tmp
	dir=$TMP_DIR/export
	mkdir "$dir"
	mails_into "$dir" series
	write_series "$dir"
	for old in "$BASE_DIR"/[0-9][0-9][0-9][0-9]-*.patch; do
		[ ! -e "$old" ] || [ -e "$dir/${old##*/}" ] || { say "removing ${old##*/}"; rm -f "$old"; }
	done
	for old in "$dir"/*; do
		# same content keeps its time stamp
		cmp -s "$old" "$BASE_DIR/${old##*/}" || { cp "$old" "$BASE_DIR/${old##*/}"; say "wrote ${old##*/}"; }
	done
	note_sync
	say "exported $(series_list | wc -l) patches to $BASE_DIR"
}

cmd_edit() {
	[ $# -eq 0 ] || die_usage "edit takes no arguments"
	cmd_apply
	cat >&2 <<-EOF

	The patched tree is $PATCHED
	Every commit after branch 'base' is one patch. Change them as you like:
	  a new patch        git commit -s
	  an older patch     git commit --fixup=COMMIT; git rebase -i --autosquash base
	Then: kernel-tree build uml-patched; kernel-tree export; kernel-tree check
	EOF
	[ -t 0 ] && [ -t 2 ] || return 0
	say "a shell in the patched tree; leave it with 'exit'"
	# the lock would stay held in the shell
	(cd "$PATCHED" && exec 9>&- && exec "${SHELL:-/bin/bash}") || true
	cmd_status
}

cmd_status() {
	local state flavour

	[ $# -eq 0 ] || die_usage "status takes no arguments"
	need git
	printf 'base:      %s (pinned: %s)\n' "$BASE_NAME" "$BASE_VERSION"
	printf 'series:    %s patches in %s\n' "$(series_list | wc -l)" "$BASE_DIR"
	if ! imported; then
		printf 'imported:  no\n'
		return 0
	fi
	printf 'imported:  Linux %s in %s\n' "$(tree_version "$STOCK")" "$STOCK"
	if [ ! -e "$PATCHED/.git" ]; then
		printf 'patched:   no tree yet (kernel-tree apply)\n'
		return 0
	fi
	state="files and tree differ"
	if files_match_tree; then
		state="same as the files"
	elif [ "$(files_digest)" = "$(synced files)" ]; then
		state="ahead of the files (kernel-tree export)"
	elif tree_is_disposable; then
		state="behind the files (kernel-tree apply)"
	fi
	printf 'patched:   %s commits in %s: %s\n' \
		"$(git_stock rev-list --count base..series)" "$PATCHED" "$state"
	tree_is_clean || printf 'edits:     %s files not committed\n' "$(git_patched status --porcelain | wc -l)"
	for flavour in "${FLAVOURS[@]}"; do
		set_flavour "$flavour"
		printf 'kernel:    %-12s %s\n' "$flavour" "$(built_state)"
	done
}
