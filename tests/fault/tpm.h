/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_TPM_H
#define FAULT_TPM_H

#include <stddef.h>
#include <stdint.h>

/*
 * One TPM 2.0 in this process: libtpms with its NVRAM in memory. Every start is
 * a TPM fresh from the factory. Not for more than one thread.
 */

enum { TPM_BUFFER_BYTES = 4096 };

/*
 * Makes the TPM, with the PCR banks in @banks active (`sha256`, `sha1,sha256`),
 * powered on but not started up. Returns 0, -EINVAL for an unknown bank, -EIO.
 */
int tpm_make(const char *banks);

/*
 * Starts the TPM up and tests it, so that whoever does the same later finds it
 * done: the test is most of the time that a kernel needs for a new chip.
 * Returns 0 or -EIO.
 */
int tpm_start_up(void);

/*
 * Executes one command.
 * @response: receives at most TPM_BUFFER_BYTES
 * Returns the response's size in bytes, or -EIO.
 */
int tpm_execute(const uint8_t *command, size_t command_bytes, uint8_t *response);

void tpm_set_locality(uint8_t locality);

static inline uint32_t be32_read(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
	       p[3];
}

static inline void be32_write(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 24);
	p[1] = (uint8_t)(value >> 16);
	p[2] = (uint8_t)(value >> 8);
	p[3] = (uint8_t)value;
}

/* A response of nothing but a header, as every error is (part 1, 18.1) */
enum { TPM_HEADER_BYTES = 10 };
size_t tpm_bare_response(uint8_t *response, uint32_t rc);

#endif
