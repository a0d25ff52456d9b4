#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=120
# vtpmfast's own meter: every point is verified against the PCR, in every mode.
. /tests/lib/guest.sh

vtpmfast extend --help >/dev/null 2>&1 || skip_all "vtpmfast extend is not built"
start_swtpm
set_mode "$tpm" adaptive
expect_pass "extend over three modes and two client counts" \
	vtpmfast extend --device "/dev/tpmrm${tpm#tpm}" --pcr 16 --clients 1,4 \
	--count 100 --runs 1 --modes stock,adaptive,event --json --output /out/extend.json
is "$(cat "/sys/class/tpm/$tpm/completion_mode")" adaptive "the mode found at the start is restored"
is "$(grep -c '"verified": *true' /out/extend.json || true)" 6 "six points, all verified"
is "$(grep -c '"verified": *false' /out/extend.json || true)" 0 "none unverified"
tap_done
