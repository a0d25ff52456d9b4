/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a PCR in all banks, with the TPM's counter of PCR updates. A process of
 * its own talks to the TPM, so that a TPM that hangs costs a time limit and not
 * the program.
 */
#ifndef VTF_TPM_WATCH_H
#define VTF_TPM_WATCH_H

#include "lib/error.h"
#include "lib/pcr.h"

struct tpm_watch;

struct tpm_reading {
	uint8_t value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES]; /* in the order of tpm_watch_banks() */
	/*
	 * TPM 2.0 Library, Part 3, 22.4: pcrUpdateCounter. It counts every change
	 * of a PCR in every bank, whoever causes it, but for the PCRs that the
	 * platform leaves out (16 and 23), and wraps at 2^32.
	 */
	uint32_t updates;
};

/**
 * tpm_watch_start() - start watching
 * @node:    "/dev/tpmrm0"
 * @pcr:     0..23
 * @limit_s: longest wait for an answer
 * @err:     VTF_EXIT_MISSING if the node is not there or not allowed, VTF_EXIT_TPM
 *           if the TPM does not answer or has the PCR in no bank
 *
 * Return: the watch, NULL on failure.
 */
struct tpm_watch *tpm_watch_start(const char *node, unsigned int pcr, double limit_s,
				  struct vtf_error *err);
/* NULL is fine. */
void tpm_watch_end(struct tpm_watch *w);

/* Banks that have the PCR. */
const struct pcr_banks *tpm_watch_banks(const struct tpm_watch *w);

/**
 * tpm_watch_read() - all banks, as they were at one moment
 *
 * Return: 0, -1 with @err set: VTF_EXIT_TPM, VTF_EXIT_INCOMPLETE after a signal.
 */
int tpm_watch_read(struct tpm_watch *w, struct tpm_reading *reading, struct vtf_error *err);

#endif
