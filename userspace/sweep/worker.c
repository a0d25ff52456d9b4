// SPDX-License-Identifier: GPL-2.0
/* The worker's side of a point, with the measuring loop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "sweep/shared.h"

struct worker {
	struct point_shared *sh;
	struct point_slot *slot;
	struct work work;
};

static void count_progress(struct worker *w)
{
	uint64_t n = atomic_load_explicit(&w->slot->progress, memory_order_relaxed);

	/* one writer, so no read-modify-write is needed */
	atomic_store_explicit(&w->slot->progress, n + 1, memory_order_relaxed);
}

static bool stopped(struct worker *w)
{
	return atomic_load_explicit(&w->sh->stop, memory_order_relaxed);
}

/* Worker i on the i-th allowed CPU, over and over. A refusal changes nothing but the spread. */
static void pin(struct worker *w)
{
	unsigned int allowed = (unsigned int)CPU_COUNT(&w->sh->allowed);
	unsigned int nth = allowed ? w->work.worker % allowed : 0;
	cpu_set_t one;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &w->sh->allowed) || nth--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static int make_files(struct worker *w)
{
	const struct point_spec *spec = w->sh->spec;
	uint64_t all = spec->warm_files + spec->timed_files;
	/* file k of the pool is number k / workers in directory k % workers */
	uint64_t mine = (all + spec->workers - 1) / spec->workers;

	if (!spec->workload->prepare)
		return 0;
	while (w->work.made < mine && !stopped(w)) {
		int rc = spec->workload->prepare(&w->work);

		if (rc)
			return vtf_error_set(&w->slot->error, VTF_EXIT_INTERNAL,
					     "workload %s: file %llu of %llu in %s/%u: %s",
					     spec->workload->name,
					     (unsigned long long)w->work.made + 1,
					     (unsigned long long)mine, w->sh->place.path,
					     w->work.worker, strerror(-rc));
		count_progress(w);
	}
	return 0;
}

/* Own files only, so the directory belongs to this worker again. */
static void remove_files(struct worker *w)
{
	const struct workload *workload = w->sh->spec->workload;
	struct work_file file = { .dir = w->work.worker };

	if (!workload->cleanup)
		return;
	for (; file.number < w->work.made; file.number++) {
		(void)workload->cleanup(&w->work, &file);
		count_progress(w);
	}
}

/* The next of a part of the pool. Return: whether there is one. */
static bool take_file(struct worker *w, _Atomic uint64_t *next, uint64_t first, uint64_t count,
		      struct work_file *file)
{
	uint64_t k;

	if (!w->sh->spec->workload->prepare)
		return true;
	k = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
	if (k >= count)
		return false;
	k += first;
	file->dir = (unsigned int)(k % w->sh->spec->workers);
	file->number = k / w->sh->spec->workers;
	return true;
}

/* Counts a failed access. Return: whether to go on. */
static bool note_failure(struct worker *w, int rc, unsigned int in_a_row)
{
	w->slot->errors++;
	vtf_error_set(&w->slot->error, VTF_EXIT_INCOMPLETE, "workload %s: an access failed: %s",
		      w->sh->spec->workload->name, strerror(-rc));
	w->slot->gave_up = in_a_row >= POINT_ERRORS_IN_A_ROW;
	return !w->slot->gave_up;
}

static void warm_up(struct worker *w)
{
	const struct point_spec *spec = w->sh->spec;
	uint64_t until = ticks_until(&w->sh->ticks, w->sh->start_ns + spec->warmup_ns);
	struct work_file file = { 0 };
	unsigned int in_a_row = 0;

	while (spec->warmup_ns && ticks_now(w->sh->ticks.tsc) < until && !stopped(w) &&
	       take_file(w, &w->sh->next_warm, 0, spec->warm_files, &file)) {
		int rc = spec->workload->run(&w->work, &file);

		count_progress(w);
		in_a_row = rc ? in_a_row + 1 : 0;
		if (rc && !note_failure(w, rc, in_a_row))
			return;
	}
}

/* Time of this thread and of the processes that its accesses started. */
static struct cpu_times cpu_used(const struct worker *w)
{
	struct cpu_times t = { 0 };

	cpu_of_thread(&t);
	t.user_us += w->work.children.user_us;
	t.system_us += w->work.children.system_us;
	return t;
}

/* The clock is read once per access: the end of one is the start of the next. */
static void timed_accesses(struct worker *w)
{
	const struct point_spec *spec = w->sh->spec;
	int (*run)(struct work *work, const struct work_file *file) = spec->workload->run;
	uint64_t limit = spec->count ? spec->count : UINT64_MAX, until = UINT64_MAX, previous, now;
	const bool tsc = w->sh->ticks.tsc;
	struct point_slot *slot = w->slot;
	struct work_file file = { 0 };
	unsigned int in_a_row = 0;

	if (!spec->count)
		until = ticks_until(&w->sh->ticks, w->sh->start_ns + spec->duration_ns);
	previous = now = ticks_now(tsc);
	while (now < until && slot->accesses < limit && !stopped(w)) {
		int rc;

		if (!take_file(w, &w->sh->next_timed, spec->warm_files, spec->timed_files, &file)) {
			slot->files_ended = true;
			break;
		}
		rc = run(&w->work, &file);
		now = ticks_now(tsc);
		count_progress(w);
		if (!rc) {
			hist_add(&slot->hist, now > previous ? now - previous : 0);
			slot->accesses++;
			in_a_row = 0;
		} else if (!note_failure(w, rc, ++in_a_row)) {
			break;
		}
		previous = now;
	}
}

static void timed_part(struct worker *w)
{
	struct cpu_times begin = cpu_used(w), end;

	w->slot->begin_ns = clock_now_ns();
	timed_accesses(w);
	w->slot->end_ns = clock_now_ns();
	end = cpu_used(w);
	w->slot->cpu.user_us = end.user_us - begin.user_us;
	w->slot->cpu.system_us = end.system_us - begin.system_us;
}

/* Arrives at the next phase and waits for it. Return: 0, -1 if the point was aborted. */
static int next_phase(struct worker *w, unsigned int phase)
{
	int rc;

	atomic_store(&w->slot->waiting, true);
	gate_arrive(&w->sh->gate, phase);
	rc = gate_wait(&w->sh->gate, phase);
	atomic_store(&w->slot->waiting, false);
	return rc ? -1 : 0;
}

void point_worker(void *shared, unsigned int index)
{
	struct point_shared *sh = shared;
	struct worker w = { .sh = sh, .slot = &sh->slot[index] };

	w.work.place = &sh->place;
	w.work.worker = index;
	if (sh->spec->pin)
		pin(&w);
	if (make_files(&w)) {
		gate_abort(&sh->gate);
		return;
	}
	/* touch the pages of the histogram before time counts */
	hist_reset(&w.slot->hist);
	if (next_phase(&w, POINT_WARM))
		return;
	warm_up(&w);
	if (next_phase(&w, POINT_TIMED))
		return;
	if (!w.slot->gave_up)
		timed_part(&w);
	if (next_phase(&w, POINT_REMOVE))
		return;
	remove_files(&w);
	next_phase(&w, POINT_END);
}
