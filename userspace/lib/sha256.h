/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_SHA256_H
#define VTF_SHA256_H

#include <stddef.h>

#define SHA256_HEX_BYTES 65

/**
 * sha256_hex() - digest of a buffer as lower-case hex
 *
 * Return: 0, -EIO if OpenSSL fails.
 */
int sha256_hex(const void *data, size_t len, char hex[SHA256_HEX_BYTES]);

#endif
