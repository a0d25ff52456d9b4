#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guest writes to nothing of the host's but its output directory.
# shellcheck source=tests/launcher/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

root=$(readlink -f "$top/build/uml-root")
before=$(find "$root" -printf '%p %s %T@\n' | sort | sha256sum)
# shellcheck disable=SC2016 # expanded in the guest
text=$(guest -- bash -c '
	for path in /x /usr/bin/x /init /etc/passwd /usr/lib/x; do
		(echo x >>"$path") 2>/dev/null && echo "wrote $path"
	done
	mount -o remount,rw / 2>/dev/null
	for path in /x /usr/bin/bash /init; do
		(echo x >>"$path") 2>/dev/null && echo "wrote $path after a remount"
	done
	(echo x >/out/x) || echo "cannot write /out"
	(echo x >/tmp/x) || echo "cannot write /tmp"
	exit 0' 2>&1 || true)
is "$text" "" "only /out and the tmpfs can be written, even after a remount"
is "$(find "$root" -printf '%p %s %T@\n' | sort | sha256sum)" "$before" "the root did not change"
tap_done
