/* SPDX-License-Identifier: GPL-2.0 */
/* What a timed part cost besides time: idle CPUs, the TPM process, looks at the chip. */
#ifndef VTF_COSTS_H
#define VTF_COSTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cpu.h"
#include "run.h"
#include "sysfs.h"

struct costs {
	struct cpu_machine machine[2];
	struct cpu_times tpm[2];
	struct sysfs_stats stats[2];
	bool have_machine, have_tpm, have_stats;
};

/**
 * costs_snapshot() - read all counters
 * @which:   0 at the start of the timed part, 1 at its end
 * @tpm_pid: TPM process, 0: not known
 * @chip:    chip whose completion_stats are read, NULL: none
 */
void costs_snapshot(struct costs *c, int which, pid_t tpm_pid, const char *chip);

/**
 * costs_sum() - differences over the timed part
 * @result: its extends are known; receives idle_pct, tpm_us and stats, as far as
 *          both snapshots have them
 */
void costs_sum(const struct costs *c, struct run_result *result);

#endif
