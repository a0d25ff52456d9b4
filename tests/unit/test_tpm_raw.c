// SPDX-License-Identifier: GPL-2.0
/* Commands against bytes written down from the specification, and answers good and bad. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/tpm_raw.h"

static struct tpm_command cmd;

#define ASSERT_BYTES(...)                                                                          \
	do {                                                                                       \
		static const uint8_t expected[] = { __VA_ARGS__ };                                 \
		assert_int_equal(cmd.len, sizeof(expected));                                       \
		assert_memory_equal(cmd.bytes, expected, sizeof(expected));                        \
	} while (0)

static void startup(void **state)
{
	(void)state;
	tpm_encode_startup(&cmd);
	ASSERT_BYTES(0x80, 0x01, 0, 0, 0, 0x0c, 0, 0, 0x01, 0x44, 0, 0);
}

static void read_clock(void **state)
{
	(void)state;
	tpm_encode_read_clock(&cmd);
	ASSERT_BYTES(0x80, 0x01, 0, 0, 0, 0x0a, 0, 0, 0x01, 0x81);
}

static void get_capability(void **state)
{
	(void)state;
	/* manufacturer: TPM_CAP_TPM_PROPERTIES, TPM_PT_MANUFACTURER, one value */
	tpm_encode_get_capability(&cmd, 6, 0x105, 1);
	ASSERT_BYTES(0x80, 0x01, 0, 0, 0, 0x16, 0, 0, 0x01, 0x7a, 0, 0, 0, 6, 0, 0, 0x01, 0x05, 0,
		     0, 0, 1);
}

static void pcr_read(void **state)
{
	(void)state;
	tpm_encode_pcr_read(&cmd, 16, pcr_bank_by_name("sha256"));
	ASSERT_BYTES(0x80, 0x01, 0, 0, 0, 0x14, 0, 0, 0x01, 0x7e, 0, 0, 0, 1, 0, 0x0b, 3, 0, 0, 1);
	tpm_encode_pcr_read(&cmd, 23, pcr_bank_by_name("sha1"));
	ASSERT_BYTES(0x80, 0x01, 0, 0, 0, 0x14, 0, 0, 0x01, 0x7e, 0, 0, 0, 1, 0, 4, 3, 0, 0, 0x80);
}

static void pcr_extend(void **state)
{
	struct tpm_digest d = { .bank = pcr_bank_by_name("sha1") };

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		d.bytes[i] = (uint8_t)i;
	tpm_encode_pcr_extend(&cmd, 10, &d, 1);
	ASSERT_BYTES(0x80, 0x02, 0, 0, 0, 0x35,		     /* sessions, 53 bytes */
		     0, 0, 0x01, 0x82, 0, 0, 0, 0x0a,	     /* PCR_Extend of PCR 10 */
		     0, 0, 0, 9,			     /* authorisation area */
		     0x40, 0, 0, 9, 0, 0, 0, 0, 0,	     /* TPM_RS_PW, empty */
		     0, 0, 0, 1, 0, 4,			     /* one digest, TPM_ALG_SHA1 */
		     0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
}

static void pcr_extend_of_several(void **state)
{
	struct tpm_digest d[3] = { { .bank = pcr_bank_by_name("sha256") },
				   { .bank = pcr_bank_by_name("sha256") },
				   { .bank = pcr_bank_by_name("sha512") } };

	(void)state;
	tpm_encode_pcr_extend(&cmd, 16, d, 3);
	assert_int_equal(cmd.len, 10 + 4 + 13 + 4 + 2 * (2 + 32) + 2 + 64);
	assert_int_equal(cmd.bytes[4] << 8 | cmd.bytes[5], cmd.len);
	assert_int_equal(cmd.bytes[30], 3);
	assert_int_equal(cmd.bytes[32], 0x0b);
	assert_int_equal(cmd.bytes[31 + 34 + 1], 0x0b);
	assert_int_equal(cmd.bytes[31 + 68 + 1], 0x0d);
}

static void response_codes(void **state)
{
	static const uint8_t ok[] = { 0x80, 0x02, 0, 0, 0, 0x0a, 0, 0, 0, 0 };
	static const uint8_t retry[] = { 0x80, 0x01, 0, 0, 0, 0x0a, 0, 0, 0x09, 0x22 };
	static const uint8_t wrong_size[] = { 0x80, 0x01, 0, 0, 0, 0x0b, 0, 0, 0, 0 };
	static const uint8_t tpm12[] = { 0x00, 0xc4, 0, 0, 0, 0x0a, 0, 0, 0, 0x1e };

	(void)state;
	assert_int_equal(tpm_response_code(ok, sizeof(ok)), 0);
	assert_int_equal(tpm_response_code(retry, sizeof(retry)), TPM_RC_RETRY);
	assert_int_equal(tpm_response_code(wrong_size, sizeof(wrong_size)), -EPROTO);
	assert_int_equal(tpm_response_code(tpm12, sizeof(tpm12)), -EPROTO);
	assert_int_equal(tpm_response_code(ok, 9), -EPROTO);
	assert_int_equal(tpm_response_code(ok, 0), -EPROTO);
}

/* header, update counter 7, one selection of sha1 PCR 16, one digest */
static const uint8_t read_answer[] = {
	0x80, 1, 0, 0, 0, 0x32, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 4, 3, 0, 0, 1, 0, 0, 0, 1,
	0,    20, 1, 2, 3, 4,	 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
};

static void decode_pcr_read(void **state)
{
	uint8_t value[PCR_MAX_DIGEST_BYTES] = { 0 };
	uint32_t update = 0;

	(void)state;
	assert_int_equal(tpm_decode_pcr_read(read_answer, sizeof(read_answer),
					     pcr_bank_by_name("sha1"), value, &update),
			 0);
	assert_int_equal(update, 7);
	assert_int_equal(value[0], 1);
	assert_int_equal(value[19], 20);
	/* another bank's length is not taken for this one's (banks are never mixed) */
	assert_int_equal(tpm_decode_pcr_read(read_answer, sizeof(read_answer),
					     pcr_bank_by_name("sha256"), value, NULL),
			 -EPROTO);
}

/* Cut anywhere, an answer must be refused, and never be read beyond its end (ASan looks). */
static void decode_cut_short(void **state)
{
	uint8_t value[PCR_MAX_DIGEST_BYTES];

	(void)state;
	for (size_t len = 0; len < sizeof(read_answer); len++) {
		uint8_t copy[sizeof(read_answer)];

		memcpy(copy, read_answer, len);
		if (len >= 6) {
			copy[5] = (uint8_t)len; /* a header that agrees */
		}
		assert_int_equal(tpm_decode_pcr_read(copy, len, pcr_bank_by_name("sha1"), value,
						     NULL),
				 -EPROTO);
	}
}

static void decode_no_such_pcr(void **state)
{
	static const uint8_t answer[] = { 0x80, 1, 0, 0, 0, 0x1c, 0, 0, 0, 0, 0, 0, 0, 7,
					  0,	0, 0, 1, 0, 4,	  3, 0, 0, 0, 0, 0, 0, 0 };
	uint8_t value[PCR_MAX_DIGEST_BYTES];

	(void)state;
	assert_int_equal(tpm_decode_pcr_read(answer, sizeof(answer), pcr_bank_by_name("sha1"),
					     value, NULL),
			 -ENODATA);
}

static void decode_banks(void **state)
{
	/* sha1 without any PCR, sha256 with all 24, an unknown algorithm, sha384 without PCR 16 */
	static const uint8_t answer[] = {
		0x80, 1, 0, 0,	  0, 0x2b, 0,	 0,    0, 0, 0,	   0,	 0, 0, 5, 0,
		0,    0, 4, 0,	  4, 3,	   0,	 0,    0, 0, 0x0b, 3,	 0xff, 0xff, 0xff,
		0x12, 0x34, 3, 0xff, 0xff, 0xff, 0, 0x0c, 3, 0xff, 0xff, 0xfe,
	};
	struct pcr_banks banks;

	(void)state;
	assert_int_equal(tpm_decode_banks(answer, sizeof(answer), 16, &banks), 0);
	assert_int_equal(banks.count, 1);
	assert_string_equal(banks.bank[0]->name, "sha256");
	assert_int_equal(tpm_decode_banks(answer, sizeof(answer), 17, &banks), 0);
	assert_int_equal(banks.count, 2);
	assert_int_equal(tpm_decode_banks(read_answer, sizeof(read_answer), 16, &banks), -EPROTO);
}

/* A stream may deliver an answer in pieces. */
static void transmit_in_pieces(void **state)
{
	uint8_t response[64];
	int pair[2];
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	tpm_encode_read_clock(&cmd);
	pid = fork();
	if (!pid) {
		uint8_t got[64];

		if (read(pair[1], got, sizeof(got)) != (ssize_t)cmd.len)
			_exit(1);
		for (size_t i = 0; i < sizeof(read_answer); i += 7) {
			size_t left = sizeof(read_answer) - i;

			if (write(pair[1], read_answer + i, left < 7 ? left : 7) < 0)
				_exit(1);
			usleep(1000);
		}
		_exit(0);
	}
	close(pair[1]);
	assert_int_equal(tpm_fd_transmit(pair[0], &cmd, response, sizeof(response)),
			 sizeof(read_answer));
	assert_memory_equal(response, read_answer, sizeof(read_answer));
	close(pair[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void transmit_to_nobody(void **state)
{
	uint8_t response[64];
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	tpm_encode_read_clock(&cmd);
	assert_int_equal(shutdown(pair[1], SHUT_WR), 0);
	assert_int_equal(tpm_fd_transmit(pair[0], &cmd, response, sizeof(response)), -EPIPE);
	assert_int_equal(tpm_fd_transmit(-1, &cmd, response, sizeof(response)), -EBADF);
	close(pair[0]);
	close(pair[1]);
}

/* A size field larger than the buffer must not make it read on. */
static void transmit_lying_size(void **state)
{
	static const uint8_t lie[] = { 0x80, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0 };
	uint8_t response[64];
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(write(pair[1], lie, sizeof(lie)), sizeof(lie));
	tpm_encode_read_clock(&cmd);
	assert_int_equal(tpm_fd_transmit(pair[0], &cmd, response, sizeof(response)), -EPROTO);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(startup),
		cmocka_unit_test(read_clock),
		cmocka_unit_test(get_capability),
		cmocka_unit_test(pcr_read),
		cmocka_unit_test(pcr_extend),
		cmocka_unit_test(pcr_extend_of_several),
		cmocka_unit_test(response_codes),
		cmocka_unit_test(decode_pcr_read),
		cmocka_unit_test(decode_cut_short),
		cmocka_unit_test(decode_no_such_pcr),
		cmocka_unit_test(decode_banks),
		cmocka_unit_test(transmit_in_pieces),
		cmocka_unit_test(transmit_to_nobody),
		cmocka_unit_test(transmit_lying_size),
	};

	return cmocka_run_group_tests_name("tpm_raw", tests, NULL, NULL);
}
