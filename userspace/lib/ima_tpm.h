/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What IMA says about its TPM: securityfs `ima/tpm`, in `name value` lines. Only
 * a kernel with the series has it. The lines are in docs/abi.md.
 */
#ifndef VTF_IMA_TPM_H
#define VTF_IMA_TPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sysfs.h"

#define IMA_TPM_STATE_BYTES 16

/* Numbers of one value; counted since boot, but for the last two. */
enum ima_tpm_counter {
	IMA_TPM_EXTENDS,
	IMA_TPM_LOST,
	IMA_TPM_REFUSED,   /* of those that are lost */
	IMA_TPM_RECOVERED, /* of those that are not: shown by the PCR, or sent once more */
	IMA_TPM_EXEMPT,
	IMA_TPM_COMMANDS,
	IMA_TPM_BATCHES,
	IMA_TPM_LARGEST_BATCH,
	IMA_TPM_LEAD,	    /* a gauge: measurements whose extend is under way now */
	IMA_TPM_FIRST_LOST, /* a place in the list, from 1; absent while nothing is lost */
	IMA_TPM_COUNTERS,
};

/* Lines of many values, each since boot. */
enum ima_tpm_series {
	IMA_TPM_BATCH_SIZES, /* number i: batches of i + 1 measurements */
	IMA_TPM_WAIT_LOG2,   /* number k: measurements that waited less than 2^k us, at least half of it */
	IMA_TPM_SERIES,
};

#define IMA_TPM_BATCH_MAX 16
#define IMA_TPM_WAIT_BUCKETS 24
#define IMA_TPM_SERIES_MAX 24 /* the larger of the two */

struct ima_tpm {
	char state[IMA_TPM_STATE_BYTES]; /* "boot", "late", "waiting", "failed", "bypass" */
	char chip[SYSFS_CHIP_BYTES];	 /* "tpm0"; empty: bound to none */
	uint64_t counter[IMA_TPM_COUNTERS];
	bool have[IMA_TPM_COUNTERS]; /* an older kernel says less */
	uint64_t series[IMA_TPM_SERIES][IMA_TPM_SERIES_MAX];
	bool have_series[IMA_TPM_SERIES];
};

/* Their names in the file, and in the output of `vtpmfast probe`. */
const char *ima_tpm_counter_name(enum ima_tpm_counter counter);
const char *ima_tpm_series_name(enum ima_tpm_series series);
/* How many values the line has. */
unsigned int ima_tpm_series_length(enum ima_tpm_series series);

/*
 * A line that is not as documented counts as absent: half a histogram would be a wrong one.
 *
 * Return: 0, negative errno (-ENOENT: this kernel has no such file, or securityfs is not mounted).
 */
int ima_tpm_read(struct ima_tpm *tpm);

#endif
