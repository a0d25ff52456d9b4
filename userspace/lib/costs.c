// SPDX-License-Identifier: GPL-2.0
#include "costs.h"

void costs_snapshot(struct costs *c, int which, pid_t tpm_pid, const char *chip)
{
	bool machine = !cpu_of_machine(&c->machine[which]);
	bool tpm = tpm_pid && !cpu_of_process(tpm_pid, &c->tpm[which]);
	bool stats = chip && !sysfs_stats_get(chip, &c->stats[which]);

	c->have_machine = machine && (!which || c->have_machine);
	c->have_tpm = tpm && (!which || c->have_tpm);
	c->have_stats = stats && (!which || c->have_stats);
}

static void sum_stats(const struct costs *c, struct run_result *result)
{
	const struct sysfs_stats *a = &c->stats[0], *b = &c->stats[1];

	result->have_stats = c->have_stats;
	if (!c->have_stats)
		return;
	result->stats.commands = b->commands - a->commands;
	result->stats.looks = b->looks - a->looks;
	result->stats.sleeps = b->sleeps - a->sleeps;
	result->stats.wakeups = b->wakeups - a->wakeups;
	result->stats.timeouts = b->timeouts - a->timeouts;
	result->stats.cancels = b->cancels - a->cancels;
}

void costs_sum(const struct costs *c, struct run_result *result)
{
	if (c->have_machine)
		result->idle_pct = cpu_idle_pct(&c->machine[0], &c->machine[1]);
	if (c->have_tpm && result->extends) {
		uint64_t before_us = c->tpm[0].user_us + c->tpm[0].system_us;
		uint64_t after_us = c->tpm[1].user_us + c->tpm[1].system_us;

		result->tpm_us = (double)(after_us - before_us) / (double)result->extends;
	}
	sum_stats(c, result);
}
