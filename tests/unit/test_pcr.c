// SPDX-License-Identifier: GPL-2.0
/* Replay of extends against known values. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/pcr.h"
#include "lib/sha256.h"

static void assert_hex(const uint8_t *value, size_t len, const char *hex)
{
	char text[2 * PCR_MAX_DIGEST_BYTES + 1] = "";

	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", value[i]);
	assert_string_equal(text, hex);
}

/* A zero PCR extended with a zero digest: the hash of 40, 64, 96, 128 zero bytes. */
static void first_extend(void **state)
{
	static const struct {
		const char *bank, *hex;
	} known[] = {
		{ "sha1", "b80de5d138758541c5f05265ad144ab9fa86d1db" },
		{ "sha256", "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b" },
		{ "sha384",
		  "f57bb7ed82c6ae4a29e6c9879338c592c7d42a39135583e8ccbe3940f2344b0eb6eb8503db0ffd6a39ddd00cd07d8317" },
		{ "sha512",
		  "ab942f526272e456ed68a979f50202905ca903a141ed98443567b11ef0bf25a552d639051a01be58558122c58e3de07d749ee59ded36acf0c55cd91924d6ba11" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct pcr_bank *bank = pcr_bank_by_name(known[i].bank);
		uint8_t value[PCR_MAX_DIGEST_BYTES] = { 0 }, digest[PCR_MAX_DIGEST_BYTES] = { 0 };

		assert_int_equal(pcr_replay(bank, value, digest, 1), 0);
		assert_hex(value, bank->size, known[i].hex);
	}
}

/* Computed independently: sha256, PCR 0, 1,000 extends with the digest of "abc". */
static void many_extends(void **state)
{
	const struct pcr_bank *bank = pcr_bank_by_name("sha256");
	uint8_t value[PCR_MAX_DIGEST_BYTES] = { 0 }, digest[PCR_MAX_DIGEST_BYTES];

	(void)state;
	assert_int_equal(pcr_hash(bank, "abc", 3, digest), 0);
	assert_hex(digest, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(pcr_replay(bank, value, digest, 1000), 0);
	assert_hex(value, 32, "4736c78618ff07625ee39f65e2f81fe4d83297452e030f03ceefd8ab81abb176");
}

static void in_two_parts(void **state)
{
	const struct pcr_bank *bank = pcr_bank_by_name("sha512");
	uint8_t a[PCR_MAX_DIGEST_BYTES] = { 1 }, b[PCR_MAX_DIGEST_BYTES] = { 1 };
	uint8_t digest[PCR_MAX_DIGEST_BYTES] = { 2 };

	(void)state;
	assert_int_equal(pcr_replay(bank, a, digest, 17), 0);
	assert_int_equal(pcr_replay(bank, b, digest, 10), 0);
	assert_int_equal(pcr_replay(bank, b, digest, 0), 0);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_int_equal(pcr_replay(bank, b, digest, 7), 0);
	assert_memory_equal(a, b, sizeof(a));
}

static void every_bank_hashes(void **state)
{
	static const uint16_t algs[] = { 0x4, 0xb, 0xc, 0xd, 0x12, 0x27, 0x28, 0x29 };

	(void)state;
	for (size_t i = 0; i < sizeof(algs) / sizeof(algs[0]); i++) {
		const struct pcr_bank *bank = pcr_bank_by_alg(algs[i]);
		uint8_t digest[PCR_MAX_DIGEST_BYTES];

		assert_non_null(bank);
		assert_ptr_equal(pcr_bank_by_name(bank->name), bank);
		assert_int_equal(pcr_hash(bank, "x", 1, digest), 0);
	}
	assert_null(pcr_bank_by_alg(0x10));
	assert_null(pcr_bank_by_name("md5"));
}

static void lists_of_banks(void **state)
{
	static const char *const bad[] = { "", ",", "sha256,", "sha256,sha256", "md5",
					   "sha256 ", "SHA256", "a_name_that_is_far_too_long" };
	char names[PCR_NAMES_BYTES];
	struct pcr_banks banks;

	(void)state;
	assert_int_equal(pcr_banks_parse("sha256,sha1", &banks), 0);
	pcr_banks_names(&banks, names);
	assert_string_equal(names, "sha256+sha1");
	assert_int_equal(pcr_banks_parse(names, &banks), 0);
	assert_int_equal(banks.count, 2);
	assert_true(pcr_banks_have(&banks, pcr_bank_by_name("sha1")));
	assert_false(pcr_banks_have(&banks, pcr_bank_by_name("sha512")));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pcr_banks_parse(bad[i], &banks), -EINVAL);
}

static void names_of_all_banks_fit(void **state)
{
	char names[PCR_NAMES_BYTES];
	struct pcr_banks banks;

	(void)state;
	assert_int_equal(pcr_banks_parse("sha1,sha256,sha384,sha512,sm3_256,sha3_256,sha3_384,"
					 "sha3_512",
					 &banks),
			 0);
	pcr_banks_names(&banks, names);
	assert_int_equal(banks.count, PCR_MAX_BANKS);
	assert_non_null(strstr(names, "+sha3_512"));
}

static void hex_of_sha256(void **state)
{
	char hex[SHA256_HEX_BYTES];

	(void)state;
	assert_int_equal(sha256_hex("", 0, hex), 0);
	assert_string_equal(hex,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_extend),	     cmocka_unit_test(many_extends),
		cmocka_unit_test(in_two_parts),	     cmocka_unit_test(every_bank_hashes),
		cmocka_unit_test(lists_of_banks),    cmocka_unit_test(names_of_all_banks_fit),
		cmocka_unit_test(hex_of_sha256),
	};

	return cmocka_run_group_tests_name("pcr", tests, NULL, NULL);
}
