/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What IMA says about its TPM: securityfs `ima/tpm`, in `name value` lines. Only
 * a kernel with the series has it. The lines are in docs/abi.md.
 */
#ifndef VTF_IMA_TPM_H
#define VTF_IMA_TPM_H

#include <stddef.h>
#include <stdint.h>

#include "sysfs.h"

#define IMA_TPM_STATE_BYTES 16

/* In the order of their names below; since boot. */
enum ima_tpm_counter {
	IMA_TPM_EXTENDS,
	IMA_TPM_LOST,
	IMA_TPM_EXEMPT,
	IMA_TPM_COMMANDS,
	IMA_TPM_BATCHES,
	IMA_TPM_LARGEST_BATCH,
	IMA_TPM_COUNTERS,
};

struct ima_tpm {
	char state[IMA_TPM_STATE_BYTES]; /* "boot", "late", "waiting", "failed", "bypass" */
	char chip[SYSFS_CHIP_BYTES];	 /* "tpm0"; empty: bound to none */
	uint64_t counter[IMA_TPM_COUNTERS];
	bool have[IMA_TPM_COUNTERS]; /* an older series says less */
};

/* The name of a counter in the file, and in the output of `vtpmfast probe`. */
const char *ima_tpm_counter_name(enum ima_tpm_counter counter);

/* Return: 0, negative errno (-ENOENT: this kernel has no such file, or securityfs is not mounted). */
int ima_tpm_read(struct ima_tpm *tpm);

#endif
