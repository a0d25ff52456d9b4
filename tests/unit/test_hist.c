// SPDX-License-Identifier: GPL-2.0
/* The histogram against exact quantiles of the same data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/stats.h"

#define SAMPLES 50000

static struct hist hist, other;
static uint64_t data[SAMPLES];
static uint64_t seed;

/* xorshift64*: the same data in every run */
static uint64_t next_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545F4914F6CDD1DULL;
}

static double next_unit(void)
{
	return ((double)(next_random() >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t shape_uniform(void)
{
	return next_random() % 1000000;
}

static uint64_t shape_exponential(void)
{
	return (uint64_t)(-50000.0 * log(next_unit()));
}

static uint64_t shape_log_uniform(void)
{
	return (uint64_t)exp(next_unit() * log(1e12));
}

/* mostly 40 us, one in a hundred 5 ms: what a poll with a missed look makes */
static uint64_t shape_two_humps(void)
{
	return next_random() % 100 ? 40000 + next_random() % 2000 : 5000000 + next_random() % 1000;
}

static uint64_t shape_constant(void)
{
	return 123457;
}

static uint64_t shape_powers(void)
{
	return 1ULL << (next_random() % HIST_MAX_BITS);
}

static uint64_t shape_below_powers(void)
{
	return (1ULL << (next_random() % HIST_MAX_BITS)) - 1;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_quantile(double q)
{
	uint64_t rank = (uint64_t)ceil(q * SAMPLES);
	uint64_t exact = data[rank ? rank - 1 : 0];
	uint64_t got = hist_quantile(&hist, q);
	double error = fabs((double)got - (double)exact);

	if (error > (double)exact * HIST_ERROR_PCT / 100.0)
		fail_msg("q %g: %llu instead of %llu, off by %.3f %%", q, (unsigned long long)got,
			 (unsigned long long)exact, 100.0 * error / (double)exact);
}

static void check_shape(uint64_t (*shape)(void))
{
	static const double quantiles[] = { 0.001, 0.01, 0.1,  0.25,  0.5,  0.75,
					    0.9,   0.95, 0.99, 0.999, 0.9999 };

	seed = 88172645463325252ULL;
	hist_reset(&hist);
	for (size_t i = 0; i < SAMPLES; i++) {
		data[i] = shape();
		hist_add(&hist, data[i]);
	}
	qsort(data, SAMPLES, sizeof(*data), compare);
	assert_int_equal(hist.count, SAMPLES);
	assert_int_equal(hist_quantile(&hist, 0), data[0]);
	assert_int_equal(hist_quantile(&hist, 1), data[SAMPLES - 1]);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		check_quantile(quantiles[i]);
}

static void error_bound(void **state)
{
	(void)state;
	check_shape(shape_uniform);
	check_shape(shape_exponential);
	check_shape(shape_log_uniform);
	check_shape(shape_two_humps);
	check_shape(shape_constant);
	check_shape(shape_powers);
	check_shape(shape_below_powers);
}

/* Single values at both sides of every bucket's edge, where the error is largest. */
static void error_bound_at_edges(void **state)
{
	double worst = 0;

	(void)state;
	for (unsigned int bit = 0; bit < HIST_MAX_BITS; bit++) {
		uint64_t step = bit > HIST_SUB_BITS ? 1ULL << (bit - HIST_SUB_BITS) : 1;

		for (uint64_t v = 1ULL << bit; v < 2ULL << bit; v += step)
			for (uint64_t w = v; w <= v + step - 1; w += step > 1 ? step - 1 : 1) {
				double error;

				/* two neighbours, so that min and max do not help */
				hist_reset(&hist);
				hist_add(&hist, 0);
				hist_add(&hist, w);
				hist_add(&hist, HIST_MAX);
				error = fabs((double)hist_quantile(&hist, 0.6) - (double)w) /
					(double)w;
				worst = error > worst ? error : worst;
			}
	}
	assert_true(worst <= HIST_ERROR_PCT / 100.0);
	/* the documented bound is not just a generous one */
	assert_true(worst > HIST_ERROR_PCT / 100.0 * 0.95);
}

static void every_index_in_range(void **state)
{
	unsigned int last = 0;

	(void)state;
	for (uint64_t v = 0; v < 5000; v++) {
		assert_true(hist_index(v) == last || hist_index(v) == last + 1);
		last = hist_index(v);
	}
	assert_int_equal(hist_index(HIST_MAX), HIST_BUCKETS - 1);
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
}

static void too_large_is_counted(void **state)
{
	(void)state;
	hist_reset(&hist);
	hist_add(&hist, UINT64_MAX);
	hist_add(&hist, 10);
	assert_int_equal(hist.count, 2);
	assert_true(hist.max == UINT64_MAX);
	assert_int_equal(hist_quantile(&hist, 0.5), 10);
}

static void merge_equals_adding(void **state)
{
	static struct hist all;

	(void)state;
	seed = 1;
	hist_reset(&hist);
	hist_reset(&other);
	hist_reset(&all);
	for (int i = 0; i < 10000; i++) {
		uint64_t v = shape_log_uniform();

		hist_add(i % 3 ? &hist : &other, v);
		hist_add(&all, v);
	}
	hist_merge(&hist, &other);
	assert_memory_equal(&hist, &all, sizeof(all));
}

static void merge_with_empty(void **state)
{
	(void)state;
	hist_reset(&hist);
	hist_reset(&other);
	hist_add(&other, 700);
	hist_merge(&hist, &other);
	assert_int_equal(hist.min, 700);
	hist_reset(&other);
	hist_merge(&hist, &other);
	assert_int_equal(hist.count, 1);
	assert_int_equal(hist.min, 700);
}

static void empty_is_zero(void **state)
{
	(void)state;
	hist_reset(&hist);
	assert_int_equal(hist_quantile(&hist, 0.5), 0);
}

static void medians(void **state)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 2, 3 };

	(void)state;
	assert_true(stats_median(odd, 3) == 2);
	assert_true(stats_median(even, 4) == 2.5);
	assert_true(isnan(stats_median(odd, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_bound),
		cmocka_unit_test(error_bound_at_edges),
		cmocka_unit_test(every_index_in_range),
		cmocka_unit_test(too_large_is_counted),
		cmocka_unit_test(merge_equals_adding),
		cmocka_unit_test(merge_with_empty),
		cmocka_unit_test(empty_is_zero),
		cmocka_unit_test(medians),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
