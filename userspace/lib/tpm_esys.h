/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PCR extends through TSS2: TCG "TSS 2.0 Enhanced System API (ESAPI)", version
 * 1.00, on whatever TCTI Tss2_TctiLdr_Initialize() finds.
 *
 * One context per client. tss2's own messages on stderr are off unless
 * TSS2_LOG is set, since every failure is reported here.
 */
#ifndef VTF_TPM_ESYS_H
#define VTF_TPM_ESYS_H

#include "error.h"
#include "pcr.h"
#include "tpm_raw.h"

struct tpm_esys;

/**
 * tpm_esys_open() - connect
 * @conf: "device:/dev/tpmrm0", "swtpm:host=localhost,port=2321", "swtpm:path=SOCKET", ...
 * @err:  VTF_EXIT_MISSING if there is no such TCTI or device, VTF_EXIT_TPM if nobody answers
 *
 * Return: the context, NULL on failure.
 */
struct tpm_esys *tpm_esys_open(const char *conf, struct vtf_error *err);

/* Finalises the context, then its TCTI; NULL is fine. */
void tpm_esys_close(struct tpm_esys *t);

/* Banks that have @pcr: 0, negative; @err says why. */
int tpm_esys_banks(struct tpm_esys *t, unsigned int pcr, struct pcr_banks *banks,
		   struct vtf_error *err);

/* Sets what tpm_esys_extend() extends: 0, -EINVAL. */
int tpm_esys_prepare(struct tpm_esys *t, unsigned int pcr, const struct tpm_digest *digests,
		     unsigned int count);

/* One extend: 0; > 0 TPM_RC, nothing was extended; -EIO, not known. */
int tpm_esys_extend(struct tpm_esys *t);

/* Value of a PCR: 0, negative; @err says why. */
int tpm_esys_pcr_read(struct tpm_esys *t, unsigned int pcr, const struct pcr_bank *bank,
		      uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err);

#endif
