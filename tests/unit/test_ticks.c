// SPDX-License-Identifier: GPL-2.0
/* The clock of the measuring loop against CLOCK_MONOTONIC. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/ticks.h"

static int cpu_has_invariant_tsc(void)
{
	char line[8192];
	int found = 0;
	FILE *f = fopen("/proc/cpuinfo", "r");

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && strstr(line, " nonstop_tsc");
	fclose(f);
	return found;
}

static void agrees_with_clock(bool tsc, double ns_per_tick, double tolerance)
{
	uint64_t ns = clock_now_ns(), ticks = ticks_now(tsc), took_ns, took;

	usleep(300000);
	took = ticks_now(tsc) - ticks;
	took_ns = clock_now_ns() - ns;
	if (fabs((double)took * ns_per_tick / (double)took_ns - 1) > tolerance)
		fail_msg("%g ns by ticks, %llu ns by the clock", (double)took * ns_per_tick,
			 (unsigned long long)took_ns);
}

static void chosen_clock_agrees(void **state)
{
	struct ticks t;

	(void)state;
	ticks_init();
	t = ticks_get();
	assert_string_equal(ticks_name(), t.tsc ? "tsc" : "clock_gettime");
	agrees_with_clock(t.tsc, t.ns_per_tick, 0.02);
}

/* The counter itself, also on machines whose clock_gettime() is good enough. */
static void counter_agrees(void **state)
{
	uint64_t ns, ticks;

	(void)state;
	if (!TICKS_HAVE_TSC || !cpu_has_invariant_tsc())
		skip();
	ns = clock_now_ns();
	ticks = ticks_now(true);
	usleep(100000);
	ns = clock_now_ns() - ns;
	ticks = ticks_now(true) - ticks;
	agrees_with_clock(true, (double)ns / (double)ticks, 0.02);
}

static void never_runs_back(void **state)
{
	const bool tsc = ticks_get().tsc;
	uint64_t last = ticks_now(tsc);

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t now = ticks_now(tsc);

		assert_true(now >= last);
		last = now;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_clock_agrees),
		cmocka_unit_test(counter_agrees),
		cmocka_unit_test(never_runs_back),
	};

	return cmocka_run_group_tests_name("ticks", tests, NULL, NULL);
}
