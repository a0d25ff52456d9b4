#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=60 append=ima_tpm=late
# A late TPM with two banks, of which IMA's own list knows both.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha1 sha256
tap_done
