// SPDX-License-Identifier: GPL-2.0
/* The coordinator of a point. */
#include "point.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/costs.h"
#include "lib/ima_tpm.h"
#include "lib/signals.h"
#include "lib/sysfs.h"
#include "sweep/shared.h"

/* How often the coordinator looks whether everybody is alive and well. */
#define LOOK_NS (100 * NS_PER_MS)
/* What workers get to end by themselves before they are killed, and to be dead after it. */
#define END_NS (500 * NS_PER_MS)
/* List and PCR may differ for a moment after the last access, not for longer. */
#define AGREE_NS (2 * NS_PER_S)
#define AGREE_LOOK_NS (20 * NS_PER_MS)

struct point {
	const struct point_spec *spec;
	struct point_shared *sh;
	size_t shared_bytes;
	struct crew crew;
	uint64_t seen[CREW_MAX]; /* progress at the last look ... */
	uint64_t seen_ns[CREW_MAX]; /* ... and when it last changed */
	uint64_t lost; /* extends that IMA counted as lost when the point began */
	struct costs costs;
	struct ima_tpm ima[2]; /* before and after the timed part */
	bool have_ima[2];
	struct tpm_reading reading[2];
};

int point_list_entries(uint64_t *entries)
{
	char text[32];
	int rc = sysfs_read(text, sizeof(text),
			    "kernel/security/ima/runtime_measurements_count");

	if (!rc)
		*entries = strtoull(text, NULL, 10);
	return rc;
}

/* Return: index of a bank whose value is not the list's, -1 if there is none. */
static int differing_bank(const struct tpm_watch *tpm, const struct ima_follow *follow,
			  const struct tpm_reading *reading)
{
	const struct pcr_banks *banks = tpm_watch_banks(tpm);

	for (unsigned int i = 0; i < banks->count; i++)
		if (memcmp(ima_follow_value(follow, i), reading->value[i], banks->bank[i]->size) != 0)
			return (int)i;
	return -1;
}

int point_agree(struct tpm_watch *tpm, struct ima_follow *follow, struct tpm_reading *reading,
		struct vtf_error *err)
{
	uint64_t until_ns = clock_now_ns() + AGREE_NS;
	struct ima_follow_counts counts;

	for (;;) {
		int bank;

		if (ima_follow_update(follow, err) || tpm_watch_read(tpm, reading, err))
			return -1;
		bank = differing_bank(tpm, follow, reading);
		if (bank < 0)
			return 0;
		/* at least one look after the last entry, however long reading the list took */
		if (clock_now_ns() > until_ns) {
			ima_follow_counts(follow, &counts);
			return vtf_error_set(err, VTF_EXIT_VERIFY,
					     "the measurement list, replayed to entry %llu, is not "
					     "what PCR %d holds in bank %s",
					     (unsigned long long)counts.entries, IMA_DEFAULT_PCR,
					     tpm_watch_banks(tpm)->bank[bank]->name);
		}
		clock_sleep_until(clock_now_ns() + AGREE_LOOK_NS);
	}
}

/* A worker whose counter stands still, and that is not at the gate. */
static int find_stuck(struct point *p, struct vtf_error *err)
{
	uint64_t now_ns = clock_now_ns();

	for (unsigned int i = 0; i < p->spec->workers; i++) {
		struct point_slot *slot = &p->sh->slot[i];
		uint64_t progress = atomic_load_explicit(&slot->progress, memory_order_relaxed);

		if (progress != p->seen[i] || !p->seen_ns[i] || atomic_load(&slot->waiting)) {
			p->seen[i] = progress;
			p->seen_ns[i] = now_ns;
			continue;
		}
		if (now_ns - p->seen_ns[i] > p->spec->stuck_limit_ns)
			return vtf_error_set(err, VTF_EXIT_TPM,
					     "worker %u of %u has not got on for %.1f s (workload "
					     "%s, %llu steps before): stuck",
					     i + 1, p->spec->workers,
					     (double)(now_ns - p->seen_ns[i]) / (double)NS_PER_S,
					     p->spec->workload->name,
					     (unsigned long long)progress);
	}
	return 0;
}

/* What IMA counts as lost since boot; 0 where the kernel does not count. @first: its entry, 0 if not said. */
static uint64_t lost_extends(uint64_t *first)
{
	struct ima_tpm tpm;

	*first = 0;
	if (ima_tpm_read(&tpm))
		return 0;
	*first = tpm.counter[IMA_TPM_FIRST_LOST];
	return tpm.counter[IMA_TPM_LOST];
}

/*
 * An access gets on although its extend is lost, once the time limit of the
 * kernel is over, so nobody need be stuck; but no list can be right any more.
 */
static int find_lost(const struct point *p, struct vtf_error *err)
{
	uint64_t first, lost = lost_extends(&first);
	char where[48] = "";

	if (lost <= p->lost)
		return 0;
	/* the first since boot is one of ours only if there was none before */
	if (first && !p->lost)
		snprintf(where, sizeof(where), ", the first at list entry %llu",
			 (unsigned long long)first);
	return vtf_error_set(err, VTF_EXIT_TPM,
			     "the TPM refuses extends or gives no answer: IMA has lost %llu%s "
			     "(workload %s)",
			     (unsigned long long)(lost - p->lost), where, p->spec->workload->name);
}

static int worker_error(const struct point *p, struct vtf_error *err)
{
	for (unsigned int i = 0; i < p->spec->workers; i++) {
		const struct vtf_error *e = &p->sh->slot[i].error;

		if (e->code != VTF_EXIT_DONE)
			return vtf_error_set(err, e->code, "%s", e->text);
	}
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "a worker ended without a word");
}

/* Waits until every worker is ready for @phase. Return: 0, -1 with @err set. */
static int await(struct point *p, unsigned int phase, struct vtf_error *err)
{
	for (;;) {
		unsigned int left;
		int status, rc;

		rc = gate_wait_arrived(&p->sh->gate, phase, p->spec->workers, LOOK_NS);
		if (!rc)
			return 0;
		if (signals_pending())
			return vtf_error_set(err, VTF_EXIT_INCOMPLETE, "interrupted by signal %d",
					     signals_pending());
		if (rc == -ECANCELED)
			return worker_error(p, err);
		status = crew_reap(&p->crew, &left);
		if (status)
			return crew_died(status, err);
		if (find_lost(p, err) || find_stuck(p, err))
			return -1;
	}
}

static void let_in(struct point *p, unsigned int phase)
{
	p->sh->start_ns = clock_now_ns();
	gate_open(&p->sh->gate, phase);
}

static int begin_timed(struct point *p, struct point_result *result)
{
	struct vtf_error *err = &result->run.error;
	int rc = point_list_entries(&result->list_entries);

	if (rc)
		return vtf_error_set(err, VTF_EXIT_MISSING, "cannot read the length of IMA's list: %s",
				     strerror(-rc));
	if (p->spec->tpm && tpm_watch_read(p->spec->tpm, &p->reading[0], err))
		return -1;
	p->have_ima[0] = !ima_tpm_read(&p->ima[0]);
	/* last, so that the readings above do not count */
	costs_snapshot(&p->costs, 0, p->spec->tpm_pid, p->spec->chip);
	return 0;
}

static int end_timed(struct point *p, struct point_result *result)
{
	struct vtf_error *err = &result->run.error;
	struct ima_follow_counts before, after;

	costs_snapshot(&p->costs, 1, p->spec->tpm_pid, p->spec->chip);
	/* every access has returned, so every extend has ended */
	p->have_ima[1] = !ima_tpm_read(&p->ima[1]);
	ima_figures_between(p->have_ima[0] ? &p->ima[0] : NULL, p->have_ima[1] ? &p->ima[1] : NULL,
			    &result->ima);
	ima_follow_counts(p->spec->follow, &before);
	if (!p->spec->tpm) {
		if (ima_follow_update(p->spec->follow, err))
			return -1;
	} else if (point_agree(p->spec->tpm, p->spec->follow, &p->reading[1], err)) {
		if (err->code != VTF_EXIT_VERIFY)
			return -1;
		/* a point all the same: it says by how much */
		result->run.verdict = RUN_MISMATCH;
	} else {
		result->run.verdict = RUN_VERIFIED;
	}
	ima_follow_counts(p->spec->follow, &after);
	result->list_entries_end = after.entries;
	result->violations = after.violations - before.violations;
	result->have_updates = p->spec->tpm != NULL;
	if (after.entries > result->list_entries)
		result->run.extends = after.entries - result->list_entries;
	/* wraps as the counter does */
	result->updates = p->reading[1].updates - p->reading[0].updates;
	return 0;
}

static int run_phases(struct point *p, struct point_result *result)
{
	struct vtf_error *err = &result->run.error;
	int rc = 0;

	if (await(p, POINT_WARM, err))
		return -1;
	let_in(p, POINT_WARM);
	if (await(p, POINT_TIMED, err) || begin_timed(p, result))
		return -1;
	let_in(p, POINT_TIMED);
	if (await(p, POINT_REMOVE, err))
		return -1;
	if (end_timed(p, result))
		rc = -1;
	let_in(p, POINT_REMOVE);
	if (await(p, POINT_END, err))
		return -1;
	gate_open(&p->sh->gate, POINT_END);
	crew_reap_until(&p->crew, clock_now_ns() + END_NS);
	return rc;
}

/* Adds the workers up. Return: how many of them gave up. */
static unsigned int sum_workers(struct point *p, struct point_result *result)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0, user_us = 0, system_us = 0;
	struct run_result *run = &result->run;
	unsigned int gave_up = 0;

	for (unsigned int i = 0; i < p->spec->workers; i++) {
		const struct point_slot *slot = &p->sh->slot[i];

		hist_merge(&run->hist, &slot->hist);
		run->commands += slot->accesses;
		result->errors += slot->errors;
		result->files_ended |= slot->files_ended;
		user_us += slot->cpu.user_us;
		system_us += slot->cpu.system_us;
		gave_up += slot->gave_up;
		if (slot->begin_ns && slot->begin_ns < begin_ns)
			begin_ns = slot->begin_ns;
		if (slot->end_ns > end_ns)
			end_ns = slot->end_ns;
		if (slot->error.code != VTF_EXIT_DONE)
			vtf_error_set(&run->error, slot->error.code, "%s", slot->error.text);
	}
	/* by now the length of a tick is known better than at the start */
	run->ns_per_tick = ticks_get().ns_per_tick;
	if (end_ns > begin_ns)
		run->duration_s = (double)(end_ns - begin_ns) / (double)NS_PER_S;
	if (run->extends) {
		run->client_user_us = (double)user_us / (double)run->extends;
		run->client_system_us = (double)system_us / (double)run->extends;
	}
	return gave_up;
}

static enum vtf_exit judge(struct point_result *result, unsigned int gave_up)
{
	struct run_result *run = &result->run;
	enum vtf_exit code = VTF_EXIT_DONE;

	if (run->verdict == RUN_MISMATCH)
		code = VTF_EXIT_VERIFY;
	if (result->errors || gave_up)
		code = vtf_exit_worse(code, VTF_EXIT_INCOMPLETE);
	if (run->commands && !run->extends) {
		code = vtf_exit_worse(code, VTF_EXIT_VERIFY);
		vtf_error_set(&run->error, VTF_EXIT_VERIFY,
			      "%llu accesses made no entry in the measurement list",
			      (unsigned long long)run->commands);
	}
	return code;
}

/* Directories of the workers. Return: 0, -1. */
static int make_place(struct point *p, struct vtf_error *err)
{
	struct work_place *place = &p->sh->place;

	snprintf(place->path, sizeof(place->path), "%s", p->spec->path);
	snprintf(place->nonce, sizeof(place->nonce), "%s", p->spec->nonce);
	for (; place->dirs < p->spec->workers; place->dirs++) {
		char path[sizeof(place->path) + 16];
		int fd;

		snprintf(path, sizeof(path), "%s/%u", place->path, place->dirs);
		fd = mkdir(path, 0700) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return vtf_error_set(err, VTF_EXIT_INTERNAL, "mkdir %s: %s", path,
					     strerror(errno));
		place->dir[place->dirs] = fd;
	}
	return 0;
}

static void remove_place(struct point *p)
{
	struct work_place *place = &p->sh->place;

	while (place->dirs--) {
		char path[sizeof(place->path) + 16];

		close(place->dir[place->dirs]);
		snprintf(path, sizeof(path), "%s/%u", place->path, place->dirs);
		/* one that a killed worker left files in goes with the place as a whole */
		rmdir(path);
	}
}

static void worker_not_started(void *context, unsigned int index, int error)
{
	struct point_shared *sh = context;

	vtf_error_set(&sh->slot[index].error, VTF_EXIT_INTERNAL, "pthread_create: %s",
		      strerror(error));
	gate_abort(&sh->gate);
}

static int point_init(struct point *p, const struct point_spec *spec, struct vtf_error *err)
{
	uint64_t first;

	memset(p, 0, sizeof(*p));
	p->spec = spec;
	p->lost = lost_extends(&first);
	p->shared_bytes = sizeof(struct point_shared) + spec->workers * sizeof(struct point_slot);
	p->sh = mmap(NULL, p->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (p->sh == MAP_FAILED)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "mmap: %s", strerror(errno));
	gate_init(&p->sh->gate);
	ticks_init();
	p->sh->ticks = ticks_get();
	p->sh->spec = spec;
	sched_getaffinity(0, sizeof(p->sh->allowed), &p->sh->allowed);
	p->crew.workers = spec->workers;
	p->crew.threads = spec->threads;
	p->crew.work = point_worker;
	p->crew.not_started = worker_not_started;
	p->crew.context = p->sh;
	return 0;
}

static void end_workers(struct point *p, struct vtf_error *err)
{
	unsigned int left;

	atomic_store(&p->sh->stop, true);
	gate_abort(&p->sh->gate);
	left = crew_kill(&p->crew, END_NS);
	if (left)
		vtf_error_set(err, VTF_EXIT_TPM,
			      "%u workers were killed but hang on in the kernel until the TPM's "
			      "driver gives up",
			      left);
}

enum vtf_exit point_run(const struct point_spec *spec, struct point_result *result)
{
	struct vtf_error *err = &result->run.error;
	enum vtf_exit code;
	struct point p;

	memset(result, 0, sizeof(*result));
	result->run.tpm_us = NAN;
	result->run.idle_pct = NAN;
	if (spec->tpm)
		result->run.banks = *tpm_watch_banks(spec->tpm);
	if (point_init(&p, spec, err))
		return err->code;
	if (make_place(&p, err) || crew_start(&p.crew, err) || run_phases(&p, result)) {
		code = err->code;
	} else {
		unsigned int gave_up = sum_workers(&p, result);

		costs_sum(&p.costs, &result->run);
		code = judge(result, gave_up);
	}
	end_workers(&p, err);
	remove_place(&p);
	munmap(p.sh, p.shared_bytes);
	return code;
}
