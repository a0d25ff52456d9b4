// SPDX-License-Identifier: GPL-2.0
/* The exit codes are an ABI: this table is the second place that has them, on purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/error.h"
#include "lib/exit_codes.h"

static void numbers_are_fixed(void **state)
{
	(void)state;
	assert_int_equal(VTF_EXIT_DONE, 0);
	assert_int_equal(VTF_EXIT_INTERNAL, 1);
	assert_int_equal(VTF_EXIT_USAGE, 2);
	assert_int_equal(VTF_EXIT_MISSING, 3);
	assert_int_equal(VTF_EXIT_TPM, 4);
	assert_int_equal(VTF_EXIT_VERIFY, 5);
	assert_int_equal(VTF_EXIT_INCOMPLETE, 6);
	assert_int_equal(VTF_EXIT_COUNT, 7);
}

static void every_code_has_a_text(void **state)
{
	(void)state;
	for (int a = 0; a < VTF_EXIT_COUNT; a++) {
		assert_non_null(vtf_exit_text(a));
		for (int b = 0; b < a; b++)
			assert_string_not_equal(vtf_exit_text(a), vtf_exit_text(b));
	}
	assert_null(vtf_exit_text(-1));
	assert_null(vtf_exit_text(VTF_EXIT_COUNT));
}

static void worse_of_two(void **state)
{
	/* from the least to the worst */
	static const enum vtf_exit order[] = { VTF_EXIT_DONE,	 VTF_EXIT_INCOMPLETE, VTF_EXIT_TPM,
					       VTF_EXIT_VERIFY, VTF_EXIT_MISSING,    VTF_EXIT_USAGE,
					       VTF_EXIT_INTERNAL };

	(void)state;
	for (size_t a = 0; a < 7; a++)
		for (size_t b = 0; b < 7; b++)
			assert_int_equal(vtf_exit_worse(order[a], order[b]),
					 order[a > b ? a : b]);
}

static void first_error_stays(void **state)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };

	(void)state;
	assert_int_equal(vtf_error_set(&err, VTF_EXIT_TPM, "first %d", 1), -1);
	assert_int_equal(vtf_error_set(&err, VTF_EXIT_VERIFY, "second"), -1);
	assert_int_equal(err.code, VTF_EXIT_TPM);
	assert_string_equal(err.text, "first 1");
	assert_int_equal(vtf_error_set(NULL, VTF_EXIT_TPM, "nowhere"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_fixed),
		cmocka_unit_test(every_code_has_a_text),
		cmocka_unit_test(worse_of_two),
		cmocka_unit_test(first_error_stays),
	};

	return cmocka_run_group_tests_name("exit_codes", tests, NULL, NULL);
}
