/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_CLOCK_H
#define VTF_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL

/* CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Seconds to nanoseconds; negative counts as 0. */
static inline uint64_t clock_s_to_ns(double s)
{
	return s > 0 ? (uint64_t)(s * (double)NS_PER_S) : 0;
}

/* Sleeps until @deadline_ns or until a signal arrives. */
static inline void clock_sleep_until(uint64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / NS_PER_S),
		.tv_nsec = (long)(deadline_ns % NS_PER_S),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

#endif
