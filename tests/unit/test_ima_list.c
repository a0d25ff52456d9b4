// SPDX-License-Identifier: GPL-2.0
/* Lists of every template, whole, cut at every byte, and with every byte changed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../tests/ima/listgen.h"
#include "lib/ima_verify.h"

#define EVERY_FIELD \
	"d-ng|n-ng|sig|buf|d-modsig|modsig|evmsig|iuid|igid|imode|xattrnames|xattrlengths|xattrvalues"

static const char *const templates[] = {
	"ima",	     "ima-ng",	"ima-sig", "ima-buf",	"ima-modsig", "ima-ngv2",
	"ima-sigv2", "evm-sig", "d|n",	   EVERY_FIELD,
};

#define TEMPLATE_COUNT (sizeof(templates) / sizeof(templates[0]))

/* A list in memory, and what it leads to. */
struct lists {
	char *binary, *ascii;
	size_t binary_len, ascii_len;
	struct pcr_table expected;
	struct listgen gen;
};

static void begin(struct lists *l, FILE **binary, FILE **ascii)
{
	struct pcr_banks banks;

	memset(l, 0, sizeof(*l));
	assert_int_equal(pcr_banks_parse("sha256,sha1", &banks), 0);
	listgen_init(&l->gen, pcr_bank_by_name("sha1"), &banks);
	*binary = open_memstream(&l->binary, &l->binary_len);
	*ascii = open_memstream(&l->ascii, &l->ascii_len);
	assert_non_null(*binary);
	assert_non_null(*ascii);
}

static void finish(struct lists *l, FILE *binary, FILE *ascii)
{
	fclose(binary);
	fclose(ascii);
	for (unsigned int i = 0; i < l->gen.banks.count; i++)
		assert_int_equal(pcr_table_set(&l->expected, l->gen.banks.bank[i], 10,
					       l->gen.value[i]), 0);
}

/* @template alone, three entries; the second is a violation if @violation. */
static void make(struct lists *l, const char *template, bool violation)
{
	struct listgen_entry e;
	FILE *binary, *ascii;

	begin(l, &binary, &ascii);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(listgen_fill(&l->gen, &e, template, i, i ? NULL : "boot_aggregate",
					      violation && i == 1), 0);
		listgen_write(&l->gen, &e, binary, ascii);
	}
	finish(l, binary, ascii);
}

static void free_lists(struct lists *l)
{
	listgen_end(&l->gen);
	free(l->binary);
	free(l->ascii);
}

/* An open file with @len bytes of @list. */
static int as_file(const char *list, size_t len)
{
	int fd = memfd_create("list", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, list, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int verify(const struct lists *l, const char *list, size_t len,
		  struct ima_verify_result *result, struct vtf_error *err)
{
	struct ima_verify_opts opts = {
		.fd = as_file(list, len),
		.algo = pcr_bank_by_name("sha1"),
		.pcr = 10,
		.banks = l->gen.banks,
		.expected = &l->expected,
	};
	int rc;

	err->code = VTF_EXIT_DONE;
	rc = ima_verify(&opts, result, err);
	close(opts.fd);
	return rc;
}

/* Refused, and for nothing but what is wrong with the list. */
static void assert_refused(const struct lists *l, const char *list, size_t len)
{
	struct ima_verify_result result;
	struct vtf_error err;

	assert_int_equal(verify(l, list, len, &result, &err), -1);
	assert_int_equal(err.code, VTF_EXIT_VERIFY);
}

static void whole(void **state)
{
	struct ima_verify_result result;
	struct vtf_error err;
	struct lists l;

	(void)state;
	for (size_t i = 0; i < 2 * TEMPLATE_COUNT; i++) {
		make(&l, templates[i / 2], i % 2);
		assert_int_equal(verify(&l, l.binary, l.binary_len, &result, &err), 0);
		assert_int_equal(result.bytes, l.binary_len);
		assert_int_equal(result.violations, i % 2);
		assert_int_equal(result.matched_number, 3);
		assert_string_equal(result.first_name, "boot_aggregate");
		assert_int_equal(result.format, IMA_LIST_BINARY);
		assert_int_equal(verify(&l, l.ascii, l.ascii_len, &result, &err), 0);
		assert_int_equal(result.bytes, l.ascii_len);
		assert_int_equal(result.format, IMA_LIST_ASCII);
		free_lists(&l);
	}
}

static void cut_anywhere(void **state)
{
	struct lists l;

	(void)state;
	for (size_t i = 0; i < TEMPLATE_COUNT; i++) {
		make(&l, templates[i], true);
		for (size_t len = 0; len < l.binary_len; len++)
			assert_refused(&l, l.binary, len);
		for (size_t len = 0; len < l.ascii_len; len++)
			assert_refused(&l, l.ascii, len);
		free_lists(&l);
	}
}

/* Of a violation only the form is checked: its data is not in the PCR. So there is none here. */
static void changed_anywhere(void **state)
{
	static const char flips[] = { 1, 0x10, (char)0x80 };
	struct lists l;

	(void)state;
	for (size_t i = 0; i < TEMPLATE_COUNT; i++) {
		make(&l, templates[i], false);
		for (size_t at = 0; at < l.binary_len * sizeof(flips); at++) {
			char *byte = l.binary + at / sizeof(flips), flip = flips[at % sizeof(flips)];

			*byte = (char)(*byte ^ flip);
			assert_refused(&l, l.binary, l.binary_len);
			*byte = (char)(*byte ^ flip);
		}
		for (size_t at = 0; at < l.ascii_len; at++) {
			/* a blank in front of the PCR's number is as good as a digit */
			l.ascii[at] ^= 1;
			assert_refused(&l, l.ascii, l.ascii_len);
			l.ascii[at] ^= 1;
		}
		free_lists(&l);
	}
}

/* The digest of an entry zeroed: it would count as a violation, which extends ones. */
static void made_a_violation(void **state)
{
	struct lists l;

	(void)state;
	make(&l, "ima-ng", false);
	memset(l.binary + 4, 0, 20);
	assert_refused(&l, l.binary, l.binary_len);
	free_lists(&l);
}

static void position(void **state)
{
	struct ima_verify_result result;
	struct vtf_error err;
	struct lists l;
	size_t third;

	(void)state;
	make(&l, "ima-ng", false);
	/* PCR, digest, name of the template, data: algorithm and file digest, path */
	third = l.binary_len - (4 + 20 + 4 + 6 + 4 + 4 + 40 + 4 + 32);
	assert_int_equal(verify(&l, l.binary, l.binary_len, &result, &err), 0);
	l.binary[l.binary_len - 2] ^= 1;
	assert_int_equal(verify(&l, l.binary, l.binary_len, &result, &err), -1);
	assert_int_equal(result.bad_number, 3);
	assert_int_equal(result.bad_offset, third);
	assert_int_equal(result.entries, 2);
	free_lists(&l);
}

/* As large as the kernel can make a field, and one byte more. */
static void largest_entry(void **state)
{
	struct ima_verify_result result;
	struct listgen_entry e;
	FILE *binary, *ascii;
	struct vtf_error err;
	struct lists l;

	(void)state;
	for (unsigned int more = 0; more < 2; more++) {
		begin(&l, &binary, &ascii);
		l.gen.extra_bytes = IMA_MAX_FIELD_BYTES - 6 + more;
		/* seed 1: 5 + 1 bytes beside the extra ones */
		assert_int_equal(listgen_fill(&l.gen, &e, "ima-buf", 1, "critical_data", false), 0);
		assert_int_equal(e.field[2].len, IMA_MAX_FIELD_BYTES + more);
		listgen_write(&l.gen, &e, binary, ascii);
		finish(&l, binary, ascii);
		assert_int_equal(verify(&l, l.binary, l.binary_len, &result, &err), more ? -1 : 0);
		assert_int_equal(verify(&l, l.ascii, l.ascii_len, &result, &err), more ? -1 : 0);
		free_lists(&l);
	}
}

static const char *check(const char *id, const void *data, size_t len, bool violation)
{
	struct ima_template t;

	assert_null(ima_template_find(id, strlen(id), &t));
	return ima_field_check(t.field[0], data, len, violation);
}

static void field_forms(void **state)
{
	static const struct {
		const char *id, *bytes;
		size_t len;
		bool violation, good;
	} cases[] = {
		{ "d", "01234567890123456789", 20, false, true },
		{ "d", "0123456789012345", 16, false, true },
		{ "d", "0123456789012345678", 19, false, false },
		{ "d", "", 0, false, false },
		{ "d-ng", "sha1:\0" "01234567890123456789", 26, false, true },
		{ "d-ng", "sha1:\0" "01234567890123456789", 26, true, false },
		{ "d-ng", "sha1:\0" "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 26, true, true },
		{ "d-ng", "sha256:\0" "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 28, true, true },
		{ "d-ng", "sha256:\0" "01234567890123456789", 28, false, false },
		{ "d-ng", "sha1:\0" "0123456789012345678", 25, false, false },
		{ "d-ng", "sha1\0" "01234567890123456789", 25, false, false },
		{ "d-ng", "sha0:\0" "01234567890123456789", 26, false, false },
		{ "d-ng", ":\0" "01234567890123456789", 22, false, false },
		{ "d-ng", "\0" "01234567890123456789", 21, false, false },
		{ "d-ng", "ima:sha1:\0" "01234567890123456789", 30, false, false },
		{ "d-ngv2", "ima:sha1:\0" "01234567890123456789", 30, false, true },
		{ "d-ngv2", "verity:sha1:\0" "01234567890123456789", 33, false, true },
		{ "d-ngv2", "other:sha1:\0" "01234567890123456789", 32, false, false },
		{ "d-ngv2", "sha1:\0" "01234567890123456789", 26, false, false },
		{ "d-ngv2", "ima\0" "01234567890123456789", 24, false, false },
		{ "n-ng", "x", 2, false, true },
		{ "n-ng", "", 1, false, true },
		{ "n-ng", "x", 1, false, false },
		{ "n-ng", "x\0y", 4, false, false },
		{ "n-ng", "", 0, false, false },
		{ "imode", "ab", 2, false, true },
		{ "imode", "abc", 3, false, false },
		{ "iuid", "abcd", 4, false, true },
		{ "igid", "ab", 2, false, false },
		{ "xattrlengths", "abcdefgh", 8, false, true },
		{ "xattrlengths", "abcdefg", 7, false, false },
		{ "xattrnames", "a|b", 4, false, true },
		{ "xattrnames", "a|b", 3, false, false },
		{ "sig", "", 0, false, true },
		{ "d-modsig", "", 0, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fault = check(cases[i].id, cases[i].bytes, cases[i].len,
					  cases[i].violation);

		if (!fault != cases[i].good)
			fail_msg("case %zu, %s: %s", i, cases[i].id, fault ? fault : "accepted");
	}
}

static void long_names(void **state)
{
	char name[IMA_MAX_PATH_BYTES + 1];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[IMA_EVENT_NAME_BYTES - 1] = '\0';
	assert_null(check("n", name, IMA_EVENT_NAME_BYTES, false));
	name[IMA_EVENT_NAME_BYTES - 1] = 'x';
	name[IMA_EVENT_NAME_BYTES] = '\0';
	assert_non_null(check("n", name, IMA_EVENT_NAME_BYTES + 1, false));
	name[IMA_EVENT_NAME_BYTES] = 'x';
	name[IMA_MAX_PATH_BYTES - 1] = '\0';
	assert_null(check("n-ng", name, IMA_MAX_PATH_BYTES, false));
	name[IMA_MAX_PATH_BYTES - 1] = 'x';
	name[IMA_MAX_PATH_BYTES] = '\0';
	assert_non_null(check("n-ng", name, IMA_MAX_PATH_BYTES + 1, false));
}

static void template_names(void **state)
{
	static const char *const bad[] = { "ima-xx", "d-ng|", "|d-ng", "d-ng||n-ng", "d-ng,n-ng",
					   "d-ng|n-ng|x", "IMA", " ima" };
	static const char most[] = "d|d|d|d|d|d|d|d|d|d|d|d|d|d|d";
	struct ima_template t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(ima_template_find(bad[i], strlen(bad[i]), &t));
	assert_null(ima_template_find(most, strlen(most), &t));
	assert_int_equal(t.count, IMA_MAX_FIELDS);
	assert_non_null(ima_template_find("d|d|d|d|d|d|d|d|d|d|d|d|d|d|d|d", 31, &t));
	assert_non_null(ima_template_find("ima\0", 4, &t));
	assert_non_null(ima_template_find("", 0, &t));
	assert_null(ima_template_find("evm-sig", 7, &t));
	assert_int_equal(t.count, 9);
	assert_false(t.legacy);
	/* by its format it is hashed like any other, though "ima" is not */
	assert_null(ima_template_find("d|n", 3, &t));
	assert_false(t.legacy);
	assert_null(ima_template_find("ima", 3, &t));
	assert_true(t.legacy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),	    cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(changed_anywhere), cmocka_unit_test(made_a_violation),
		cmocka_unit_test(position),	    cmocka_unit_test(largest_entry),
		cmocka_unit_test(field_forms),	    cmocka_unit_test(long_names),
		cmocka_unit_test(template_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
