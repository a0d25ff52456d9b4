// SPDX-License-Identifier: GPL-2.0
#include "hist.h"

#include <math.h>
#include <string.h>

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* Middle of a bucket. */
static uint64_t bucket_value(unsigned int index)
{
	unsigned int part = index / HIST_SUB;
	uint64_t low, width;

	if (part <= 1)
		return index; /* buckets of width 1 */
	width = 1ULL << (part - 1);
	low = (uint64_t)(HIST_SUB + index % HIST_SUB) * width;
	return low + width / 2;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
	uint64_t rank, seen = 0, value;

	if (!h->count)
		return 0;
	if (q <= 0)
		return h->min;
	rank = (uint64_t)ceil(q * (double)h->count);
	if (rank >= h->count)
		return h->max;
	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen < rank)
			continue;
		value = bucket_value(i);
		/* the middle of the outermost buckets may lie outside of what was seen */
		if (value < h->min)
			value = h->min;
		return value > h->max ? h->max : value;
	}
	return h->max;
}
