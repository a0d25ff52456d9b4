/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear histogram of durations in fixed memory. Nanoseconds or ticks: it
 * does not care, since its error is relative.
 *
 * Every power of two is cut into 2^HIST_SUB_BITS equal buckets, so a bucket
 * that holds v is at most v / 2^HIST_SUB_BITS wide, and its middle is off by
 * at most half of that:
 *
 *     |reported - true| / true <= 1 / 2^(HIST_SUB_BITS + 1) = 0.39 %
 *
 * for every value up to HIST_MAX (2.4 hours in ns); larger ones are
 * counted in the last bucket. Values below 2^HIST_SUB_BITS are exact, and
 * so are minimum, maximum and count. It has no pointers: it can live in shared
 * memory. Not locked: one writer, or one histogram each and hist_merge().
 */
#ifndef VTF_HIST_H
#define VTF_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_MAX_BITS 43
#define HIST_SUB (1U << HIST_SUB_BITS)
#define HIST_MAX ((1ULL << HIST_MAX_BITS) - 1)
/* one linear part for 0..SUB-1, then one part of SUB buckets for each power of two */
#define HIST_BUCKETS ((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)
#define HIST_ERROR_PCT (100.0 / (2.0 * HIST_SUB))

struct hist {
	uint64_t count;
	uint64_t min; /* meaningless while count is 0 */
	uint64_t max;
	uint64_t bucket[HIST_BUCKETS];
};

/* Empties the histogram. */
void hist_reset(struct hist *h);

/* Index of the bucket that holds @value. */
static inline unsigned int hist_index(uint64_t value)
{
	unsigned int top;

	if (value > HIST_MAX)
		value = HIST_MAX;
	if (value < HIST_SUB)
		return (unsigned int)value;
	top = 63U - (unsigned int)__builtin_clzll(value);
	/* the top SUB_BITS + 1 bits of value are SUB..2*SUB-1: the leading 1 selects the part */
	return (top - HIST_SUB_BITS) * HIST_SUB + (unsigned int)(value >> (top - HIST_SUB_BITS));
}

/* Counts one duration. */
static inline void hist_add(struct hist *h, uint64_t value)
{
	if (!h->count || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count++;
	h->bucket[hist_index(value)]++;
}

/**
 * hist_merge() - add all that @from counted to @into
 *
 * The result is the same as if every value had been added to @into.
 */
void hist_merge(struct hist *into, const struct hist *from);

/**
 * hist_quantile() - the value below or at which a share of the values lies
 * @h: histogram
 * @q: 0..1; 0.999 is p99.9
 *
 * The value with rank ceil(q * count), within the error bound; q = 0 and
 * q = 1 give the exact minimum and maximum.
 *
 * Return: the value; 0 if nothing was counted.
 */
uint64_t hist_quantile(const struct hist *h, double q);

#endif
