#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=60 append=ima_tpm=late
# A late TPM whose only bank is neither SHA-1 nor IMA's default hash.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha384
expect_pass "and by hand" replay_by_hand "$tpm" sha384
tap_done
