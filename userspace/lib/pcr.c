// SPDX-License-Identifier: GPL-2.0
#include "pcr.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

static const struct pcr_bank known[] = {
	{ 0x0004, 20, "sha1", "SHA1" },	      { 0x000B, 32, "sha256", "SHA256" },
	{ 0x000C, 48, "sha384", "SHA384" },   { 0x000D, 64, "sha512", "SHA512" },
	{ 0x0012, 32, "sm3_256", "SM3" },     { 0x0027, 32, "sha3_256", "SHA3-256" },
	{ 0x0028, 48, "sha3_384", "SHA3-384" }, { 0x0029, 64, "sha3_512", "SHA3-512" },
};

#define KNOWN_COUNT (sizeof(known) / sizeof(known[0]))

const struct pcr_bank *pcr_bank_by_name(const char *name)
{
	for (size_t i = 0; i < KNOWN_COUNT; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

const struct pcr_bank *pcr_bank_by_alg(uint16_t alg)
{
	for (size_t i = 0; i < KNOWN_COUNT; i++)
		if (known[i].alg == alg)
			return &known[i];
	return NULL;
}

int pcr_banks_have(const struct pcr_banks *banks, const struct pcr_bank *bank)
{
	for (unsigned int i = 0; i < banks->count; i++)
		if (banks->bank[i] == bank)
			return 1;
	return 0;
}

int pcr_banks_parse(const char *text, struct pcr_banks *banks)
{
	banks->count = 0;
	for (;;) {
		size_t len = strcspn(text, ",+");
		const struct pcr_bank *bank;
		char name[16];

		if (!len || len >= sizeof(name) || banks->count == PCR_MAX_BANKS)
			return -EINVAL;
		memcpy(name, text, len);
		name[len] = '\0';
		bank = pcr_bank_by_name(name);
		if (!bank || pcr_banks_have(banks, bank))
			return -EINVAL;
		banks->bank[banks->count++] = bank;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

void pcr_banks_names(const struct pcr_banks *banks, char text[PCR_NAMES_BYTES])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < banks->count; i++)
		used += (size_t)snprintf(text + used, PCR_NAMES_BYTES - used, "%s%s", i ? "+" : "",
					 banks->bank[i]->name);
}

int pcr_hash(const struct pcr_bank *bank, const void *data, size_t len,
	     uint8_t digest[PCR_MAX_DIGEST_BYTES])
{
	const EVP_MD *md = EVP_get_digestbyname(bank->openssl_name);

	if (!md || !EVP_Digest(data, len, digest, NULL, md, NULL))
		return -EIO;
	return 0;
}

int pcr_replay(const struct pcr_bank *bank, uint8_t value[PCR_MAX_DIGEST_BYTES],
	       const uint8_t digest[PCR_MAX_DIGEST_BYTES], uint64_t count)
{
	/* fetched once: looking the algorithm up costs more than hashing 64 bytes */
	EVP_MD *md = EVP_MD_fetch(NULL, bank->openssl_name, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	int rc = md && ctx ? 0 : -EIO;

	for (uint64_t i = 0; !rc && i < count; i++)
		if (!EVP_DigestInit_ex2(ctx, md, NULL) ||
		    !EVP_DigestUpdate(ctx, value, bank->size) ||
		    !EVP_DigestUpdate(ctx, digest, bank->size) ||
		    !EVP_DigestFinal_ex(ctx, value, NULL))
			rc = -EIO;
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
	return rc;
}
