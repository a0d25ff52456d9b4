// SPDX-License-Identifier: GPL-2.0
/* The coordinator of a run. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "costs.h"
#include "crew.h"
#include "run_shared.h"
#include "signals.h"

/* How often the coordinator looks whether everybody is alive and well. */
#define LOOK_NS (100 * NS_PER_MS)
/* What clients get to end by themselves before they are killed, and to be dead after it. */
#define END_NS (500 * NS_PER_MS)

struct run {
	const struct run_spec *spec;
	struct run_shared *sh;
	size_t shared_bytes;
	struct crew crew;
	uint64_t seen[RUN_MAX_CLIENTS]; /* progress at the last look ... */
	uint64_t seen_ns[RUN_MAX_CLIENTS]; /* ... and when it last changed */
	struct costs costs;
};

static void client_main(void *context, unsigned int index)
{
	run_client(context, index);
}

static void client_not_started(void *context, unsigned int index, int error)
{
	struct run_shared *sh = context;

	vtf_error_set(&sh->slot[index].error, VTF_EXIT_INTERNAL, "pthread_create: %s",
		      strerror(error));
	gate_abort(&sh->gate);
}

/* Ends all children: asked, then killed; never waits for one that cannot die. */
static void end_children(struct run *r, struct vtf_error *err)
{
	unsigned int left;

	atomic_store(&r->sh->stop, true);
	gate_abort(&r->sh->gate);
	left = crew_kill(&r->crew, END_NS);
	if (left)
		vtf_error_set(err, VTF_EXIT_TPM,
			      "%u clients were killed but hang on in the kernel until the TPM's "
			      "driver gives up",
			      left);
}

static const char *phase_text(unsigned int phase)
{
	static const char *const texts[] = { "start", "connect", "read the PCR", "extend",
					     "read the PCR afterwards" };

	return texts[phase];
}

/* In a phase without progress counters: who has not got there in time? */
static int too_slow(struct run *r, unsigned int phase, struct vtf_error *err)
{
	unsigned int arrived = atomic_load(&r->sh->gate.arrived[phase]);

	return vtf_error_set(err, VTF_EXIT_TPM,
			     "%u of %u clients could not %s within %.1f s: no answer from %s; does "
			     "another program hold it (swtpm serves one client at a time)?",
			     r->spec->clients - arrived, r->spec->clients, phase_text(phase),
			     (double)r->spec->setup_limit_ns / (double)NS_PER_S,
			     r->spec->targets[0].name);
}

/* In the extending phase: a client whose counter stands still. */
static int find_stuck(struct run *r, struct vtf_error *err)
{
	uint64_t now_ns = clock_now_ns();

	for (unsigned int i = 0; i < r->spec->clients; i++) {
		struct run_slot *slot = &r->sh->slot[i];
		uint64_t progress = atomic_load_explicit(&slot->progress, memory_order_relaxed);

		if (progress != r->seen[i] || !r->seen_ns[i] || atomic_load(&slot->finished)) {
			r->seen[i] = progress;
			r->seen_ns[i] = now_ns;
			continue;
		}
		if (now_ns - r->seen_ns[i] > r->spec->stuck_limit_ns)
			return vtf_error_set(err, VTF_EXIT_TPM,
					     "client %u of %u has had no answer from %s for %.1f s "
					     "(%llu commands before): stuck",
					     i + 1, r->spec->clients,
					     r->spec->targets[i % r->spec->target_count].name,
					     (double)(now_ns - r->seen_ns[i]) / (double)NS_PER_S,
					     (unsigned long long)progress);
	}
	return 0;
}

/* First error that a client left, in the order of clients. */
static int client_error(struct run *r, struct vtf_error *err)
{
	for (unsigned int i = 0; i < r->spec->clients; i++) {
		const struct vtf_error *e = &r->sh->slot[i].error;

		if (e->code != VTF_EXIT_DONE)
			return vtf_error_set(err, e->code, "%s", e->text);
	}
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "a client ended without a word");
}

/* Waits until every client is ready for @phase. Return: 0, -1 with @err set. */
static int await(struct run *r, unsigned int phase, struct vtf_error *err)
{
	uint64_t start_ns = clock_now_ns();
	bool running = phase == PHASE_AFTER;

	for (;;) {
		unsigned int left;
		int status, rc;

		rc = gate_wait_arrived(&r->sh->gate, phase, r->spec->clients, LOOK_NS);
		if (!rc)
			return 0;
		if (signals_pending())
			return vtf_error_set(err, VTF_EXIT_INCOMPLETE, "interrupted by signal %d",
					     signals_pending());
		if (rc == -ECANCELED)
			return client_error(r, err);
		status = crew_reap(&r->crew, &left);
		if (status)
			return crew_died(status, err);
		if (running && find_stuck(r, err))
			return -1;
		if (!running && clock_now_ns() - start_ns > r->spec->setup_limit_ns)
			return too_slow(r, phase, err);
	}
}

static pid_t tpm_pid(const struct run *r)
{
	return r->spec->tpm_pid ? r->spec->tpm_pid : r->sh->slot[0].tpm_pid;
}

static int run_phases(struct run *r, struct vtf_error *err)
{
	uint64_t timed_ns;

	if (await(r, PHASE_BEFORE, err))
		return -1;
	gate_open(&r->sh->gate, PHASE_BEFORE);
	if (await(r, PHASE_RUN, err))
		return -1;
	r->sh->start_ns = clock_now_ns();
	timed_ns = r->sh->start_ns + r->spec->warmup_ns;
	gate_open(&r->sh->gate, PHASE_RUN);
	while (clock_now_ns() < timed_ns && !signals_pending() && !gate_is_aborted(&r->sh->gate) &&
	       !find_stuck(r, err)) {
		uint64_t look_ns = clock_now_ns() + LOOK_NS;

		clock_sleep_until(look_ns < timed_ns ? look_ns : timed_ns);
	}
	if (err->code != VTF_EXIT_DONE)
		return -1;
	costs_snapshot(&r->costs, 0, tpm_pid(r), r->spec->chip);
	if (await(r, PHASE_AFTER, err))
		return -1;
	costs_snapshot(&r->costs, 1, tpm_pid(r), r->spec->chip);
	gate_open(&r->sh->gate, PHASE_AFTER);
	if (await(r, PHASE_END, err))
		return -1;
	gate_open(&r->sh->gate, PHASE_END);
	crew_reap_until(&r->crew, clock_now_ns() + END_NS);
	return 0;
}

/* Adds the clients up. Return: how many of them gave up. */
static unsigned int sum_clients(struct run *r, struct run_result *result)
{
	unsigned int per_command = r->spec->digests_per_bank ? r->spec->digests_per_bank : 1;
	uint64_t begin_ns = UINT64_MAX, end_ns = 0, user_us = 0, system_us = 0;
	unsigned int gave_up = 0;

	for (unsigned int i = 0; i < r->spec->clients; i++) {
		const struct run_slot *slot = &r->sh->slot[i];

		hist_merge(&result->hist, &slot->hist);
		result->commands += slot->commands;
		result->refused += slot->refused;
		result->unanswered += slot->unanswered;
		user_us += slot->cpu.user_us;
		system_us += slot->cpu.system_us;
		gave_up += slot->gave_up;
		if (slot->begin_ns && slot->begin_ns < begin_ns)
			begin_ns = slot->begin_ns;
		if (slot->end_ns > end_ns)
			end_ns = slot->end_ns;
		if (slot->error.code != VTF_EXIT_DONE)
			vtf_error_set(&result->error, slot->error.code, "%s", slot->error.text);
	}
	/* by now the length of a tick is known better than at the start */
	result->ns_per_tick = ticks_get().ns_per_tick;
	result->banks = r->sh->slot[0].banks;
	result->extends = result->commands * per_command;
	if (end_ns > begin_ns)
		result->duration_s = (double)(end_ns - begin_ns) / (double)NS_PER_S;
	if (result->extends) {
		result->client_user_us = (double)user_us / (double)result->extends;
		result->client_system_us = (double)system_us / (double)result->extends;
	}
	return gave_up;
}

static enum vtf_exit judge(const struct run_result *result, unsigned int gave_up)
{
	enum vtf_exit code = VTF_EXIT_DONE;

	if (result->verdict == RUN_MISMATCH)
		code = VTF_EXIT_VERIFY;
	if (gave_up || !result->commands)
		code = vtf_exit_worse(code, VTF_EXIT_TPM);
	if (result->refused || result->unanswered || result->verdict == RUN_UNVERIFIED)
		code = vtf_exit_worse(code, VTF_EXIT_INCOMPLETE);
	return code;
}

static int run_init(struct run *r, const struct run_spec *spec, struct vtf_error *err)
{
	memset(r, 0, sizeof(*r));
	r->spec = spec;
	r->shared_bytes = sizeof(struct run_shared) + spec->clients * sizeof(struct run_slot);
	r->sh = mmap(NULL, r->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (r->sh == MAP_FAILED)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "mmap: %s", strerror(errno));
	gate_init(&r->sh->gate);
	ticks_init();
	r->sh->ticks = ticks_get();
	r->sh->spec = spec;
	r->crew.workers = spec->clients;
	r->crew.threads = spec->threads;
	r->crew.work = client_main;
	r->crew.not_started = client_not_started;
	r->crew.context = r->sh;
	return 0;
}

enum vtf_exit run_point(const struct run_spec *spec, struct run_result *result)
{
	enum vtf_exit code;
	struct run r;

	memset(result, 0, sizeof(*result));
	result->tpm_us = NAN;
	result->idle_pct = NAN;
	if (run_init(&r, spec, &result->error))
		return result->error.code;
	if (crew_start(&r.crew, &result->error) || run_phases(&r, &result->error)) {
		code = result->error.code;
	} else {
		unsigned int gave_up = sum_clients(&r, result);

		costs_sum(&r.costs, result);
		run_verify(r.sh, result);
		code = judge(result, gave_up);
	}
	end_children(&r, &result->error);
	munmap(r.sh, r.shared_bytes);
	return code;
}
