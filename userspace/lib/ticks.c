// SPDX-License-Identifier: GPL-2.0
#include "ticks.h"

#if TICKS_HAVE_TSC
#include <cpuid.h>
#endif

/* A vDSO clock takes some 20 to 60 ns, a system call is not to be had below this. */
#define VDSO_LIMIT_NS 500
#define READS 9
/* From a base younger than this the length of a tick is not known well enough. */
#define MIN_BASE_NS (20 * NS_PER_MS)

struct pair {
	uint64_t ns;
	uint64_t ticks;
};

static struct {
	bool initialised;
	bool tsc;
	struct pair base;
} source;

static bool tsc_is_invariant(void)
{
#if TICKS_HAVE_TSC
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & (1U << 8));
#else
	return false;
#endif
}

/* Both clocks at one moment: the reading that took least is least disturbed. */
static struct pair read_pair(bool tsc, uint64_t *cost_ns)
{
	struct pair best = { 0, 0 };

	*cost_ns = UINT64_MAX;
	for (unsigned int i = 0; i < READS; i++) {
		uint64_t before_ns = clock_now_ns();
		uint64_t ticks = ticks_now(tsc);
		uint64_t after_ns = clock_now_ns();

		if (after_ns - before_ns < *cost_ns) {
			*cost_ns = after_ns - before_ns;
			best.ns = before_ns + (after_ns - before_ns) / 2;
			best.ticks = ticks;
		}
	}
	return best;
}

void ticks_init(void)
{
	bool invariant = tsc_is_invariant();
	uint64_t cost_ns;

	if (source.initialised)
		return;
	source.base = read_pair(invariant, &cost_ns);
	source.tsc = invariant && cost_ns > VDSO_LIMIT_NS;
	source.initialised = true;
}

struct ticks ticks_get(void)
{
	struct ticks t = { .tsc = source.tsc, .ns_per_tick = 1 };
	uint64_t cost_ns;
	struct pair now;

	if (!source.tsc)
		return t;
	while (clock_now_ns() - source.base.ns < MIN_BASE_NS)
		clock_sleep_until(source.base.ns + MIN_BASE_NS);
	now = read_pair(true, &cost_ns);
	t.ns_per_tick = (double)(now.ns - source.base.ns) / (double)(now.ticks - source.base.ticks);
	return t;
}

const char *ticks_name(void)
{
	ticks_init();
	return source.tsc ? "tsc" : "clock_gettime";
}
