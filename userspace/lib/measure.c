// SPDX-License-Identifier: GPL-2.0
#include "measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "conditions.h"
#include "output.h"
#include "signals.h"

enum {
	KEY_PCR = 0x200,
	KEY_FORCE,
	KEY_BANKS,
	KEY_DURATION,
	KEY_COUNT,
	KEY_RUNS,
	KEY_WARMUP,
	KEY_LIMIT,
	KEY_JSON,
	KEY_CSV,
	KEY_OUTPUT,
	KEY_DRY_RUN,
	KEY_GUEST,
};

/* Where the options begin that do not choose what is extended. */
#define RUN_OPTIONS 4

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is extended:", 2 },
	{ "pcr", KEY_PCR, "N", 0, "PCR to extend, 16 (default) or 23; others need --force", 2 },
	{ "force", KEY_FORCE, NULL, 0, "allow a PCR that others use", 2 },
	{ "banks", KEY_BANKS, "LIST", 0, "banks to extend, e.g. sha256,sha1 (extend: all active; floor: sha256)", 2 },
	{ NULL, 0, NULL, 0, "How long and how often:", 3 },
	{ "duration", KEY_DURATION, "SECONDS", 0, "length of the timed part (2)", 3 },
	{ "count", KEY_COUNT, "N", 0, "commands (sweep: accesses) per client instead of a duration", 3 },
	{ "runs", KEY_RUNS, "N", 0, "repetitions of every point (3)", 3 },
	{ "warmup", KEY_WARMUP, "SECONDS", 0, "load before the timed part (0.5)", 3 },
	{ "limit", KEY_LIMIT, "SECONDS", 0, "a client without an answer for so long is stuck (10)",
	  3 },
	{ NULL, 0, NULL, 0, "Result:", 4 },
	{ "json", KEY_JSON, NULL, 0, "JSON on standard output", 4 },
	{ "csv", KEY_CSV, NULL, 0, "CSV of all points on standard output", 4 },
	{ "output", KEY_OUTPUT, "FILE", 0, "JSON to FILE, replaced as a whole or not at all", 4 },
	{ "guest", KEY_GUEST, "NAME", 0, "what to call this machine in the result", 4 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "say what would be measured, touch no TPM", 4 },
	{ 0 },
};

double measure_parse_number(const char *text, const char *option, double min, double max,
			    struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= min && value <= max))
		argp_error(state, "--%s: `%s` is no number from %g to %g", option, text, min, max);
	return value;
}

uint64_t measure_parse_count(const char *text, const char *option, uint64_t min, uint64_t max,
			     struct argp_state *state)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *end || errno || *text == '-' || value < min || value > max)
		argp_error(state, "--%s: `%s` is no whole number from %llu to %llu", option, text,
			   (unsigned long long)min, (unsigned long long)max);
	return value;
}

static void set_defaults(struct measure_opts *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->duration_s = 2;
	opts->warmup_s = 0.5;
	opts->limit_s = 10;
	opts->runs = 3;
	opts->pcr = MEASURE_DEFAULT_PCR;
}

/* IMA's PCR and the firmware's are somebody's evidence: an extend of ours spoils it until reboot. */
static void check(const struct measure_opts *opts, struct argp_state *state)
{
	if (opts->json && opts->csv)
		argp_error(state, "--json and --csv both want standard output");
	if (opts->force || opts->pcr == 16 || opts->pcr == 23)
		return;
	argp_error(state,
		   "PCR %u is refused: %s, and what is extended stays until the next reset; "
		   "16 and 23 are free for tests (--force overrides)",
		   opts->pcr, opts->pcr == 10 ? "it is IMA's" : "others use it");
}

const char *measure_parse_output(const char *path, const char *option, struct argp_state *state)
{
	int rc = output_check(path);

	if (rc)
		argp_error(state, "--%s: cannot write %s: %s", option, path, strerror(-rc));
	return path;
}

static error_t parse_result_option(int key, char *arg, struct argp_state *state)
{
	struct measure_opts *opts = state->input;

	switch (key) {
	case KEY_JSON:
		opts->json = true;
		break;
	case KEY_CSV:
		opts->csv = true;
		break;
	case KEY_OUTPUT:
		opts->output = measure_parse_output(arg, "output", state);
		break;
	case KEY_DRY_RUN:
		opts->dry_run = true;
		break;
	case KEY_GUEST:
		opts->guest = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct measure_opts *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		set_defaults(opts);
		break;
	case KEY_PCR:
		opts->pcr = (unsigned int)measure_parse_count(arg, "pcr", 0, 23, state);
		break;
	case KEY_FORCE:
		opts->force = true;
		break;
	case KEY_BANKS:
		if (pcr_banks_parse(arg, &opts->banks))
			argp_error(state, "--banks: `%s` is no list of hash algorithms", arg);
		break;
	case KEY_DURATION:
		opts->duration_s = measure_parse_number(arg, "duration", 0.01, 86400, state);
		break;
	case KEY_COUNT:
		opts->count = measure_parse_count(arg, "count", 1, 1000000000, state);
		break;
	case KEY_RUNS:
		opts->runs = (unsigned int)measure_parse_count(arg, "runs", 1, 1000, state);
		break;
	case KEY_WARMUP:
		opts->warmup_s = measure_parse_number(arg, "warmup", 0, 3600, state);
		break;
	case KEY_LIMIT:
		opts->limit_s = measure_parse_number(arg, "limit", 0.1, 3600, state);
		break;
	case ARGP_KEY_SUCCESS:
		check(opts, state);
		break;
	default:
		return parse_result_option(key, arg, state);
	}
	return 0;
}

const struct argp measure_argp = { .options = options, .parser = parse_option };
const struct argp measure_run_argp = { .options = options + RUN_OPTIONS, .parser = parse_option };

void measure_spec(const struct measure_opts *opts, struct run_spec *spec)
{
	spec->pcr = opts->pcr;
	spec->banks = opts->banks;
	spec->warmup_ns = clock_s_to_ns(opts->warmup_s);
	spec->duration_ns = clock_s_to_ns(opts->duration_s);
	spec->count = opts->count;
	spec->stuck_limit_ns = clock_s_to_ns(opts->limit_s);
	spec->setup_limit_ns = spec->stuck_limit_ns;
}

double measure_point_s(const struct measure_opts *opts)
{
	return opts->warmup_s + opts->duration_s + 0.05;
}

static void add_latency(struct json_object *point, const struct run_result *r)
{
	static const struct {
		const char *key;
		double quantile; /* 0 and 1: the exact minimum and maximum */
	} rows[] = {
		{ "min_us", 0 },     { "p50_us", 0.50 },   { "p90_us", 0.90 },
		{ "p99_us", 0.99 },  { "p999_us", 0.999 }, { "max_us", 1 },
	};
	double us_per_tick = r->ns_per_tick / (double)NS_PER_US;

	if (!r->hist.count)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		output_add_num(point, rows[i].key,
			       (double)hist_quantile(&r->hist, rows[i].quantile) * us_per_tick, 2);
}

static void add_cpu(struct json_object *point, const struct run_result *r)
{
	double all_us = r->client_user_us + r->client_system_us;

	if (!r->extends)
		return;
	if (r->tpm_us == r->tpm_us) /* not NAN */
		all_us += r->tpm_us;
	output_add_num(point, "cpu_us_per_extend", all_us, 3);
	output_add_num(point, "cpu_client_us_per_extend", r->client_user_us, 3);
	output_add_num(point, "cpu_kernel_us_per_extend", r->client_system_us, 3);
	output_add_num(point, "cpu_tpm_us_per_extend", r->tpm_us, 3);
	output_add_num(point, "idle_pct", r->idle_pct, 1);
}

static void add_errors(struct json_object *point, const struct run_result *r)
{
	output_add_u64(point, "errors", r->refused + r->unanswered);
	if (!r->refused && !r->unanswered)
		return;
	output_add_u64(point, "errors_refused", r->refused);
	output_add_u64(point, "errors_unanswered", r->unanswered);
	output_add_u64(point, "extended_despite_error", r->despite_error);
}

/* Looks, sleeps and wake-ups of the kernel's wait, where the kernel counts them. */
static void add_stats(struct json_object *point, const struct run_result *r)
{
	double n = (double)r->stats.commands;

	if (!r->have_stats || !r->stats.commands)
		return;
	output_add_num(point, "looks_per_command", (double)r->stats.looks / n, 3);
	output_add_num(point, "sleeps_per_command", (double)r->stats.sleeps / n, 3);
	output_add_num(point, "wakeups_per_command", (double)r->stats.wakeups / n, 3);
	output_add_u64(point, "timeouts", r->stats.timeouts);
}

void measure_point(struct json_object *point, const struct run_result *r)
{
	char banks[PCR_NAMES_BYTES];

	pcr_banks_names(&r->banks, banks);
	output_add_str(point, "banks", banks);
	output_add_u64(point, "extends", r->extends);
	add_errors(point, r);
	output_add_num(point, "duration_s", r->duration_s, 6);
	if (r->duration_s > 0)
		output_add_num(point, "extends_per_s", (double)r->extends / r->duration_s, 1);
	add_latency(point, r);
	add_cpu(point, r);
	add_stats(point, r);
	if (r->verdict != RUN_UNVERIFIED)
		output_add_bool(point, "verified", r->verdict == RUN_VERIFIED);
}

static int write_file(const struct measure_opts *opts, const char *command,
		      struct json_object *doc)
{
	char *partial = NULL;
	const char *path = opts->output;
	int rc;

	if (signals_pending()) {
		if (asprintf(&partial, "%s.partial", path) < 0)
			return -ENOMEM;
		path = partial;
		fprintf(stderr, "vtpmfast %s: interrupted: %s is as before, the points so far are in %s\n",
			command, opts->output, path);
	}
	rc = output_write_json(path, doc);
	if (rc)
		fprintf(stderr, "vtpmfast %s: cannot write %s: %s\n", command, path, strerror(-rc));
	free(partial);
	return rc;
}

enum vtf_exit measure_finish(const struct measure_opts *opts, const char *command,
			     struct json_object *doc, const char *const *group,
			     enum vtf_exit code)
{
	struct json_object *points = output_doc_points(doc);
	struct json_object *conditions = NULL;

	if (!json_object_array_length(points))
		return code;
	if (code != VTF_EXIT_DONE)
		output_add_str(doc, "incomplete", vtf_exit_text((int)code));
	if (opts->output && write_file(opts, command, doc))
		code = vtf_exit_worse(code, VTF_EXIT_INTERNAL);
	if (opts->json) {
		if (output_write_json(NULL, doc))
			code = vtf_exit_worse(code, VTF_EXIT_INTERNAL);
	} else if (opts->csv) {
		output_csv(stdout, points);
	} else {
		json_object_object_get_ex(doc, "conditions", &conditions);
		conditions_print(stdout, conditions);
		measure_table(stdout, points, group);
	}
	return code;
}
