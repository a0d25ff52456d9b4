#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=120 append=ima_tpm=late
# A late TPM with four banks: IMA has hashes of its own for two of them.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha1 sha256 sha384 sha512
tap_done
