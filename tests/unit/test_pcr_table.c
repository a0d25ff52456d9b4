// SPDX-License-Identifier: GPL-2.0
/* Files of PCR values: both forms, and what is wrong in them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/pcr_table.h"

#define SHA1_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA256_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"

static int load(const char *text, struct pcr_table *t, struct vtf_error *err)
{
	char path[] = "/tmp/test_pcr_table.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	memset(t, 0, sizeof(*t));
	err->code = VTF_EXIT_DONE;
	rc = pcr_table_load(path, t, err);
	unlink(path);
	return rc;
}

static void both_forms(void **state)
{
	static const char *const texts[] = {
		"sha1:10:" SHA1_A "\nsha256:10:" SHA256_B "\n",
		"# comment\n\n  sha1:\n    10: 0x" SHA1_A "\n  sha256:\n    10: 0x" SHA256_B "\n",
		"sha1:\r\n10 : 0X" SHA1_A "\r\nsha256 : 10 : " SHA256_B " # no line break at the end",
		"sha384:\nsha1:\n 9 : 0x" SHA1_A "\n 10: 0x" SHA1_A "\nsha256:10:" SHA256_B,
	};
	const struct pcr_bank *sha1 = pcr_bank_by_name("sha1"), *sha256 = pcr_bank_by_name("sha256");
	uint8_t a[20], b[32];
	struct vtf_error err;
	struct pcr_table t;

	(void)state;
	memset(a, 0xaa, sizeof(a));
	memset(b, 0xbb, sizeof(b));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(load(texts[i], &t, &err), 0);
		assert_non_null(pcr_table_get(&t, sha1, 10));
		assert_memory_equal(pcr_table_get(&t, sha1, 10), a, sizeof(a));
		assert_memory_equal(pcr_table_get(&t, sha256, 10), b, sizeof(b));
		assert_null(pcr_table_get(&t, sha256, 9));
		assert_null(pcr_table_get(&t, pcr_bank_by_name("sha384"), 10));
		assert_null(pcr_table_get(&t, sha1, 24));
	}
}

static void malformed(void **state)
{
	static const char *const texts[] = {
		"10: 0x" SHA1_A,		 /* no bank */
		"sha1:10:" SHA1_A "a",		 /* half a byte */
		"sha1:10:" SHA1_A "aa",		 /* too long */
		"sha256:10:" SHA1_A,		 /* too short */
		"sha1:24:" SHA1_A,		 /* no such PCR */
		"sha1:-1:" SHA1_A,		 "sha1:10x:" SHA1_A,
		"sha1:10:" SHA1_A "\nsha1:10:" SHA1_A, /* twice */
		"md5:10:00112233445566778899aabbccddeeff",
		"sha1 10 " SHA1_A,		 "sha1: " SHA1_A,
		"sha1:10:g" SHA1_A,		 "sha1::" SHA1_A,
		"\x01\x02\x03",
	};
	struct vtf_error err;
	struct pcr_table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!load(texts[i], &t, &err))
			fail_msg("accepted: %s", texts[i]);
		assert_int_equal(err.code, VTF_EXIT_VERIFY);
		assert_non_null(strstr(err.text, ", line "));
	}
	err.code = VTF_EXIT_DONE;
	assert_int_equal(pcr_table_load("/nonexistent/pcrs", &t, &err), -1);
	assert_int_equal(err.code, VTF_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
