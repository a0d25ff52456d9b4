// SPDX-License-Identifier: GPL-2.0
/*
 * vtpmfast extend: PCR extends per second and their latency, raw on a device
 * node or through TSS2 ESAPI on any TCTI.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "lib/clock.h"
#include "lib/conditions.h"
#include "lib/list.h"
#include "lib/lock.h"
#include "lib/measure.h"
#include "lib/modes.h"
#include "lib/output.h"
#include "lib/run.h"
#include "lib/signals.h"
#include "lib/sysfs.h"
#include "lib/ticks.h"

#define NAME "extend"
#define MAX_COUNTS 64
/* A swtpm whose connection somebody else keeps never answers; a kernel's TPM may take its time. */
#define SOCKET_SETUP_S 2.0

enum {
	KEY_DEVICE = 0x300,
	KEY_TCTI,
	KEY_CLIENTS,
	KEY_THREADS,
	KEY_MODES,
	KEY_TPM_PID,
};

struct extend {
	struct measure_opts measure;
	const char *device; /* as given; NULL: choose */
	struct client_target targets[RUN_MAX_CLIENTS];
	unsigned int target_count;
	unsigned int counts[MAX_COUNTS]; /* numbers of clients to measure */
	unsigned int count_count;
	unsigned int most; /* largest of them */
	bool threads;
	struct modes modes;
	pid_t tpm_pid;
	/* found out */
	char chip[SYSFS_CHIP_BYTES]; /* "": no kernel driver in the path */
	char driver[64];
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Which TPM and who asks:", 1 },
	{ "device", KEY_DEVICE, "PATH", 0,
	  "raw commands on this node (default /dev/tpm0; /dev/tpmrm0 for more than one client)",
	  1 },
	{ "tcti", KEY_TCTI, "CONF", 0,
	  "TSS2 ESAPI on this TCTI, e.g. device:/dev/tpmrm0 or swtpm:path=SOCKET; given several "
	  "times, clients take them in turn",
	  1 },
	{ "clients", KEY_CLIENTS, "LIST", 0, "numbers of clients, e.g. 1,2,4-8 (1)", 1 },
	{ "threads", KEY_THREADS, NULL, 0, "clients are threads of one process, not processes",
	  1 },
	{ "modes", KEY_MODES, "LIST", 0,
	  "completion modes to go through in turn, e.g. stock,auto (default: the present one)",
	  1 },
	{ "tpm-pid", KEY_TPM_PID, "PID", 0,
	  "process of the TPM, for its CPU time (default: the only swtpm)", 1 },
	{ 0 },
};

static void add_tcti(struct extend *e, const char *conf, struct argp_state *state)
{
	struct client_target *target;

	if (e->target_count == RUN_MAX_CLIENTS)
		argp_error(state, "--tcti: at most %d", RUN_MAX_CLIENTS);
	if (!*conf || strlen(conf) >= sizeof(target->name))
		argp_error(state, "--tcti: empty, or longer than %d characters",
			   CLIENT_TARGET_BYTES - 1);
	target = &e->targets[e->target_count++];
	target->ops = &client_esapi;
	snprintf(target->name, sizeof(target->name), "%s", conf);
}

static void parse_modes(struct extend *e, const char *text, struct argp_state *state)
{
	const char *bad = NULL;

	if (!modes_parse(&e->modes, text, &bad))
		return;
	if (bad)
		argp_error(state, "--modes: no mode `%s`; there are stock, usleep, adaptive, event "
				  "and auto", bad);
	argp_error(state, "--modes: `%s` is no list of modes", text);
}

static bool is_socket_tcti(const char *conf)
{
	return !strncmp(conf, "swtpm", 5) || !strncmp(conf, "mssim", 5);
}

/* /dev/tpmN has one opener, so a second client would never be served. */
static void check_targets(struct extend *e, struct argp_state *state)
{
	char chip[SYSFS_CHIP_BYTES];

	if (e->target_count && e->device)
		argp_error(state, "--device and --tcti exclude each other");
	if (e->device && e->most > 1 && !sysfs_chip_of_node(e->device, chip) &&
	    !strstr(e->device, "tpmrm"))
		argp_error(state,
			   "%u clients on %s: only one can open it; use /dev/tpmrm%s", e->most,
			   e->device, chip + strlen("tpm"));
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct extend *e = state->input;
	int n;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &e->measure;
		e->counts[0] = 1;
		e->count_count = 1;
		break;
	case KEY_DEVICE:
		if (strlen(arg) >= CLIENT_TARGET_BYTES)
			argp_error(state, "--device: path too long");
		e->device = arg;
		break;
	case KEY_TCTI:
		add_tcti(e, arg, state);
		break;
	case KEY_CLIENTS:
		n = list_parse_ints(arg, 1, RUN_MAX_CLIENTS, e->counts, MAX_COUNTS);
		if (n < 0)
			argp_error(state, "--clients: `%s` is no list of numbers from 1 to %d",
				   arg, RUN_MAX_CLIENTS);
		e->count_count = (unsigned int)n;
		break;
	case KEY_THREADS:
		e->threads = true;
		break;
	case KEY_MODES:
		parse_modes(e, arg, state);
		break;
	case KEY_TPM_PID:
		e->tpm_pid = (pid_t)measure_parse_count(arg, "tpm-pid", 1, 1U << 22, state);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument `%s` is expected", arg);
		break;
	case ARGP_KEY_SUCCESS:
		for (unsigned int i = 0; i < e->count_count; i++)
			if (e->counts[i] > e->most)
				e->most = e->counts[i];
		check_targets(e, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Without --device and --tcti: one node for the whole run, so that its points compare. */
static void choose_device(struct extend *e)
{
	const char *node = e->device;

	if (e->target_count)
		return;
	if (!node) {
		node = e->most > 1 ? "/dev/tpmrm0" : "/dev/tpm0";
		if (e->most > 1)
			fprintf(stderr, "vtpmfast %s: more than one client: using %s\n", NAME, node);
	}
	e->targets[0].ops = &client_device;
	snprintf(e->targets[0].name, sizeof(e->targets[0].name), "%s", node);
	e->target_count = 1;
}

/* The device node behind the target, NULL if there is none. */
static const char *target_node(const struct extend *e)
{
	static const char prefix[] = "device:";
	const char *name = e->targets[0].name;

	if (e->targets[0].ops == &client_device)
		return name;
	if (!strcmp(name, "device")) /* the TCTI's own order */
		return access("/dev/tpmrm0", F_OK) ? "/dev/tpm0" : "/dev/tpmrm0";
	return strncmp(name, prefix, strlen(prefix)) ? NULL : name + strlen(prefix);
}

/* The chip behind the target, and what to call its kind in the result. */
static void identify(struct extend *e)
{
	const char *name = e->targets[0].name, *node = target_node(e);

	if (!node && is_socket_tcti(name))
		snprintf(e->driver, sizeof(e->driver), "%.5s-socket", name);
	else if (!node)
		snprintf(e->driver, sizeof(e->driver), "%.*s", (int)strcspn(name, ":"), name);
	else if (sysfs_chip_of_node(node, e->chip) ||
		 sysfs_chip_driver(e->chip, e->driver, sizeof(e->driver)))
		e->chip[0] = '\0';
}

/* behind other drivers the TPM is outside of this machine */
static bool may_be_swtpm(const struct extend *e)
{
	return e->target_count == 1 &&
	       (!strcmp(e->driver, "vtpm_proxy") || !strcmp(e->driver, "swtpm-socket"));
}

/* Points in their order: the modes take turns inside of every repetition. */
struct at {
	unsigned int count, run, mode;
};

static unsigned int point_total(const struct extend *e)
{
	return e->count_count * e->measure.runs * modes_turns(&e->modes);
}

static struct at point_at(const struct extend *e, unsigned int i)
{
	return (struct at){
		.mode = i % modes_turns(&e->modes),
		.run = i / modes_turns(&e->modes) % e->measure.runs + 1,
		.count = e->counts[i / modes_turns(&e->modes) / e->measure.runs],
	};
}

static void dry_run(const struct extend *e)
{
	double total_s = measure_point_s(&e->measure) * point_total(e);
	char banks[PCR_NAMES_BYTES];

	pcr_banks_names(&e->measure.banks, banks);
	printf("transport %s\n", e->targets[0].ops->transport);
	for (unsigned int i = 0; i < e->target_count; i++)
		printf("target %s\n", e->targets[i].name);
	printf("pcr %u\nbanks %s\n", e->measure.pcr, banks[0] ? banks : "all active");
	for (unsigned int i = 0; i < point_total(e); i++) {
		struct at at = point_at(e, i);
		const char *mode = modes_name(&e->modes, at.mode);

		printf("point %u clients %u (%s) mode %s run %u\n", i + 1, at.count,
		       e->threads ? "threads" : "processes", mode ? mode : "none", at.run);
	}
	if (e->measure.count)
		printf("%llu commands per client after %.2f s of warm-up in each point\n",
		       (unsigned long long)e->measure.count, e->measure.warmup_s);
	else
		printf("about %.0f s in all\n", total_s);
}

static struct json_object *new_point(const struct extend *e, const struct at *at,
				     struct json_object *conditions)
{
	struct json_object *point = json_object_new_object(), *value;
	char effective[SYSFS_MODE_BYTES];

	if (json_object_object_get_ex(conditions, "guest", &value))
		output_add_str(point, "guest", json_object_get_string(value));
	output_add_str(point, "device", e->driver);
	if (json_object_object_get_ex(conditions, "kernel", &value))
		output_add_str(point, "kernel", json_object_get_string(value));
	output_add_str(point, "transport", e->targets[0].ops->transport);
	output_add_str(point, "target", e->targets[0].name);
	output_add_str(point, "mode", modes_name(&e->modes, at->mode));
	if (e->chip[0] && !sysfs_mode_effective(e->chip, effective))
		output_add_str(point, "mode_effective", effective);
	output_add_str(point, "workload", "extend");
	output_add_u64(point, "processes", at->count);
	output_add_bool(point, "threads", e->threads);
	output_add_u64(point, "run", at->run);
	output_add_u64(point, "pcr", e->measure.pcr);
	output_add_u64(point, "list_entries", 0);
	return point;
}

static void make_spec(const struct extend *e, unsigned int clients, struct run_spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	measure_spec(&e->measure, spec);
	spec->targets = e->targets;
	/* so that run.c never sees a target without a client */
	spec->target_count = e->target_count < clients ? e->target_count : clients;
	spec->clients = clients;
	spec->threads = e->threads;
	spec->tpm_pid = e->tpm_pid;
	spec->chip = e->chip[0] ? e->chip : NULL;
	if (!e->chip[0] && e->measure.limit_s > SOCKET_SETUP_S)
		spec->setup_limit_ns = clock_s_to_ns(SOCKET_SETUP_S);
}

/* Return: whether the run goes on. */
static bool measure_one(struct extend *e, unsigned int i, struct json_object *doc,
			enum vtf_exit *code)
{
	static struct run_result result; /* a histogram is large for a stack */
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct json_object *conditions = NULL, *point;
	struct at at = point_at(e, i);
	enum vtf_exit rc;
	struct run_spec spec;

	if (modes_set(&e->modes, at.mode, &err)) {
		*code = vtf_exit_worse(*code, vtf_error_print(NAME, &err));
		return false;
	}
	make_spec(e, at.count, &spec);
	json_object_object_get_ex(doc, "conditions", &conditions);
	point = new_point(e, &at, conditions);
	rc = run_point(&spec, &result);
	*code = vtf_exit_worse(*code, rc);
	if (rc != VTF_EXIT_DONE && result.error.code != VTF_EXIT_DONE)
		vtf_error_print(NAME, &result.error);
	if (!result.commands) {
		json_object_put(point);
		return false;
	}
	measure_point(point, &result);
	output_doc_add(doc, point);
	/* a TPM that lost or refused some may still do the rest; a wrong PCR ends it */
	return rc == VTF_EXIT_DONE || rc == VTF_EXIT_INCOMPLETE;
}

static enum vtf_exit measure_all(struct extend *e, struct json_object *doc)
{
	enum vtf_exit code = VTF_EXIT_DONE;
	struct output_progress progress;

	output_progress_start(&progress, measure_point_s(&e->measure) * point_total(e));
	for (unsigned int i = 0; i < point_total(e) && !signals_pending(); i++) {
		struct at at = point_at(e, i);
		const char *mode = modes_name(&e->modes, at.mode);

		output_progress_say(&progress, "point %u of %u: %u clients, mode %s, run %u", i + 1,
				    point_total(e), at.count, mode ? mode : "none", at.run);
		if (!measure_one(e, i, doc, &code))
			break;
	}
	output_progress_end(&progress);
	if (signals_pending())
		code = vtf_exit_worse(code, VTF_EXIT_INCOMPLETE);
	return code;
}

static struct json_object *new_document(const struct extend *e)
{
	struct conditions_opts conditions = {
		.guest = e->measure.guest,
		.chip = e->chip[0] ? e->chip : NULL,
		.with_tss2 = e->targets[0].ops == &client_esapi,
		.histogram_error_pct = HIST_ERROR_PCT,
		.clock = ticks_name(),
	};

	return output_doc_new(NAME, conditions_gather(&conditions));
}

static enum vtf_exit run(struct extend *e)
{
	/* per client count and mode; runs and everything else is merged */
	static const char *const group[] = { "processes", "mode", NULL };
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	enum vtf_exit code;
	struct json_object *doc;
	const char *node;
	int lock;

	choose_device(e);
	identify(e);
	if (!modes_prepare(&e->modes, e->chip, e->targets[0].name, &err))
		e->tpm_pid = modes_tpm_process(e->tpm_pid, may_be_swtpm(e), NAME, &err);
	if (err.code != VTF_EXIT_DONE)
		return vtf_error_print(NAME, &err);
	if (e->measure.dry_run) {
		dry_run(e);
		return VTF_EXIT_DONE;
	}
	lock = lock_tpm(e->chip[0] ? e->chip : e->targets[0].name, &err);
	if (lock < 0)
		return vtf_error_print(NAME, &err);
	/* before the conditions, whose gathering takes a while on a slow machine */
	node = target_node(e);
	if (node && client_check_node(node, &err)) {
		close(lock);
		return vtf_error_print(NAME, &err);
	}
	signals_catch();
	doc = new_document(e);
	code = doc ? measure_all(e, doc) : VTF_EXIT_INTERNAL;
	code = vtf_exit_worse(code, modes_restore(&e->modes, NAME));
	if (doc)
		code = measure_finish(&e->measure, NAME, doc, group, code);
	json_object_put(doc);
	close(lock);
	return code;
}

int cmd_extend(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.doc = "Measures PCR extends: rate, latency and CPU time, for 1 to 64 clients, and "
		       "verifies the PCR after every point.",
	};
	struct extend *e = calloc(1, sizeof(*e));
	enum vtf_exit code = VTF_EXIT_INTERNAL;

	if (!e)
		return VTF_EXIT_INTERNAL;
	/* tss2's log lines would only repeat what is reported here */
	setenv("TSS2_LOG", "all+none", 0);
	if (!argp_parse(&argp, argc, argv, 0, NULL, e))
		code = run(e);
	modes_free(&e->modes);
	free(e);
	return code;
}
