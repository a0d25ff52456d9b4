#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=180 mem=1G
# A reader of the list goes on where it was: nothing twice, nothing left out, whatever
# the size of its reads, also when the list grows; a shorter copy is a prefix.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

private_mount
load_policy
make_files a 400
read_files a
entries=$(entries)
is "$entries" 401 "the list has 401 entries"

cat $binary_list >/run/whole
for size in 1 7 100 4096 65536; do
	dd if=$binary_list bs=$size of=/run/copy 2>/dev/null
	expect_pass "read $size bytes at a time, the list is the same" cmp /run/copy /run/whole
done
is "$(wc -l <$list)" 401 "the ascii list has a line for each entry"
is "$(sort -u $list | wc -l)" 401 "each once"

# one descriptor stays at the end of what it has read
exec 5<$binary_list 6<$list
cat <&5 >/run/first
is "$(cat <&6 | wc -l)" 401 "a descriptor reads to the end"
is "$(cat <&5 | wc -c)" 0 "and there is no more"
make_files b 50
read_files b
cat <&5 >/run/second
is "$(cat <&6 | wc -l)" 50 "then it gets what is new"
cat /run/first /run/second >/run/joined
cat $binary_list >/run/whole
expect_pass "the parts are the whole list" cmp /run/joined /run/whole
head -c "$(stat -c %s /run/first)" /run/whole >/run/prefix
expect_pass "the shorter copy is a prefix of the longer" cmp /run/first /run/prefix

# while it grows: every copy is a prefix of the last
make_files c 600
read_files c &
writer=$!
copies=0
while kill -0 "$writer" 2>/dev/null; do
	cat $binary_list >"/run/copy.$copies"
	copies=$((copies + 1))
done
wait "$writer"
cat $binary_list >/run/whole
bad=0
for ((i = 0; i < copies; i++)); do
	head -c "$(stat -c %s "/run/copy.$i")" /run/whole | cmp -s - "/run/copy.$i" || bad=$((bad + 1))
done
at_least "$copies" 2 "the list was copied while it grew"
is "$bad" 0 "each of $copies copies is a prefix of the last one"
tap_done
