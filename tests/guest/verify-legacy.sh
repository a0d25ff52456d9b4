#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=120 append=ima_tpm=late+ima_template=ima+ima_hash=sha1
# verify on a list of the template "ima", which has no lengths and a hash of its own.
. /tests/lib/guest.sh
. /tests/lib/verify-guest.sh

check_template ima
tap_done
