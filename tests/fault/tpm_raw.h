/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_TPM_RAW_H
#define FAULT_TPM_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * TPM 2.0 commands to /dev/tpmN and /dev/tpmrmN with nothing in between, for
 * tests that need to see every errno. Formats: TPM 2.0 library specification,
 * part 3. Only the sha256 bank.
 */

enum { RAW_BYTES_MAX = 4096, RAW_HEADER_BYTES = 10, SHA256_BYTES = 32 };

struct raw_command {
	size_t bytes;
	uint8_t data[RAW_BYTES_MAX];
};

void raw_extend(struct raw_command *cmd, unsigned int pcr,
		const uint8_t digest[SHA256_BYTES]);
void raw_pcr_read(struct raw_command *cmd, unsigned int pcr);
void raw_get_capability(struct raw_command *cmd);
void raw_get_random(struct raw_command *cmd);
void raw_self_test(struct raw_command *cmd);

/* How a command ended. @err: 0 or a negative errno; @rc: the TPM's own word */
struct raw_result {
	int err;
	uint32_t rc;
	size_t bytes;
	uint8_t data[RAW_BYTES_MAX];
	uint64_t write_us;
	uint64_t poll_us;
	uint64_t total_us;
};

/*
 * Writes @cmd and reads its answer, on a blocking or a non-blocking @fd; there
 * it polls for at most @poll_limit_ms. Never reopens anything.
 */
void raw_transact(int fd, const struct raw_command *cmd, int poll_limit_ms,
		  struct raw_result *result);

/* Polls for the answer. Returns 0, -ETIMEDOUT, or poll()'s negative errno. */
int raw_wait_readable(int fd, int limit_ms);

/* The value in the answer to PCR_Read; false if there is none */
bool raw_pcr_value(const struct raw_result *result, uint8_t value[SHA256_BYTES]);

/* @value becomes what the TPM makes of an extend by @digest */
void pcr_replay(uint8_t value[SHA256_BYTES], const uint8_t digest[SHA256_BYTES]);

uint64_t raw_now_us(void);

#endif
