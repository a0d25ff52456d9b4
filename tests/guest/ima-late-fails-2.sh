#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched,debug timeout=60 append=ima_tpm=late
# The extend number 2 of the bind fails: the PCR is spoilt, once, and left alone.
. /tests/lib/guest.sh
. /tests/lib/ima.sh

late_bind_fails 2
tap_done
