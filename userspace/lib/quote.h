/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A TPM quote, checked without a TPM: that the key signed it, and which PCR
 * values it is about.
 *
 * Source: TCG "TPM 2.0 Library", revision 01.59, Part 2, 10.12.8 TPMS_ATTEST,
 * 10.12.1 TPMS_QUOTE_INFO, 11.3.4 TPMT_SIGNATURE; Part 1, 18.5 (what
 * pcrDigest is made of); Part 3, 18.4 TPM2_Quote.
 */
#ifndef VTF_QUOTE_H
#define VTF_QUOTE_H

#include "error.h"
#include "pcr_table.h"

struct quote_files {
	const char *message;   /* TPMS_ATTEST as bytes: tpm2_quote -m */
	const char *signature; /* TPMT_SIGNATURE as bytes: tpm2_quote -s */
	const char *key;       /* public key, PEM */
	const char *values;    /* tpm2_quote -o with -F values or serialized; NULL: @given holds them */
	const char *nonce;     /* hex of the qualifying data; NULL: any */
};

/**
 * quote_check() - signature, form, nonce, and that the values are those quoted
 * @files: what to check
 * @given: values known from elsewhere; used if there is no files->values
 * @t:     must be empty; receives exactly the quoted values
 * @err:   VTF_EXIT_USAGE if a file cannot be read, VTF_EXIT_VERIFY if anything
 *         is not as it must be, VTF_EXIT_INTERNAL
 *
 * Signatures: RSASSA, RSAPSS, ECDSA.
 *
 * Return: 0, -1.
 */
int quote_check(const struct quote_files *files, const struct pcr_table *given,
		struct pcr_table *t, struct vtf_error *err);

#endif
