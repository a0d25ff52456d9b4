// SPDX-License-Identifier: GPL-2.0
/* A growing list followed, against the generator's own replay. */
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

#include "../tests/ima/listgen.h"
#include "lib/ima_follow.h"

struct fixture {
	struct listgen gen;
	struct vtf_error err;
	char path[64];
	FILE *list;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pcr_banks banks;
	int fd;

	assert_non_null(f);
	snprintf(f->path, sizeof(f->path), "/tmp/test_ima_follow.XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	f->list = fdopen(fd, "w");
	assert_non_null(f->list);
	assert_int_equal(pcr_banks_parse("sha1,sha256,sha512", &banks), 0);
	listgen_init(&f->gen, pcr_bank_by_name("sha1"), &banks);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	fclose(f->list);
	unlink(f->path);
	listgen_end(&f->gen);
	free(f);
	return 0;
}

static void append(struct fixture *f, const char *template, unsigned int pcr, bool violation)
{
	struct listgen_entry e;

	assert_int_equal(listgen_fill(&f->gen, &e, template, f->gen.entries, NULL, violation), 0);
	e.pcr = pcr;
	listgen_write(&f->gen, &e, f->list, NULL);
	fflush(f->list);
}

static struct ima_follow *follow(struct fixture *f)
{
	struct ima_follow *follower = ima_follow_open(f->path, IMA_DEFAULT_PCR, &f->gen.banks,
						      &f->err);

	assert_non_null(follower);
	return follower;
}

static void assert_in_step(struct fixture *f, struct ima_follow *follower)
{
	assert_int_equal(ima_follow_update(follower, &f->err), 0);
	for (unsigned int i = 0; i < f->gen.banks.count; i++)
		assert_memory_equal(ima_follow_value(follower, i), f->gen.value[i],
				    f->gen.banks.bank[i]->size);
}

static void grows(void **state)
{
	struct fixture *f = *state;
	struct ima_follow *follower = follow(f);
	struct ima_follow_counts counts;

	assert_in_step(f, follower); /* nothing yet */
	append(f, "ima-ng", 10, false);
	append(f, "ima-sig", 10, false);
	assert_in_step(f, follower);
	assert_in_step(f, follower); /* nothing new */
	append(f, "ima-ng", 10, true);
	append(f, "ima-ng", 11, false);
	append(f, "ima-ng", 11, true);
	append(f, "ima", 10, false);
	assert_in_step(f, follower);
	for (int i = 0; i < 2000; i++)
		append(f, "ima-buf", 10, false);
	assert_in_step(f, follower);
	ima_follow_counts(follower, &counts);
	assert_int_equal(counts.entries, 2006);
	assert_int_equal(counts.of_pcr, 2004);
	assert_int_equal(counts.violations, 1);
	assert_int_equal(counts.bytes, ftell(f->list));
	ima_follow_close(follower);
}

static void first_value_is_right(void **state)
{
	struct fixture *f = *state;
	struct ima_follow *follower = follow(f);
	/* sha256 of 32 bytes of zeros and 32 of ones, from sha256sum */
	static const uint8_t want[] = { 0xbb, 0xa9, 0x1c, 0xa8, 0x5d, 0xc9, 0x14, 0xb2,
					0xec, 0x3e, 0xfb, 0x9e, 0x16, 0xe7, 0x26, 0x7b,
					0xf9, 0x19, 0x3b, 0x14, 0x35, 0x0d, 0x20, 0xfb,
					0xa8, 0xa8, 0xb4, 0x06, 0x73, 0x0a, 0xe3, 0x0a };

	append(f, "ima-ng", 10, true);
	assert_int_equal(ima_follow_update(follower, &f->err), 0);
	assert_memory_equal(ima_follow_value(follower, 1), want, sizeof(want));
	ima_follow_close(follower);
}

static void flipped(void **state)
{
	struct fixture *f = *state;
	struct ima_follow *follower = follow(f);
	long second;

	append(f, "ima-ng", 10, false);
	second = ftell(f->list);
	append(f, "ima-ng", 10, false);
	/* a digit in the name */
	fseek(f->list, -2, SEEK_END);
	fputc('x', f->list);
	fflush(f->list);
	assert_int_equal(ima_follow_update(follower, &f->err), -1);
	assert_int_equal(f->err.code, VTF_EXIT_VERIFY);
	assert_non_null(strstr(f->err.text, "entry 2 at byte "));
	assert_int_equal(strtol(strstr(f->err.text, "byte ") + 5, NULL, 10), second);
	ima_follow_close(follower);
}

static void cut(void **state)
{
	struct fixture *f = *state;
	struct ima_follow *follower = follow(f);

	append(f, "ima-ng", 10, false);
	assert_int_equal(ftruncate(fileno(f->list), ftell(f->list) - 1), 0);
	assert_int_equal(ima_follow_update(follower, &f->err), -1);
	assert_int_equal(f->err.code, VTF_EXIT_VERIFY);
	assert_non_null(strstr(f->err.text, "entry 1 at byte 0"));
	ima_follow_close(follower);
}

static void missing(void **state)
{
	struct fixture *f = *state;

	assert_null(ima_follow_open("/nonexistent/list", 10, &f->gen.banks, &f->err));
	assert_int_equal(f->err.code, VTF_EXIT_MISSING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first_value_is_right, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
