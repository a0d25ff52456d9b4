// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/list.h"

static int parse(const char *text, unsigned int *out)
{
	return list_parse_ints(text, 1, 64, out, 10);
}

static void good_lists(void **state)
{
	unsigned int v[10];

	(void)state;
	assert_int_equal(parse("7", v), 1);
	assert_int_equal(v[0], 7);
	assert_int_equal(parse("1,2,4-8", v), 7);
	assert_int_equal(v[0], 1);
	assert_int_equal(v[1], 2);
	assert_int_equal(v[2], 4);
	assert_int_equal(v[6], 8);
	assert_int_equal(parse("8,1,4", v), 3); /* the order stays */
	assert_int_equal(v[0], 8);
	assert_int_equal(v[2], 4);
	assert_int_equal(parse("5-5", v), 1);
	assert_int_equal(parse("64", v), 1);
	assert_int_equal(parse("1-10", v), 10); /* exactly full */
}

static void bad_lists(void **state)
{
	static const char *const bad[] = { "",	  ",",	 "1,",	 ",1",	 "1,,2", "a",	"1a",
					   "1-",  "-1",	 "1--2", "8-4",	 " 1",	 "1 ",	"+1",
					   "1x1", "1;2", "1.5",	 "1-2-3", "1,1", "8,1,8", "1-4,3", "3,1-4" };
	unsigned int v[10];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i], v) != -EINVAL)
			fail_msg("`%s` gives %d", bad[i], parse(bad[i], v));
}

static void out_of_range(void **state)
{
	unsigned int v[10];

	(void)state;
	assert_int_equal(parse("0", v), -ERANGE);
	assert_int_equal(parse("65", v), -ERANGE);
	assert_int_equal(parse("60-65", v), -ERANGE);
	assert_int_equal(parse("99999999999999999999999", v), -ERANGE);
	assert_int_equal(parse("1-18446744073709551615", v), -ERANGE);
	assert_int_equal(parse("1-11", v), -E2BIG);
}

static void words(void **state)
{
	char text[] = "stock,auto,event", empty[] = "stock,,auto", one[] = "x", none[] = "",
	     twice[] = "auto,stock,auto", longer[] = "auto,autos";
	const char *w[3];

	(void)state;
	assert_int_equal(list_split(text, w, 3), 3);
	assert_string_equal(w[0], "stock");
	assert_string_equal(w[2], "event");
	assert_int_equal(list_split(empty, w, 3), -EINVAL);
	assert_int_equal(list_split(none, w, 3), -EINVAL);
	assert_int_equal(list_split(one, w, 3), 1);
	assert_int_equal(list_split(twice, w, 3), -EINVAL);
	assert_int_equal(list_split(longer, w, 3), 2);
}

static void too_many_words(void **state)
{
	char text[] = "a,b,c,d";
	const char *w[3];

	(void)state;
	assert_int_equal(list_split(text, w, 3), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lists),	cmocka_unit_test(bad_lists),
		cmocka_unit_test(out_of_range), cmocka_unit_test(words),
		cmocka_unit_test(too_many_words),
	};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
