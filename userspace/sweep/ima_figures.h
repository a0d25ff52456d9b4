/* SPDX-License-Identifier: GPL-2.0 */
/* What IMA itself says of a timed part: differences between two readings of ima/tpm. */
#ifndef VTF_IMA_FIGURES_H
#define VTF_IMA_FIGURES_H

#include "lib/ima_tpm.h"

struct ima_figures {
	double commands_per_extend; /* NAN: no extend, or the kernel does not say */
	double mean_batch;	    /* extends of a batch; NAN likewise */
	/* bounds: waits were shorter than so many us; 0: no wait, not said, or longer than all bounds */
	uint64_t wait_p50_us_below;
	uint64_t wait_p99_us_below;
};

/* @before and @after: NULL if the file could not be read. */
void ima_figures_between(const struct ima_tpm *before, const struct ima_tpm *after,
			 struct ima_figures *figures);

#endif
