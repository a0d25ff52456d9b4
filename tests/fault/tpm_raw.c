// SPDX-License-Identifier: GPL-2.0
#include "tpm_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TPM_ST_NO_SESSIONS = 0x8001,
	TPM_ST_SESSIONS = 0x8002,
	TPM_ALG_SHA256 = 0x000b,
};

uint64_t raw_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void add(struct raw_command *cmd, const void *data, size_t bytes)
{
	memcpy(cmd->data + cmd->bytes, data, bytes);
	cmd->bytes += bytes;
}

static void add_u16(struct raw_command *cmd, uint16_t value)
{
	const uint8_t bytes[] = { (uint8_t)(value >> 8), (uint8_t)value };

	add(cmd, bytes, sizeof(bytes));
}

static void add_u32(struct raw_command *cmd, uint32_t value)
{
	add_u16(cmd, (uint16_t)(value >> 16));
	add_u16(cmd, (uint16_t)value);
}

static void begin(struct raw_command *cmd, uint16_t tag, uint32_t code)
{
	cmd->bytes = 0;
	add_u16(cmd, tag);
	add_u32(cmd, 0);
	add_u32(cmd, code);
}

static void end(struct raw_command *cmd)
{
	cmd->data[4] = (uint8_t)(cmd->bytes >> 8);
	cmd->data[5] = (uint8_t)cmd->bytes;
}

void raw_extend(struct raw_command *cmd, unsigned int pcr,
		const uint8_t digest[SHA256_BYTES])
{
	/* an authorisation area of nothing but the empty password */
	static const uint8_t password[] = { 0, 0, 0, 9, 0x40, 0, 0, 9,
					    0, 0, 0, 0, 0 };

	begin(cmd, TPM_ST_SESSIONS, 0x182);
	add_u32(cmd, pcr);
	add(cmd, password, sizeof(password));
	add_u32(cmd, 1);
	add_u16(cmd, TPM_ALG_SHA256);
	add(cmd, digest, SHA256_BYTES);
	end(cmd);
}

void raw_pcr_read(struct raw_command *cmd, unsigned int pcr)
{
	uint8_t select[] = { 3, 0, 0, 0 };

	select[1 + pcr / 8] = (uint8_t)(1u << pcr % 8);
	begin(cmd, TPM_ST_NO_SESSIONS, 0x17e);
	add_u32(cmd, 1);
	add_u16(cmd, TPM_ALG_SHA256);
	add(cmd, select, sizeof(select));
	end(cmd);
}

void raw_get_capability(struct raw_command *cmd)
{
	begin(cmd, TPM_ST_NO_SESSIONS, 0x17a);
	add_u32(cmd, 6); /* TPM_CAP_TPM_PROPERTIES */
	add_u32(cmd, 0x105); /* TPM_PT_MANUFACTURER */
	add_u32(cmd, 1);
	end(cmd);
}

void raw_get_random(struct raw_command *cmd)
{
	begin(cmd, TPM_ST_NO_SESSIONS, 0x17b);
	add_u16(cmd, 16);
	end(cmd);
}

void raw_self_test(struct raw_command *cmd)
{
	static const uint8_t full = 1;

	begin(cmd, TPM_ST_NO_SESSIONS, 0x143);
	add(cmd, &full, sizeof(full));
	end(cmd);
}

int raw_wait_readable(int fd, int limit_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n = poll(&pfd, 1, limit_ms);

	if (n < 0)
		return -errno;
	if (!n)
		return -ETIMEDOUT;
	return pfd.revents & POLLIN ? 0 : -EIO;
}

void raw_transact(int fd, const struct raw_command *cmd, int poll_limit_ms,
		  struct raw_result *result)
{
	uint64_t start_us = raw_now_us();
	ssize_t size;

	memset(result, 0, sizeof(*result));
	size = write(fd, cmd->data, cmd->bytes);
	result->write_us = raw_now_us() - start_us;
	if (size < 0) {
		result->err = -errno;
		goto out;
	}
	if (fcntl(fd, F_GETFL) & O_NONBLOCK) {
		result->err = raw_wait_readable(fd, poll_limit_ms);
		result->poll_us = raw_now_us() - start_us - result->write_us;
		if (result->err)
			goto out;
	}
	size = read(fd, result->data, sizeof(result->data));
	if (size < 0) {
		result->err = -errno;
		goto out;
	}
	result->bytes = (size_t)size;
	if (size < RAW_HEADER_BYTES) {
		result->err = -EBADMSG;
		goto out;
	}
	for (int i = 6; i < RAW_HEADER_BYTES; i++)
		result->rc = result->rc << 8 | result->data[i];
out:
	result->total_us = raw_now_us() - start_us;
}

bool raw_pcr_value(const struct raw_result *result, uint8_t value[SHA256_BYTES])
{
	/* header, update counter, one selection, a list of one sized digest */
	enum { AT = RAW_HEADER_BYTES + 4 + 4 + 6 + 4 + 2 };

	if (result->err || result->rc || result->bytes != AT + SHA256_BYTES)
		return false;
	memcpy(value, result->data + AT, SHA256_BYTES);
	return true;
}

void pcr_replay(uint8_t value[SHA256_BYTES], const uint8_t digest[SHA256_BYTES])
{
	uint8_t both[2 * SHA256_BYTES];

	memcpy(both, value, SHA256_BYTES);
	memcpy(both + SHA256_BYTES, digest, SHA256_BYTES);
	SHA256(both, sizeof(both), value);
}
