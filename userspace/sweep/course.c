// SPDX-License-Identifier: GPL-2.0
/* Course of a sweep: which point comes when, with how many files. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/signals.h"
#include "sweep/sweep.h"

/* A trial shows how fast a workload is: so many files, or so long. */
#define TRIAL_FILES 200
#define TRIAL_NS (100 * NS_PER_MS)
/* Files made for a point, as a multiple of what it is expected to need. */
#define FILES_MARGIN 1.5
/* A trial is short and cold, so it is believed less. */
#define TRIAL_FACTOR 1.5
#define FILES_SPARE 50
#define MODE_FAST "auto"

unsigned int sweep_total(const struct sweep *s)
{
	return s->workload_count * s->count_count * s->measure.runs * modes_turns(&s->modes);
}

struct sweep_at sweep_at(const struct sweep *s, unsigned int i)
{
	unsigned int turns = modes_turns(&s->modes), runs = s->measure.runs;

	return (struct sweep_at){
		.mode = i % turns,
		.run = i / turns % runs + 1,
		.workers = s->counts[i / turns / runs % s->count_count],
		.workload = i / turns / runs / s->count_count,
	};
}

const char *sweep_mode(const struct sweep *s, unsigned int turn)
{
	const char *name = modes_name(&s->modes, turn);

	if (s->no_tpm)
		return "no-tpm";
	return name;
}

static unsigned int at_most(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

uint64_t sweep_files(const struct sweep_rate *rate, unsigned int workers, unsigned int cpus,
		     double seconds)
{
	double factor = 1;

	if (rate->workers && workers > rate->workers)
		factor = (double)at_most(workers, cpus) / (double)at_most(rate->workers, cpus);
	return (uint64_t)(rate->accesses_per_s * factor * seconds * FILES_MARGIN) + FILES_SPARE +
	       workers;
}

static unsigned int cpus_allowed(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) || !CPU_COUNT(&set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

/* Fills in the numbers of files, as far as they are not given. Return: 0, -1 if a count asks for more than there is room. */
static int plan_files(struct sweep *s, struct point_spec *spec, const struct sweep_rate *rate,
		      struct vtf_error *err)
{
	uint64_t room, all;

	if (!spec->workload->prepare)
		return 0;
	if (spec->warmup_ns)
		spec->warm_files = sweep_files(rate, spec->workers, cpus_allowed(),
					       (double)spec->warmup_ns / (double)NS_PER_S);
	if (spec->count)
		spec->timed_files = spec->count * spec->workers;
	else if (!spec->timed_files)
		spec->timed_files = sweep_files(rate, spec->workers, cpus_allowed(),
						(double)spec->duration_ns / (double)NS_PER_S);
	room = place_room(&s->place);
	all = spec->warm_files + spec->timed_files;
	if (all <= room)
		return 0;
	if (spec->count)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "no room for %llu files, only for %llu",
				     (unsigned long long)all, (unsigned long long)room);
	spec->warm_files = (uint64_t)((double)spec->warm_files * (double)room / (double)all);
	spec->timed_files = room - spec->warm_files;
	return 0;
}

/* Says what was wrong with a point, if anything. Return: @code. */
static enum vtf_exit report(enum vtf_exit code, const struct point_result *result)
{
	if (code != VTF_EXIT_DONE)
		vtf_error_print(SWEEP_NAME, &result->run.error);
	return code;
}

/* Runs a point in a directory of its own; @asked needs to say only what is the point's alone. */
static enum vtf_exit run_point_here(struct sweep *s, const struct point_spec *asked,
				    const struct sweep_rate *rate, struct point_result *result)
{
	char path[PLACE_PATH_BYTES + 16], nonce[WORK_NONCE_BYTES];
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct point_spec spec = *asked;
	enum vtf_exit code;

	s->points++;
	snprintf(path, sizeof(path), "%s/p%u", s->place.path, s->points);
	snprintf(nonce, sizeof(nonce), "%s-%u", s->nonce, s->points);
	spec.path = path;
	spec.nonce = nonce;
	spec.tpm = s->tpm;
	spec.follow = s->follow;
	spec.chip = s->chip[0] ? s->chip : NULL;
	spec.tpm_pid = s->tpm_pid;
	spec.stuck_limit_ns = clock_s_to_ns(s->measure.limit_s);
	spec.pin = s->pin;
	if (plan_files(s, &spec, rate, &err) == 0 && mkdir(path, 0700))
		vtf_error_set(&err, VTF_EXIT_INTERNAL, "mkdir %s: %m", path);
	if (err.code != VTF_EXIT_DONE) {
		result->run.error = err;
		return err.code;
	}
	code = point_run(&spec, result);
	rmdir(path);
	return code;
}

static enum vtf_exit not_measured(const struct sweep *s, const struct workload *w)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	const char *id = s->place.fsuuid;

	vtf_error_set(&err, VTF_EXIT_MISSING,
		      "workload %s is not measured by IMA's policy; it needs the rule `%s%s%s` "
		      "(--policy FILE loads one, with %s for the UUID)",
		      w->name, w->rule, *id ? " fsuuid=" : "", id, "@FSUUID@");
	return vtf_error_print(SWEEP_NAME, &err);
}

/* A few accesses, one worker. */
static enum vtf_exit try_workload(struct sweep *s, unsigned int workload, unsigned int turn)
{
	static struct point_result result; /* a histogram is large for a stack */
	struct sweep_rate *rate = &s->rate[workload][turn];
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct point_spec spec = {
		.workload = s->workload[workload],
		.workers = 1,
		.duration_ns = TRIAL_NS,
		.timed_files = TRIAL_FILES,
		/* one access first: the answer to a missing policy is advice, not a failed point */
		.count = 1,
	};
	uint64_t before, after;
	enum vtf_exit code;

	if (modes_set(&s->modes, turn, &err))
		return vtf_error_print(SWEEP_NAME, &err);
	if (point_list_entries(&before))
		before = 0;
	code = run_point_here(s, &spec, rate, &result);
	if (code == VTF_EXIT_VERIFY && !point_list_entries(&after) && after == before)
		return not_measured(s, spec.workload);
	spec.count = 0;
	spec.timed_files = TRIAL_FILES;
	if (code == VTF_EXIT_DONE)
		code = run_point_here(s, &spec, rate, &result);
	if (code != VTF_EXIT_DONE)
		return report(code, &result);
	rate->accesses_per_s = TRIAL_FACTOR * (double)result.run.commands / result.run.duration_s;
	rate->workers = 1;
	return VTF_EXIT_DONE;
}

/* The mode to fill the list in: where there is a choice, not the slow one. */
static unsigned int fast_turn(const struct sweep *s)
{
	for (unsigned int i = 0; i < s->modes.count; i++)
		if (!strcmp(s->modes.name[i], MODE_FAST))
			return i;
	return modes_turns(&s->modes) - 1;
}

static enum vtf_exit fill_list(struct sweep *s)
{
	static struct point_result result;
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct point_spec spec = { .workload = &workload_create, .workers = 1 };
	struct sweep_rate none = { 0 };
	enum vtf_exit code;
	uint64_t now;

	if (!s->list_entries || point_list_entries(&now) || now >= s->list_entries)
		return VTF_EXIT_DONE;
	if (modes_set(&s->modes, fast_turn(s), &err))
		return vtf_error_print(SWEEP_NAME, &err);
	spec.count = s->list_entries - now;
	code = run_point_here(s, &spec, &none, &result);
	if (code == VTF_EXIT_DONE && result.run.extends < spec.count)
		return not_measured(s, &workload_create);
	return report(code, &result);
}

enum vtf_exit sweep_prepare(struct sweep *s)
{
	for (unsigned int w = 0; w < s->workload_count; w++) {
		for (unsigned int m = 0; m < modes_turns(&s->modes); m++) {
			enum vtf_exit code = try_workload(s, w, m);

			if (code != VTF_EXIT_DONE)
				return code;
		}
	}
	return fill_list(s);
}

static void note_oddities(struct sweep *s, const struct sweep_at *at,
			  const struct point_result *result)
{
	const struct run_result *run = &result->run;

	if (result->files_ended && !s->measure.count && !s->said_files_ended) {
		s->said_files_ended = true;
		fprintf(stderr,
			"vtpmfast %s: %u workers had used up their files after %.2f s of %.2f s; the "
			"rate is that of the shorter time\n",
			SWEEP_NAME, at->workers, run->duration_s, s->measure.duration_s);
	}
	if (run->commands && run->extends && run->extends != run->commands)
		fprintf(stderr,
			"vtpmfast %s: %llu accesses made %llu entries: the policy measures other "
			"files too, or not all of these\n",
			SWEEP_NAME, (unsigned long long)run->commands,
			(unsigned long long)run->extends);
}

enum vtf_exit sweep_measure(struct sweep *s, const struct sweep_at *at,
			    struct point_result *result)
{
	struct sweep_rate *rate = &s->rate[at->workload][at->mode];
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct point_spec spec = {
		.workload = s->workload[at->workload],
		.workers = at->workers,
		.threads = s->threads,
		.warmup_ns = clock_s_to_ns(s->measure.warmup_s),
		.duration_ns = clock_s_to_ns(s->measure.duration_s),
		.count = s->measure.count,
	};
	enum vtf_exit code;

	memset(result, 0, sizeof(*result));
	if (modes_set(&s->modes, at->mode, &err))
		return vtf_error_print(SWEEP_NAME, &err);
	code = run_point_here(s, &spec, rate, result);
	if (result->run.commands && result->run.duration_s > 0) {
		rate->accesses_per_s = (double)result->run.commands / result->run.duration_s;
		rate->workers = at->workers;
	}
	if (!signals_pending())
		note_oddities(s, at, result);
	return report(code, result);
}
