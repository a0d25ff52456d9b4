#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules of the house: a licence line first, files that can be read in one
# sitting, nothing of one machine.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

lines_max=600

# files that can carry a comment
commented() {
	git ls-files -- '*.c' '*.h' '*.sh' '*.config' '*.manifest' '*Makefile' '*.awk' \
		vm-images tests scripts .ci kernel-patches/kernel-tree |
		grep -vE '\.(json|md|patch|txt)$|/(data|corpus)/' | sort -u
}

without=
long=
while IFS= read -r file; do
	[[ -f $file ]] || continue
	# after the interpreter's line in scripts
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: ' || without+=" $file"
	(($(wc -l <"$file") <= lines_max)) || long+=" $file"
done < <(commented)
is "$without" "" "every file begins with its licence"
is "$long" "" "no file is longer than $lines_max lines"

# absolute paths of the machine that somebody worked on; no script may need them
machine=$(git grep -lE '(^|[^A-Za-z0-9_.-])/(work|home)/[a-z]' -- . ':!tests/lint' || true)
is "$machine" "" "no path of one machine"
is "$(git ls-files -ci --exclude-standard)" "" "nothing that is ignored is kept"
tap_done
