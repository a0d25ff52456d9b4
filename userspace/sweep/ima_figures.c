// SPDX-License-Identifier: GPL-2.0
#include "sweep/ima_figures.h"

#include <math.h>

/* Growth of @counter by that of @by. */
static double ratio(const struct ima_tpm *before, const struct ima_tpm *after,
		    enum ima_tpm_counter counter, enum ima_tpm_counter by)
{
	uint64_t n = after->counter[by] - before->counter[by];

	if (!before->have[counter] || !after->have[counter] || !before->have[by] ||
	    !after->have[by] || !n)
		return NAN;
	return (double)(after->counter[counter] - before->counter[counter]) / (double)n;
}

/*
 * Upper bound of the bucket in which the wait lies that @percent of all do not
 * exceed. The last bucket has none: it also holds whatever took longer.
 */
static uint64_t wait_below(const uint64_t *waits, unsigned int percent)
{
	uint64_t total = 0, seen = 0, rank;

	for (unsigned int k = 0; k < IMA_TPM_WAIT_BUCKETS; k++)
		total += waits[k];
	/* rounded up: with few waits the p99 is the longest */
	rank = (total * percent + 99) / 100;
	for (unsigned int k = 0; total && k < IMA_TPM_WAIT_BUCKETS - 1; k++) {
		seen += waits[k];
		if (seen >= rank)
			return UINT64_C(1) << k;
	}
	return 0;
}

void ima_figures_between(const struct ima_tpm *before, const struct ima_tpm *after,
			 struct ima_figures *figures)
{
	uint64_t waits[IMA_TPM_WAIT_BUCKETS];

	*figures = (struct ima_figures){ .commands_per_extend = NAN, .mean_batch = NAN };
	if (!before || !after)
		return;
	figures->commands_per_extend = ratio(before, after, IMA_TPM_COMMANDS, IMA_TPM_EXTENDS);
	figures->mean_batch = ratio(before, after, IMA_TPM_EXTENDS, IMA_TPM_BATCHES);
	if (!before->have_series[IMA_TPM_WAIT_LOG2] || !after->have_series[IMA_TPM_WAIT_LOG2])
		return;
	for (unsigned int k = 0; k < IMA_TPM_WAIT_BUCKETS; k++)
		waits[k] = after->series[IMA_TPM_WAIT_LOG2][k] -
			   before->series[IMA_TPM_WAIT_LOG2][k];
	figures->wait_p50_us_below = wait_below(waits, 50);
	figures->wait_p99_us_below = wait_below(waits, 99);
}
