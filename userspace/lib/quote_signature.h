/* SPDX-License-Identifier: GPL-2.0 */
/* The signature of a quote; only for quote.c. */
#ifndef VTF_QUOTE_SIGNATURE_H
#define VTF_QUOTE_SIGNATURE_H

#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>
#include <tss2/tss2_tpm2_types.h>

#include "pcr.h"

/**
 * quote_signature_check() - whether a key made a signature
 * @s:       RSASSA, RSAPSS or ECDSA
 * @key:     public key
 * @message: what was signed, @len bytes
 * @hash:    receives the scheme's hash, which is that of pcrDigest too
 *
 * Return: NULL if it did, else a static text: why not.
 */
const char *quote_signature_check(const TPMT_SIGNATURE *s, EVP_PKEY *key, const uint8_t *message,
				  size_t len, const struct pcr_bank **hash);

#endif
