/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TPM 2.0 commands as bytes, and sending them over a file descriptor.
 *
 * Sources: TCG "TPM 2.0 Library", revision 01.59. Part 1, 18 (command and
 * response structure, authorisation area); Part 2, 6 (constants), 10
 * (structures); Part 3 for each command, as cited. All numbers are big-endian.
 */
#ifndef VTF_TPM_RAW_H
#define VTF_TPM_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pcr.h"

#define TPM_MAX_BYTES 4096 /* TPM_BUFSIZE of the Linux driver */
#define TPM_HEADER_BYTES 10
/* libtpms counts the digests of one PCR_Extend over all banks: HASH_COUNT is 4 there. */
#define TPM_MAX_DIGESTS 16

/* Part 2, 6.6.3: response codes that callers look at. */
#define TPM_RC_INITIALIZE 0x100U
#define TPM_RC_TESTING 0x90AU
#define TPM_RC_RETRY 0x922U

struct tpm_command {
	size_t len;
	uint8_t bytes[TPM_MAX_BYTES];
};

/* One entry of TPML_DIGEST_VALUES; a bank may be named more than once. */
struct tpm_digest {
	const struct pcr_bank *bank;
	uint8_t bytes[PCR_MAX_DIGEST_BYTES];
};

/* Part 3, 9.3 TPM2_Startup(TPM_SU_CLEAR). */
void tpm_encode_startup(struct tpm_command *cmd);

/* Part 3, 22.2 TPM2_PCR_Extend with the empty password; @count is 1..TPM_MAX_DIGESTS. */
void tpm_encode_pcr_extend(struct tpm_command *cmd, unsigned int pcr,
			   const struct tpm_digest *digests, unsigned int count);

/* Part 3, 22.4 TPM2_PCR_Read of one PCR (0..23) in one bank. */
void tpm_encode_pcr_read(struct tpm_command *cmd, unsigned int pcr, const struct pcr_bank *bank);

/* Part 3, 30.2 TPM2_GetCapability; @capability and @property from Part 2, 6.12 and 6.13. */
void tpm_encode_get_capability(struct tpm_command *cmd, uint32_t capability, uint32_t property,
			       uint32_t count);

/* Part 3, 30.2 and Part 2, 6.12: TPM_CAP_PCRS, the allocation of PCRs to banks. */
void tpm_encode_get_banks(struct tpm_command *cmd);

/* Part 3, 29.1 TPM2_ReadClock. */
void tpm_encode_read_clock(struct tpm_command *cmd);

/**
 * tpm_response_code() - responseCode of a response
 * @len: bytes at @response
 *
 * Return: the TPM_RC (0: success), -EPROTO if it is no well-formed response.
 */
int64_t tpm_response_code(const uint8_t *response, size_t len);

/**
 * tpm_decode_pcr_read() - PCR value from a TPM2_PCR_Read response
 * @value:  receives bank->size bytes
 * @update: receives the PCR update counter; may be NULL
 *
 * Return: 0, -ENODATA if the TPM has no such PCR in that bank, -EPROTO.
 */
int tpm_decode_pcr_read(const uint8_t *response, size_t len, const struct pcr_bank *bank,
			uint8_t value[PCR_MAX_DIGEST_BYTES], uint32_t *update);

/**
 * tpm_decode_banks() - banks that hold a PCR, from a tpm_encode_get_banks() response
 *
 * Banks that this program has no name for are left out.
 *
 * Return: 0, -EPROTO.
 */
int tpm_decode_banks(const uint8_t *response, size_t len, unsigned int pcr,
		     struct pcr_banks *banks);

/**
 * tpm_fd_transmit() - send a command and wait for its response
 * @fd:       /dev/tpmN, /dev/tpmrmN or a stream socket with a TPM behind it
 * @cmd:      command
 * @response: buffer
 * @size:     bytes at @response
 *
 * Return: length of the response, negative errno (-EPIPE at end of file). After
 * an error it is not known whether the TPM carried the command out.
 */
ssize_t tpm_fd_transmit(int fd, const struct tpm_command *cmd, uint8_t *response, size_t size);

#endif
