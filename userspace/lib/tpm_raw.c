// SPDX-License-Identifier: GPL-2.0
#include "tpm_raw.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TPM_ST_NO_SESSIONS 0x8001U /* Part 2, 6.9 */
#define TPM_ST_SESSIONS 0x8002U
#define TPM_CC_STARTUP 0x144U /* Part 2, 6.5.2 */
#define TPM_CC_GET_CAPABILITY 0x17AU
#define TPM_CC_PCR_READ 0x17EU
#define TPM_CC_READ_CLOCK 0x181U
#define TPM_CC_PCR_EXTEND 0x182U
#define TPM_RS_PW 0x40000009U /* Part 2, 7.4 */
#define TPM_CAP_PCRS 5U	      /* Part 2, 6.12 */
#define PCR_SELECT_BYTES 3U   /* Part 2, 10.6.1: 24 PCRs */

static void put(struct tpm_command *cmd, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		cmd->bytes[cmd->len++] = (uint8_t)(value >> (8 * bytes));
}

static void begin(struct tpm_command *cmd, uint32_t tag, uint32_t code)
{
	cmd->len = 0;
	put(cmd, tag, 2);
	put(cmd, 0, 4); /* commandSize: end() knows */
	put(cmd, code, 4);
}

static void end(struct tpm_command *cmd)
{
	size_t len = cmd->len;

	cmd->len = 2;
	put(cmd, len, 4);
	cmd->len = len;
}

void tpm_encode_startup(struct tpm_command *cmd)
{
	begin(cmd, TPM_ST_NO_SESSIONS, TPM_CC_STARTUP);
	put(cmd, 0, 2); /* TPM_SU_CLEAR */
	end(cmd);
}

void tpm_encode_pcr_extend(struct tpm_command *cmd, unsigned int pcr,
			   const struct tpm_digest *digests, unsigned int count)
{
	begin(cmd, TPM_ST_SESSIONS, TPM_CC_PCR_EXTEND);
	put(cmd, pcr, 4); /* pcrHandle; a PCR's handle is its number */
	put(cmd, 9, 4);	  /* authorizationSize: one TPMS_AUTH_COMMAND (Part 2, 10.13.2) */
	put(cmd, TPM_RS_PW, 4);
	put(cmd, 0, 2); /* nonce */
	put(cmd, 0, 1); /* sessionAttributes */
	put(cmd, 0, 2); /* hmac: the empty password */
	put(cmd, count, 4);
	for (unsigned int i = 0; i < count; i++) {
		put(cmd, digests[i].bank->alg, 2);
		memcpy(cmd->bytes + cmd->len, digests[i].bytes, digests[i].bank->size);
		cmd->len += digests[i].bank->size;
	}
	end(cmd);
}

void tpm_encode_pcr_read(struct tpm_command *cmd, unsigned int pcr, const struct pcr_bank *bank)
{
	begin(cmd, TPM_ST_NO_SESSIONS, TPM_CC_PCR_READ);
	put(cmd, 1, 4); /* TPML_PCR_SELECTION.count */
	put(cmd, bank->alg, 2);
	put(cmd, PCR_SELECT_BYTES, 1);
	for (unsigned int i = 0; i < PCR_SELECT_BYTES; i++)
		put(cmd, pcr / 8 == i ? 1U << (pcr % 8) : 0, 1);
	end(cmd);
}

void tpm_encode_get_capability(struct tpm_command *cmd, uint32_t capability, uint32_t property,
			       uint32_t count)
{
	begin(cmd, TPM_ST_NO_SESSIONS, TPM_CC_GET_CAPABILITY);
	put(cmd, capability, 4);
	put(cmd, property, 4);
	put(cmd, count, 4);
	end(cmd);
}

void tpm_encode_get_banks(struct tpm_command *cmd)
{
	tpm_encode_get_capability(cmd, TPM_CAP_PCRS, 0, 1);
}

void tpm_encode_read_clock(struct tpm_command *cmd)
{
	begin(cmd, TPM_ST_NO_SESSIONS, TPM_CC_READ_CLOCK);
	end(cmd);
}

/* Reads big-endian numbers and never past the end; `bad` sticks. */
struct reader {
	const uint8_t *at;
	size_t left;
	int bad;
};

static uint32_t get(struct reader *r, unsigned int bytes)
{
	uint32_t value = 0;

	if (r->bad || r->left < bytes) {
		r->bad = 1;
		return 0;
	}
	r->left -= bytes;
	while (bytes--)
		value = value << 8 | *r->at++;
	return value;
}

int64_t tpm_response_code(const uint8_t *response, size_t len)
{
	struct reader r = { .at = response, .left = len };
	uint32_t tag = get(&r, 2);
	uint32_t size = get(&r, 4);
	uint32_t code = get(&r, 4);

	/* a TPM 1.2 answers TPM 2.0 commands with tag 0xC4 */
	if (r.bad || size != len || (tag != TPM_ST_NO_SESSIONS && tag != TPM_ST_SESSIONS))
		return -EPROTO;
	return code;
}

static int begin_response(struct reader *r, const uint8_t *response, size_t len)
{
	if (tpm_response_code(response, len) != 0)
		return -EPROTO;
	r->at = response + TPM_HEADER_BYTES;
	r->left = len - TPM_HEADER_BYTES;
	r->bad = 0;
	return 0;
}

/* TPMS_PCR_SELECTION (Part 2, 10.6.2). Return: whether @pcr is selected. */
static int get_selection(struct reader *r, unsigned int pcr, uint32_t *alg)
{
	uint32_t bytes;
	int selected = 0;

	*alg = get(r, 2);
	bytes = get(r, 1);
	for (unsigned int i = 0; i < bytes; i++) {
		uint32_t bits = get(r, 1);

		if (i == pcr / 8)
			selected = (int)(bits >> (pcr % 8) & 1U);
	}
	return selected;
}

int tpm_decode_pcr_read(const uint8_t *response, size_t len, const struct pcr_bank *bank,
			uint8_t value[PCR_MAX_DIGEST_BYTES], uint32_t *update)
{
	uint32_t counter, selections, alg, digests, size;
	struct reader r;

	if (begin_response(&r, response, len))
		return -EPROTO;
	counter = get(&r, 4);
	selections = get(&r, 4);
	for (uint32_t i = 0; i < selections && !r.bad; i++)
		get_selection(&r, 0, &alg);
	digests = get(&r, 4);
	if (r.bad)
		return -EPROTO;
	/* Part 3, 22.4: a PCR that is not there is left out of the answer */
	if (!digests)
		return -ENODATA;
	size = get(&r, 2);
	if (r.bad || size != bank->size || r.left < size)
		return -EPROTO;
	memcpy(value, r.at, size);
	if (update)
		*update = counter;
	return 0;
}

int tpm_decode_banks(const uint8_t *response, size_t len, unsigned int pcr,
		     struct pcr_banks *banks)
{
	uint32_t capability, count;
	struct reader r;

	banks->count = 0;
	if (begin_response(&r, response, len))
		return -EPROTO;
	get(&r, 1); /* moreData */
	capability = get(&r, 4);
	count = get(&r, 4);
	if (r.bad || capability != TPM_CAP_PCRS)
		return -EPROTO;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t alg;
		int selected = get_selection(&r, pcr, &alg);
		const struct pcr_bank *bank = pcr_bank_by_alg((uint16_t)alg);

		if (r.bad)
			return -EPROTO;
		if (selected && bank && banks->count < PCR_MAX_BANKS)
			banks->bank[banks->count++] = bank;
	}
	return 0;
}

static int write_command(int fd, const struct tpm_command *cmd)
{
	size_t done = 0;

	while (done < cmd->len) {
		ssize_t n = write(fd, cmd->bytes + done, cmd->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

/* commandSize/responseSize of a header. */
static size_t response_size(const uint8_t *response)
{
	return (size_t)response[2] << 24 | (size_t)response[3] << 16 | (size_t)response[4] << 8 |
	       response[5];
}

ssize_t tpm_fd_transmit(int fd, const struct tpm_command *cmd, uint8_t *response, size_t size)
{
	size_t done = 0, want = TPM_HEADER_BYTES;
	int rc = write_command(fd, cmd);

	if (rc)
		return rc;
	/* the driver gives the whole response in one read, a stream may cut it */
	while (done < want) {
		ssize_t n = read(fd, response + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPIPE;
		done += (size_t)n;
		if (done >= TPM_HEADER_BYTES)
			want = response_size(response);
		if (want < TPM_HEADER_BYTES || want > size)
			return -EPROTO;
	}
	return (ssize_t)done;
}
