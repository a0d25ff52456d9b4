#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: kernel=patched timeout=120 append=ima_tpm=late+ima_template_fmt=n-ng|d-ngv2|imode|iuid|igid|xattrnames|xattrlengths|xattrvalues|sig|evmsig|buf|modsig|d-modsig
# verify on a list of a format of one's own, with the fields in an order of their own.
. /tests/lib/guest.sh
. /tests/lib/verify-guest.sh

format='n-ng|d-ngv2|imode|iuid|igid|xattrnames|xattrlengths|xattrvalues|sig|evmsig|buf|modsig|d-modsig'
check_template "$format"
tap_done
