/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of the measuring loop.
 *
 * It is read once per command, so it must cost next to nothing. That is so for
 * clock_gettime() where the kernel has a vDSO clock. Where it is a system call
 * (User-Mode Linux, where that costs a good part of an extend; clocks such as
 * HPET), the loop reads the CPU's time stamp counter instead, if CPUID says
 * that it is invariant (Intel SDM 3, 18.17.1; AMD APM 3, E.4.7). The length of
 * a tick comes from CLOCK_MONOTONIC, over the whole life of the process.
 */
#ifndef VTF_TICKS_H
#define VTF_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#if defined(__x86_64__) || defined(__i386__)
#define TICKS_HAVE_TSC 1
#else
#define TICKS_HAVE_TSC 0
#endif

/* Set by ticks_init(); clients take a copy. */
struct ticks {
	bool tsc;
	double ns_per_tick;
};

/* Chooses the clock; the first call takes the time base. Call before any client starts. */
void ticks_init(void);

/* The choice, and the length of a tick as it is known by now. */
struct ticks ticks_get(void);

/* "tsc" or "clock_gettime", for the conditions. */
const char *ticks_name(void);

static inline uint64_t ticks_now(bool tsc)
{
#if TICKS_HAVE_TSC
	if (tsc)
		return __builtin_ia32_rdtsc();
#endif
	(void)tsc;
	return clock_now_ns();
}

/* What the loop's clock will show at a moment of CLOCK_MONOTONIC. */
static inline uint64_t ticks_until(const struct ticks *t, uint64_t until_ns)
{
	uint64_t now_ns = clock_now_ns(), now = ticks_now(t->tsc);

	if (until_ns <= now_ns)
		return now;
	return now + (uint64_t)((double)(until_ns - now_ns) / t->ns_per_tick);
}

#endif
