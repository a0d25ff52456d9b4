// SPDX-License-Identifier: GPL-2.0
/* The client's side of a run, with the measuring loop that all transports share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "run_shared.h"

static int choose_banks(struct client *c, const struct run_spec *spec, struct pcr_banks *chosen,
			struct vtf_error *err)
{
	char names[PCR_NAMES_BYTES];
	struct pcr_banks active;

	if (c->target->ops->banks(c, &active, err))
		return -1;
	if (!active.count)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: PCR %u is in no active bank",
				     c->target->name, c->pcr);
	pcr_banks_names(&active, names);
	for (unsigned int i = 0; i < spec->banks.count; i++)
		if (!pcr_banks_have(&active, spec->banks.bank[i]))
			return vtf_error_set(err, VTF_EXIT_MISSING,
					     "%s: bank %s is not active; active: %s",
					     c->target->name, spec->banks.bank[i]->name, names);
	*chosen = spec->banks.count ? spec->banks : active;
	return 0;
}

static int fill_digests(struct client *c, const struct run_spec *spec,
			const struct pcr_banks *banks, struct vtf_error *err)
{
	unsigned int per_bank = spec->digests_per_bank ? spec->digests_per_bank : 1;

	if (banks->count * per_bank > TPM_MAX_DIGESTS)
		return vtf_error_set(err, VTF_EXIT_USAGE, "%u digests do not fit into one command",
				     banks->count * per_bank);
	for (unsigned int i = 0; i < banks->count * per_bank; i++) {
		c->digests[i].bank = banks->bank[i % banks->count];
		if (pcr_hash(c->digests[i].bank, RUN_EXTEND_TEXT, strlen(RUN_EXTEND_TEXT),
			     c->digests[i].bytes))
			return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL has no %s",
					     c->digests[i].bank->name);
	}
	c->digest_count = banks->count * per_bank;
	if (c->target->ops->prepare(c))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "cannot encode the extend");
	return 0;
}

static int connect_client(struct client *c, const struct run_spec *spec, struct run_slot *slot)
{
	if (c->target->ops->open(c, &slot->error))
		return -1;
	slot->tpm_pid = c->tpm_pid;
	if (choose_banks(c, spec, &slot->banks, &slot->error))
		return -1;
	return fill_digests(c, spec, &slot->banks, &slot->error);
}

static int read_banks(struct client *c, struct run_slot *slot,
		      uint8_t (*values)[PCR_MAX_DIGEST_BYTES])
{
	for (unsigned int i = 0; i < slot->banks.count; i++)
		if (c->target->ops->pcr_read(c, slot->banks.bank[i], values[i], &slot->error))
			return -1;
	return 0;
}

/* Counts a failed command. Return: whether to go on. */
static bool note_failure(struct run_slot *slot, const struct client *c, int rc,
			 unsigned int in_a_row)
{
	if (rc > 0) {
		slot->refused++;
		vtf_error_set(&slot->error, VTF_EXIT_TPM,
			      "TPM2_PCR_Extend of PCR %u on %s: the TPM refuses with 0x%03x", c->pcr,
			      c->target->name, (unsigned int)rc);
	} else {
		slot->unanswered++;
		vtf_error_set(&slot->error, VTF_EXIT_TPM,
			      "TPM2_PCR_Extend of PCR %u on %s: no answer: %s", c->pcr,
			      c->target->name, strerror(-rc));
	}
	slot->gave_up = in_a_row >= RUN_ERRORS_IN_A_ROW;
	return !slot->gave_up;
}

static void count_progress(struct run_slot *slot)
{
	uint64_t n = atomic_load_explicit(&slot->progress, memory_order_relaxed);

	/* one writer, so no read-modify-write is needed */
	atomic_store_explicit(&slot->progress, n + 1, memory_order_relaxed);
}

static bool stopped(struct run_shared *sh)
{
	return atomic_load_explicit(&sh->stop, memory_order_relaxed);
}

/* Extends without looking at the clock's answer but for the end. Return: 0, -1 gave up. */
static int warm_up(struct run_shared *sh, struct client *c, struct run_slot *slot)
{
	uint64_t until = ticks_until(&sh->ticks, sh->start_ns + sh->spec->warmup_ns);
	unsigned int in_a_row = 0;

	while (ticks_now(sh->ticks.tsc) < until && !stopped(sh)) {
		int rc = c->target->ops->extend(c);

		count_progress(slot);
		if (!rc) {
			slot->all++;
			in_a_row = 0;
		} else if (!note_failure(slot, c, rc, ++in_a_row)) {
			return -1;
		}
	}
	return 0;
}

/*
 * The timed part. The clock is read once per command: the end of one command
 * is the start of the next, so the loop's own few nanoseconds count too and
 * the sum of all durations is the time that has passed.
 */
static void timed_loop(struct run_shared *sh, struct client *c, struct run_slot *slot)
{
	int (*extend)(struct client *) = c->target->ops->extend;
	uint64_t until = UINT64_MAX, limit = UINT64_MAX, previous, now;
	struct cpu_times begin = { 0 }, end = { 0 };
	const bool tsc = sh->ticks.tsc;
	unsigned int in_a_row = 0;

	if (sh->spec->count)
		limit = sh->spec->count;
	else
		until = ticks_until(&sh->ticks, sh->start_ns + sh->spec->warmup_ns +
						sh->spec->duration_ns);
	cpu_of_thread(&begin);
	slot->begin_ns = clock_now_ns();
	previous = now = ticks_now(tsc);
	while (now < until && slot->commands < limit && !stopped(sh)) {
		int rc = extend(c);

		now = ticks_now(tsc);
		count_progress(slot);
		if (!rc) {
			/* a counter may run a little ahead on the CPU we came from */
			hist_add(&slot->hist, now > previous ? now - previous : 0);
			slot->commands++;
			in_a_row = 0;
		} else if (!note_failure(slot, c, rc, ++in_a_row)) {
			break;
		}
		previous = now;
	}
	slot->end_ns = clock_now_ns();
	cpu_of_thread(&end);
	slot->all += slot->commands;
	slot->cpu.user_us = end.user_us - begin.user_us;
	slot->cpu.system_us = end.system_us - begin.system_us;
}

/* Arrives at the next phase and waits for it. Return: 0, -1 if the run was aborted. */
static int next_phase(struct run_shared *sh, unsigned int phase)
{
	gate_arrive(&sh->gate, phase);
	return gate_wait(&sh->gate, phase) ? -1 : 0;
}

static int client_phases(struct run_shared *sh, struct client *c, unsigned int index)
{
	struct run_slot *slot = &sh->slot[index];
	bool first = index < sh->spec->target_count;

	if (connect_client(c, sh->spec, slot))
		return -1;
	if (next_phase(sh, PHASE_BEFORE))
		return 0;
	if (first) {
		if (read_banks(c, slot, slot->before))
			return -1;
		slot->have_before = true;
	}
	/* touch the pages of the histogram before time counts */
	hist_reset(&slot->hist);
	if (next_phase(sh, PHASE_RUN))
		return 0;
	if (!warm_up(sh, c, slot))
		timed_loop(sh, c, slot);
	atomic_store(&slot->finished, true);
	if (next_phase(sh, PHASE_AFTER))
		return 0;
	if (first)
		slot->have_after = !read_banks(c, slot, slot->after);
	next_phase(sh, PHASE_END);
	return 0;
}

void run_client(struct run_shared *sh, unsigned int index)
{
	struct run_slot *slot = &sh->slot[index];
	struct client *c = calloc(1, sizeof(*c));

	if (!c) {
		vtf_error_set(&slot->error, VTF_EXIT_INTERNAL, "out of memory");
		gate_abort(&sh->gate);
		return;
	}
	c->target = &sh->spec->targets[index % sh->spec->target_count];
	c->pcr = sh->spec->pcr;
	c->fd = -1;
	if (client_phases(sh, c, index))
		gate_abort(&sh->gate);
	c->target->ops->close(c);
	free(c);
}
