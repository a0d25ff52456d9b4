#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host: timeout=300
# Every shell script of the repository, found by its first line or its name.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

type -P shellcheck >/dev/null || bail "shellcheck is missing (Debian: apt-get install shellcheck)"
scripts=()
while IFS= read -r file; do
	[[ -f $file ]] || continue
	if [[ $file = *.sh ]] || head -c 64 "$file" | grep -aqE '^#!.*\b(ba)?sh\b'; then
		scripts+=("$file")
	fi
done < <(git ls-files)
at_least "${#scripts[@]}" 10 "the scripts were found"
for file in "${scripts[@]}"; do
	expect_pass "$file" shellcheck -x "$file"
done

# the check can fail
bad=$(mktemp)
# shellcheck disable=SC2016 # a script with a fault
printf '#!/bin/bash\nrm -rf $1/*\n' >"$bad"
expect_fail "a script with an unquoted variable is refused" shellcheck "$bad"
rm -f "$bad"
tap_done
