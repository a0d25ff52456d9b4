/* SPDX-License-Identifier: GPL-2.0 */
/* Values of a PCR, from a TPM, of one moment. */
#ifndef VTF_PCR_LIVE_H
#define VTF_PCR_LIVE_H

#include "error.h"
#include "pcr_table.h"

/**
 * pcr_live_read() - one PCR in several banks
 * @device: node for raw commands; NULL: @tcti, else /dev/tpmrm0, else /dev/tpm0
 * @tcti:   TSS2 configuration, or NULL
 * @pcr:    PCR
 * @banks:  banks; none: all that have the PCR
 * @t:      receives the values
 * @err:    VTF_EXIT_MISSING without such a TPM; VTF_EXIT_TPM if it does not
 *          answer, or if the PCR never holds still between two readings;
 *          VTF_EXIT_VERIFY if it has no such PCR in one of the banks
 *
 * An extend changes all banks together, so values are of one moment if the
 * first bank, read again after the last, has not changed.
 *
 * Return: 0, -1.
 */
int pcr_live_read(const char *device, const char *tcti, unsigned int pcr,
		  const struct pcr_banks *banks, struct pcr_table *t, struct vtf_error *err);

#endif
