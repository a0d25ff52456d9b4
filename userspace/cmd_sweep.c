// SPDX-License-Identifier: GPL-2.0
/*
 * vtpmfast sweep: IMA measurements per second as ever more processes access
 * files, with a proof at every point that the list still leads to the PCR.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/conditions.h"
#include "lib/list.h"
#include "lib/lock.h"
#include "lib/output.h"
#include "lib/signals.h"
#include "lib/sysfs.h"
#include "lib/ticks.h"
#include "sweep/sweep.h"

#define NAME SWEEP_NAME
#define MAX_LIST_ENTRIES 10000000

enum {
	KEY_CHIP = 0x300,
	KEY_PROCESSES,
	KEY_THREADS,
	KEY_PIN,
	KEY_WORKLOAD,
	KEY_MODES,
	KEY_DIR,
	KEY_POLICY,
	KEY_LIST_ENTRIES,
	KEY_NO_TPM,
	KEY_TPM_PID,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is measured:", 1 },
	{ "workload", KEY_WORKLOAD, "LIST", 0, "of read, create, exec, mmap (read)", 1 },
	{ "processes", KEY_PROCESSES, "LIST", 0, "numbers of workers, e.g. 1,2,4-8 (1,2,4,8)", 1 },
	{ "threads", KEY_THREADS, NULL, 0, "workers are threads of one process", 1 },
	{ "pin", KEY_PIN, NULL, 0, "spread the workers over the CPUs, one after the other", 1 },
	{ "modes", KEY_MODES, "LIST", 0,
	  "completion modes to go through in turn, e.g. stock,auto (default: the present one)",
	  1 },
	{ "chip", KEY_CHIP, "NAME", 0, "TPM that IMA uses (the first, as a rule tpm0)", 1 },
	{ "tpm-pid", KEY_TPM_PID, "PID", 0,
	  "process of the TPM, for its CPU time (default: the only swtpm)", 1 },
	{ "no-tpm", KEY_NO_TPM, NULL, 0, "measure an IMA that has no TPM: the ceiling", 1 },
	{ "dir", KEY_DIR, "DIR", 0, "files go below DIR (default: a tmpfs that nobody else sees)", 1 },
	{ "policy", KEY_POLICY, "FILE", 0,
	  "load these rules into IMA, with @FSUUID@ replaced; they stay until the next boot", 1 },
	{ "list-entries", KEY_LIST_ENTRIES, "N", 0, "fill IMA's list up to N entries first", 1 },
	{ 0 },
};

static void parse_modes(struct sweep *s, const char *text, struct argp_state *state)
{
	const char *bad = NULL;

	if (!modes_parse(&s->modes, text, &bad))
		return;
	if (bad)
		argp_error(state, "--modes: no mode `%s`; there are stock, usleep, adaptive, event "
				  "and auto", bad);
	argp_error(state, "--modes: `%s` is no list of modes", text);
}

static void parse_workloads(struct sweep *s, const char *text, struct argp_state *state)
{
	char *copy = strdup(text);
	const char *names[SWEEP_MAX_WORKLOADS];
	int n = copy ? list_split(copy, names, SWEEP_MAX_WORKLOADS) : -1;

	if (n < 0)
		argp_error(state, "--workload: `%s` is no list of workloads", text);
	for (int i = 0; i < n; i++) {
		s->workload[i] = workload_find(names[i]);
		if (!s->workload[i])
			argp_error(state, "--workload: no workload `%s`; there are read, create, "
					  "exec and mmap", names[i]);
	}
	s->workload_count = (unsigned int)n;
	free(copy);
}

static void parse_processes(struct sweep *s, const char *text, struct argp_state *state)
{
	int n = list_parse_ints(text, 1, CREW_MAX, s->counts, SWEEP_MAX_COUNTS);

	if (n < 0)
		argp_error(state, "--processes: `%s` is no list of numbers from 1 to %d", text,
			   CREW_MAX);
	s->count_count = (unsigned int)n;
}

static void set_defaults(struct sweep *s, struct argp_state *state)
{
	static const unsigned int counts[] = { 1, 2, 4, 8 };

	state->child_inputs[0] = &s->measure;
	memcpy(s->counts, counts, sizeof(counts));
	s->count_count = sizeof(counts) / sizeof(counts[0]);
	s->workload[0] = &workload_read;
	s->workload_count = 1;
}

static void check(const struct sweep *s, struct argp_state *state)
{
	if (s->no_tpm && s->modes.count)
		argp_error(state, "--no-tpm and --modes exclude each other: without a TPM nothing "
				  "completes");
	if (s->no_tpm && s->tpm_pid)
		argp_error(state, "--no-tpm and --tpm-pid exclude each other");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct sweep *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		set_defaults(s, state);
		break;
	case KEY_CHIP:
		s->chip_asked = arg;
		break;
	case KEY_PROCESSES:
		parse_processes(s, arg, state);
		break;
	case KEY_THREADS:
		s->threads = true;
		break;
	case KEY_PIN:
		s->pin = true;
		break;
	case KEY_WORKLOAD:
		parse_workloads(s, arg, state);
		break;
	case KEY_MODES:
		parse_modes(s, arg, state);
		break;
	case KEY_DIR:
		s->dir = arg;
		break;
	case KEY_POLICY:
		s->policy = arg;
		break;
	case KEY_LIST_ENTRIES:
		s->list_entries = measure_parse_count(arg, "list-entries", 1, MAX_LIST_ENTRIES, state);
		break;
	case KEY_NO_TPM:
		s->no_tpm = true;
		break;
	case KEY_TPM_PID:
		s->tpm_pid = (pid_t)measure_parse_count(arg, "tpm-pid", 1, 1U << 22, state);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument `%s` is expected", arg);
		break;
	case ARGP_KEY_SUCCESS:
		check(s, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void dry_run(const struct sweep *s)
{
	printf("pcr %d\nfiles %s\n", IMA_DEFAULT_PCR, s->dir ? s->dir : "private tmpfs");
	if (s->policy)
		printf("policy %s\n", s->policy);
	if (s->list_entries)
		printf("list_entries %llu\n", (unsigned long long)s->list_entries);
	for (unsigned int i = 0; i < sweep_total(s); i++) {
		struct sweep_at at = sweep_at(s, i);
		const char *mode = sweep_mode(s, at.mode);

		printf("point %u workload %s %s %u mode %s run %u\n", i + 1,
		       s->workload[at.workload]->name, s->threads ? "threads" : "processes",
		       at.workers, mode ? mode : "present", at.run);
	}
	if (s->measure.count)
		printf("%llu accesses per worker after %.2f s of warm-up in each point\n",
		       (unsigned long long)s->measure.count, s->measure.warmup_s);
	else
		printf("about %.0f s in all, and the time to make the files\n",
		       measure_point_s(&s->measure) * sweep_total(s));
}

static struct json_object *new_point(const struct sweep *s, const struct sweep_at *at,
				     struct json_object *conditions)
{
	struct json_object *point = json_object_new_object(), *value;
	char effective[SYSFS_MODE_BYTES];

	if (json_object_object_get_ex(conditions, "guest", &value))
		output_add_str(point, "guest", json_object_get_string(value));
	output_add_str(point, "device", s->tpm ? s->driver : "none");
	if (json_object_object_get_ex(conditions, "kernel", &value))
		output_add_str(point, "kernel", json_object_get_string(value));
	output_add_str(point, "transport", "ima");
	output_add_str(point, "target", s->chip);
	output_add_str(point, "mode", sweep_mode(s, at->mode));
	if (s->chip[0] && !sysfs_mode_effective(s->chip, effective))
		output_add_str(point, "mode_effective", effective);
	output_add_str(point, "workload", s->workload[at->workload]->name);
	output_add_u64(point, "processes", at->workers);
	if (s->threads)
		output_add_bool(point, "threads", true);
	output_add_u64(point, "run", at->run);
	if (s->list_entries)
		output_add_u64(point, "list_entries_asked", s->list_entries);
	output_add_u64(point, "pcr", IMA_DEFAULT_PCR);
	return point;
}

/* What IMA counts itself; a kernel without the series does not. */
static void add_ima_figures(struct json_object *point, const struct ima_figures *ima)
{
	output_add_num(point, "commands_per_extend", ima->commands_per_extend, 3);
	output_add_num(point, "mean_batch", ima->mean_batch, 2);
	if (ima->wait_p50_us_below)
		output_add_u64(point, "ima_wait_p50_us_below", ima->wait_p50_us_below);
	if (ima->wait_p99_us_below)
		output_add_u64(point, "ima_wait_p99_us_below", ima->wait_p99_us_below);
}

/* What only sweep knows; the rest is as in every point. */
static void fill_point(struct json_object *point, const struct point_result *result)
{
	const struct run_result *run = &result->run;
	double banks = run->banks.count;

	output_add_u64(point, "list_entries", result->list_entries);
	output_add_u64(point, "list_entries_end", result->list_entries_end);
	output_add_u64(point, "accesses", run->commands);
	measure_point(point, run);
	output_add_u64(point, "errors", result->errors);
	if (result->violations)
		output_add_u64(point, "violations", result->violations);
	add_ima_figures(point, &result->ima);
	if (!result->have_updates || !(run->duration_s > 0))
		return;
	output_add_num(point, "tpm_extends_per_s", result->updates / banks / run->duration_s, 1);
	if (result->updates / banks != (double)run->extends)
		output_add_num(point, "update_difference",
			       result->updates / banks - (double)run->extends, 2);
}

/* Return: whether the sweep goes on. */
static bool measure_one(struct sweep *s, unsigned int i, struct json_object *doc,
			enum vtf_exit *code)
{
	static struct point_result result; /* a histogram is large for a stack */
	struct json_object *conditions = NULL, *point;
	struct sweep_at at = sweep_at(s, i);
	enum vtf_exit rc = sweep_measure(s, &at, &result);

	*code = vtf_exit_worse(*code, rc);
	if (!result.run.extends || !result.run.commands)
		return false;
	json_object_object_get_ex(doc, "conditions", &conditions);
	point = new_point(s, &at, conditions);
	fill_point(point, &result);
	output_doc_add(doc, point);
	/* a wrong PCR ends it: no later point could be right */
	return rc == VTF_EXIT_DONE || rc == VTF_EXIT_INCOMPLETE;
}

static enum vtf_exit measure_all(struct sweep *s, struct json_object *doc)
{
	struct output_progress progress;
	enum vtf_exit code = VTF_EXIT_DONE;

	output_progress_start(&progress, measure_point_s(&s->measure) * sweep_total(s));
	for (unsigned int i = 0; i < sweep_total(s) && !signals_pending(); i++) {
		struct sweep_at at = sweep_at(s, i);
		const char *mode = sweep_mode(s, at.mode);

		output_progress_say(&progress, "point %u of %u: %s, %u workers, mode %s, run %u",
				    i + 1, sweep_total(s), s->workload[at.workload]->name,
				    at.workers, mode ? mode : "none", at.run);
		if (!measure_one(s, i, doc, &code))
			break;
	}
	output_progress_end(&progress);
	if (signals_pending())
		code = vtf_exit_worse(code, VTF_EXIT_INCOMPLETE);
	return code;
}

static struct json_object *new_document(const struct sweep *s)
{
	struct conditions_opts conditions = {
		.guest = s->measure.guest,
		.chip = s->chip[0] ? s->chip : NULL,
		.histogram_error_pct = HIST_ERROR_PCT,
		.clock = ticks_name(),
	};

	return output_doc_new(NAME, conditions_gather(&conditions));
}

static enum vtf_exit measure(struct sweep *s, struct json_object **doc)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	enum vtf_exit code;

	if (sweep_open(s, &err))
		return vtf_error_print(NAME, &err);
	*doc = new_document(s);
	if (!*doc)
		return VTF_EXIT_INTERNAL;
	code = sweep_prepare(s);
	return code == VTF_EXIT_DONE ? measure_all(s, *doc) : code;
}

static enum vtf_exit run(struct sweep *s)
{
	/* per workload, number of workers and mode; runs and everything else is merged */
	static const char *const group[] = { "workload", "processes", "mode", NULL };
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct json_object *doc = NULL;
	enum vtf_exit code;
	int lock;

	if (s->measure.dry_run) {
		dry_run(s);
		return VTF_EXIT_DONE;
	}
	if (!sweep_check(s, &err) && !s->no_tpm && !modes_prepare(&s->modes, s->chip, s->chip, &err))
		s->tpm_pid = modes_tpm_process(s->tpm_pid, !strcmp(s->driver, "vtpm_proxy"), NAME,
					       &err);
	if (signals_pending()) {
		/* whatever failed, failed for that */
		err.code = VTF_EXIT_DONE;
		vtf_error_set(&err, VTF_EXIT_INCOMPLETE, "interrupted by signal %d",
			      signals_pending());
	}
	if (err.code != VTF_EXIT_DONE)
		return vtf_error_print(NAME, &err);
	/* whatever the TPM, there is one list */
	lock = lock_tpm(s->chip[0] ? s->chip : "IMA", &err);
	if (lock < 0)
		return vtf_error_print(NAME, &err);
	code = measure(s, &doc);
	code = vtf_exit_worse(code, modes_restore(&s->modes, NAME));
	/* before the result is written: while it is open, paths may mean other files */
	sweep_close(s);
	if (doc)
		code = measure_finish(&s->measure, NAME, doc, group, code);
	json_object_put(doc);
	close(lock);
	return code;
}

int cmd_sweep(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_run_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.doc = "Measures how many files a second IMA measures while 1 to 64 processes access "
		       "them, and verifies after every point that its list leads to PCR 10.",
	};
	struct sweep *s = calloc(1, sizeof(*s));
	enum vtf_exit code = VTF_EXIT_INTERNAL;

	if (!s)
		return VTF_EXIT_INTERNAL;
	/* first: from here on there is no moment at which a signal ends it without a word */
	signals_catch();
	s->place.namespace = s->place.directory = -1;
	if (!argp_parse(&argp, argc, argv, 0, NULL, s))
		code = run(s);
	modes_free(&s->modes);
	free(s);
	return code;
}
