// SPDX-License-Identifier: GPL-2.0
#include "sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>

int sha256_hex(const void *data, size_t len, char hex[SHA256_HEX_BYTES])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int size;

	if (!EVP_Digest(data, len, digest, &size, EVP_sha256(), NULL) || size != 32)
		return -EIO;
	for (unsigned int i = 0; i < size; i++)
		snprintf(hex + 2UL * i, 3, "%02x", digest[i]);
	return 0;
}
