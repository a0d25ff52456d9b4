/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Banks, PCR values and what an extend does to them, in software.
 *
 * TPM 2.0 Library, Part 1, "Extend of a PCR":
 *   PCR.digest_new = H_bank(PCR.digest_old || data.digest)
 */
#ifndef VTF_PCR_H
#define VTF_PCR_H

#include <stddef.h>
#include <stdint.h>

#define PCR_MAX_DIGEST_BYTES 64
#define PCR_MAX_BANKS 8
#define PCR_NAMES_BYTES 96

/* A hash algorithm that can be a bank; TCG Algorithm Registry, TPM_ALG_ID. */
struct pcr_bank {
	uint16_t alg;
	uint16_t size; /* bytes of a digest */
	const char *name;
	const char *openssl_name;
};

/* An ordered set of banks. */
struct pcr_banks {
	unsigned int count;
	const struct pcr_bank *bank[PCR_MAX_BANKS];
};

/* NULL: not known. */
const struct pcr_bank *pcr_bank_by_name(const char *name);
const struct pcr_bank *pcr_bank_by_alg(uint16_t alg);

/**
 * pcr_banks_parse() - "sha256,sha1" or "sha256+sha1"
 *
 * Return: 0, -EINVAL for an unknown name, a duplicate or nothing at all.
 */
int pcr_banks_parse(const char *text, struct pcr_banks *banks);

/* Names joined with '+', as in results. */
void pcr_banks_names(const struct pcr_banks *banks, char text[PCR_NAMES_BYTES]);

/* True if @bank is one of @banks. */
int pcr_banks_have(const struct pcr_banks *banks, const struct pcr_bank *bank);

/**
 * pcr_hash() - digest of a buffer in the bank's algorithm
 *
 * Return: 0, -EIO if OpenSSL cannot do it.
 */
int pcr_hash(const struct pcr_bank *bank, const void *data, size_t len,
	     uint8_t digest[PCR_MAX_DIGEST_BYTES]);

/**
 * pcr_replay() - what a PCR holds after @count extends with the same digest
 * @bank:   bank
 * @value:  value before, replaced by the value after
 * @digest: bank->size bytes
 * @count:  number of extends
 *
 * Return: 0, -EIO if OpenSSL cannot do it.
 */
int pcr_replay(const struct pcr_bank *bank, uint8_t value[PCR_MAX_DIGEST_BYTES],
	       const uint8_t digest[PCR_MAX_DIGEST_BYTES], uint64_t count);

#endif
