// SPDX-License-Identifier: GPL-2.0
/*
 * vtpmfast floor: the limit that a kernel's path is compared with. Same loop,
 * same histogram and same verification as `extend`.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/conditions.h"
#include "lib/list.h"
#include "lib/measure.h"
#include "lib/output.h"
#include "lib/run.h"
#include "lib/signals.h"
#include "lib/ticks.h"
#include "lib/tmpdir.h"

#define NAME "floor"
#define MAX_KINDS 2

enum {
	KEY_LIBTPMS = 0x300,
	KEY_PINGPONG,
	KEY_DIGESTS,
};

struct floor_kind {
	const char *name;
	struct client_target target;
	unsigned int digests[TPM_MAX_DIGESTS];
	unsigned int digest_count;
};

struct floor {
	struct measure_opts measure;
	bool libtpms;
	bool pingpong;
	const char *digests_text;
	struct floor_kind kind[MAX_KINDS];
	unsigned int kind_count;
	char state_dir[CLIENT_TARGET_BYTES]; /* of swtpm; "": none */
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Which limit:", 1 },
	{ "libtpms", KEY_LIBTPMS, NULL, 0,
	  "libtpms in this process: the TPM alone, no transport (default)", 1 },
	{ "pingpong", KEY_PINGPONG, NULL, 0,
	  "a swtpm on a bare socketpair: the least that a transport costs", 1 },
	{ "digests", KEY_DIGESTS, "LIST", 0,
	  "digests per command and bank (1-4 for libtpms, 1 for the ping-pong)", 1 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct floor *f = state->input;
	unsigned int numbers[TPM_MAX_DIGESTS];

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &f->measure;
		break;
	case KEY_LIBTPMS:
		f->libtpms = true;
		break;
	case KEY_PINGPONG:
		f->pingpong = true;
		break;
	case KEY_DIGESTS:
		if (list_parse_ints(arg, 1, TPM_MAX_DIGESTS, numbers, TPM_MAX_DIGESTS) < 0)
			argp_error(state, "--digests: `%s` is no list of numbers from 1 to %d", arg,
				   TPM_MAX_DIGESTS);
		f->digests_text = arg;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument `%s` is expected", arg);
		break;
	case ARGP_KEY_SUCCESS:
		if (!f->pingpong)
			f->libtpms = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static struct floor_kind *add_kind(struct floor *f, const char *name,
				   const struct client_ops *ops, const char *digests)
{
	struct floor_kind *k = &f->kind[f->kind_count++];
	int n;

	k->name = name;
	k->target.ops = ops;
	snprintf(k->target.name, sizeof(k->target.name), "%s", name);
	n = list_parse_ints(f->digests_text ? f->digests_text : digests, 1, TPM_MAX_DIGESTS,
			    k->digests, TPM_MAX_DIGESTS);
	k->digest_count = n > 0 ? (unsigned int)n : 0;
	return k;
}

static void choose_kinds(struct floor *f)
{
	if (f->libtpms)
		add_kind(f, "libtpms", &client_libtpms, "1-4");
	if (f->pingpong)
		add_kind(f, "pingpong", &client_pingpong, "1");
	if (!f->measure.banks.count)
		(void)pcr_banks_parse("sha256", &f->measure.banks);
}

struct at {
	const struct floor_kind *kind;
	unsigned int digests, run;
};

static unsigned int point_total(const struct floor *f)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < f->kind_count; k++)
		n += f->kind[k].digest_count * f->measure.runs;
	return n;
}

/* Digest counts take turns inside of every repetition. */
static struct at point_at(const struct floor *f, unsigned int i)
{
	unsigned int k = 0;

	while (i >= f->kind[k].digest_count * f->measure.runs)
		i -= f->kind[k++].digest_count * f->measure.runs;
	return (struct at){
		.kind = &f->kind[k],
		.digests = f->kind[k].digests[i % f->kind[k].digest_count],
		.run = i / f->kind[k].digest_count + 1,
	};
}

static void dry_run(const struct floor *f)
{
	char banks[PCR_NAMES_BYTES];

	pcr_banks_names(&f->measure.banks, banks);
	printf("pcr %u\nbanks %s\n", f->measure.pcr, banks);
	for (unsigned int i = 0; i < point_total(f); i++) {
		struct at at = point_at(f, i);

		printf("point %u %s digests %u run %u\n", i + 1, at.kind->name, at.digests, at.run);
	}
	printf("about %.0f s in all\n", measure_point_s(&f->measure) * point_total(f));
}

static struct json_object *new_point(const struct floor *f, const struct at *at,
				     struct json_object *conditions, const struct run_result *r)
{
	struct json_object *point = json_object_new_object(), *value;

	output_add_str(point, "kind", at->kind->name);
	if (json_object_object_get_ex(conditions, "guest", &value))
		output_add_str(point, "guest", json_object_get_string(value));
	if (json_object_object_get_ex(conditions, "kernel", &value))
		output_add_str(point, "kernel", json_object_get_string(value));
	output_add_str(point, "transport", at->kind->target.ops->transport);
	output_add_str(point, "workload", "extend");
	output_add_u64(point, "processes", 1);
	output_add_u64(point, "run", at->run);
	output_add_u64(point, "pcr", f->measure.pcr);
	output_add_u64(point, "digests_per_command", at->digests);
	output_add_u64(point, "commands", r->commands);
	if (r->duration_s > 0)
		output_add_num(point, "commands_per_s", (double)r->commands / r->duration_s, 1);
	measure_point(point, r);
	return point;
}

/* Return: whether the run goes on. */
static bool measure_one(struct floor *f, const struct at *at, struct json_object *doc,
			enum vtf_exit *code)
{
	static struct run_result result; /* a histogram is large for a stack */
	struct json_object *conditions = NULL;
	struct run_spec spec;
	enum vtf_exit rc;

	memset(&spec, 0, sizeof(spec));
	measure_spec(&f->measure, &spec);
	spec.targets = &at->kind->target;
	spec.target_count = 1;
	spec.clients = 1;
	spec.digests_per_bank = at->digests;
	rc = run_point(&spec, &result);
	*code = vtf_exit_worse(*code, rc);
	if (rc != VTF_EXIT_DONE)
		vtf_error_print(NAME, &result.error);
	if (!result.commands)
		return false;
	json_object_object_get_ex(doc, "conditions", &conditions);
	output_doc_add(doc, new_point(f, at, conditions, &result));
	return rc == VTF_EXIT_DONE || rc == VTF_EXIT_INCOMPLETE;
}

static enum vtf_exit measure_all(struct floor *f, struct json_object *doc)
{
	enum vtf_exit code = VTF_EXIT_DONE;
	struct output_progress progress;

	output_progress_start(&progress, measure_point_s(&f->measure) * point_total(f));
	for (unsigned int i = 0; i < point_total(f) && !signals_pending(); i++) {
		struct at at = point_at(f, i);

		output_progress_say(&progress, "point %u of %u: %s, %u digests, run %u", i + 1,
				    point_total(f), at.kind->name, at.digests, at.run);
		if (!measure_one(f, &at, doc, &code))
			break;
	}
	output_progress_end(&progress);
	if (signals_pending())
		code = vtf_exit_worse(code, VTF_EXIT_INCOMPLETE);
	return code;
}

/* swtpm's state is the coordinator's: it is still there to clean up when a client is killed. */
static int make_state_dir(struct floor *f)
{
	int rc;

	if (!f->pingpong)
		return 0;
	rc = tmpdir_make(f->state_dir, sizeof(f->state_dir));
	if (rc) {
		f->state_dir[0] = '\0';
		fprintf(stderr, "vtpmfast %s: no directory for swtpm's state: %s\n", NAME,
			strerror(-rc));
		return rc;
	}
	for (unsigned int k = 0; k < f->kind_count; k++)
		if (f->kind[k].target.ops == &client_pingpong)
			memcpy(f->kind[k].target.name, f->state_dir, sizeof(f->state_dir));
	return 0;
}

static enum vtf_exit run(struct floor *f)
{
	static const char *const group[] = { "kind", "digests_per_command", NULL };
	struct conditions_opts opts = {
		.guest = f->measure.guest,
		.histogram_error_pct = HIST_ERROR_PCT,
		.clock = ticks_name(),
	};
	enum vtf_exit code = VTF_EXIT_INTERNAL;
	char banks[PCR_NAMES_BYTES];
	struct json_object *doc;

	choose_kinds(f);
	if (f->measure.dry_run) {
		dry_run(f);
		return VTF_EXIT_DONE;
	}
	pcr_banks_names(&f->measure.banks, banks);
	opts.banks = banks;
	signals_catch();
	if (make_state_dir(f))
		return VTF_EXIT_MISSING;
	doc = output_doc_new(NAME, conditions_gather(&opts));
	if (doc) {
		code = measure_all(f, doc);
		code = measure_finish(&f->measure, NAME, doc, group, code);
		json_object_put(doc);
	}
	if (f->state_dir[0])
		tmpdir_remove(f->state_dir);
	return code;
}

int cmd_floor(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.doc = "Measures the limit of PCR extends: libtpms without a transport, or a swtpm "
		       "on a socketpair.",
	};
	struct floor *f = calloc(1, sizeof(*f));
	enum vtf_exit code = VTF_EXIT_INTERNAL;

	if (!f)
		return VTF_EXIT_INTERNAL;
	if (!argp_parse(&argp, argc, argv, 0, NULL, f))
		code = run(f);
	free(f);
	return code;
}
