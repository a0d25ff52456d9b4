#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=60 append=ima_tpm=late+ima_template=ima+ima_hash=sha1
# The first template, which has no room for another digest than SHA-1.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha1 sha256
tap_done
