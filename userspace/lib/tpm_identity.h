/* SPDX-License-Identifier: GPL-2.0 */
/* Who made a TPM, as the TPM itself says. */
#ifndef VTF_TPM_IDENTITY_H
#define VTF_TPM_IDENTITY_H

#include <stdint.h>

#include "error.h"

#define TPM_IDENTITY_TEXT_BYTES 24

/* TPM 2.0 Library, Part 2, 6.13: TPM_PT_FAMILY_INDICATOR to TPM_PT_FIRMWARE_VERSION_2. */
struct tpm_identity {
	char family[TPM_IDENTITY_TEXT_BYTES]; /* "2.0" */
	char manufacturer[TPM_IDENTITY_TEXT_BYTES]; /* "IBM" for swtpm with libtpms */
	char vendor[TPM_IDENTITY_TEXT_BYTES]; /* the four vendor strings, joined */
	uint32_t revision; /* of the specification, times 100: 164 is 1.64 */
	uint32_t firmware_version_1;
	uint32_t firmware_version_2;
};

/**
 * tpm_identity_read() - one GetCapability, with a time limit
 * @node:     "/dev/tpmrm0"
 * @limit_ms: how long to wait; a TPM that hangs would else hold the caller for the kernel's time limit,
 *            also when the file is closed, so a process of its own asks
 * @identity: receives the answer; what the TPM does not say is empty or 0
 * @err:      says why not: VTF_EXIT_MISSING if the node is not there or not allowed, VTF_EXIT_TPM if
 *            there is no answer in time, or a refusal
 *
 * Return: 0, -1 on failure.
 */
int tpm_identity_read(const char *node, int limit_ms, struct tpm_identity *identity,
		      struct vtf_error *err);

#endif
