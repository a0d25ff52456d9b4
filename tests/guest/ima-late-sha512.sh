#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=60 append=ima_tpm=late+ima_hash=sha512+ima_template=ima-sig
# IMA's hash is not among the banks of the late TPM.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind sha256
tap_done
