#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is installed works from where it is, and what it says of itself is true.
# shellcheck source=tests/system/common
. "$(dirname "${BASH_SOURCE[0]}")/common"

root=$work/root
expect_pass "make install" make -s -C "$top/userspace" install "DESTDIR=$root" prefix=/usr
for file in bin/vtpmfast share/man/man1/vtpmfast.1 share/man/man1/vtpmfast-extend.1 \
	share/man/man1/vtpmfast-floor.1 share/man/man1/vtpmfast-verify.1 share/bash-completion/completions/vtpmfast \
	share/vtpmfast/result.schema.json; do
	expect_pass "installed: $file" test -s "$root/usr/$file"
done
installed=$root/usr/bin/vtpmfast
expect_pass "it runs" "$installed" floor --count 10 --runs 1 --warmup 0

# options, from the help, are all in the manual and the other way round
options_of_help() {
	"$installed" "$1" --help | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
		grep -vxE -- '--(help|usage)' | sort -u
}
options_of_manual() {
	sed 's/\\-/-/g' "$root/usr/share/man/man1/vtpmfast-$1.1" | grep -oE -- '--[a-z-]+' |
		grep -vxE -- '--(help|usage)' | sort -u
}
for command in extend floor verify; do
	is "$(options_of_manual $command)" "$(options_of_help $command)" \
		"$command: manual and help have the same options"
done
expect_fail -c 1 "no subcommand is missing from the manual" grep -vxFf \
	<(grep -oE 'vtpmfast-[a-z]+' "$root/usr/share/man/man1/vtpmfast.1" | sed 's/.*-//') \
	<("$installed" --help | sed -nE 's/^  ([a-z]+) .*/\1/p')

# completion, as the shell would ask for it
# shellcheck source=/dev/null
. "$root/usr/share/bash-completion/completions/vtpmfast"
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_vtpmfast "$installed"
	echo "${COMPREPLY[*]}"
}
is "$(complete_words vtpmfast ext)" "extend" "completes a command"
is "$(complete_words vtpmfast extend --mod)" "--modes" "completes an option"
is "$(complete_words vtpmfast report --chart p)" "p99=" "completes a kind of chart"
is "$(complete_words vtpmfast extend --modes stock,us)" "stock,usleep" "completes a list"
is "$(complete_words vtpmfast extend --pcr = 2)" "23" "completes --option=value"

expect_pass "make uninstall" make -s -C "$top/userspace" uninstall "DESTDIR=$root" prefix=/usr
is "$(find "$root" -type f)" "" "... leaves nothing"
tap_done
