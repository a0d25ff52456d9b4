// SPDX-License-Identifier: GPL-2.0
/*
 * vtpmfast probe: what this machine has. Everything is gathered into one JSON document, and the text for a
 * person is printed from it, so the two cannot say different things. What is not known is left out; what
 * could not be found out says why.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "lib/conditions.h"
#include "lib/error.h"
#include "lib/ima_tpm.h"
#include "lib/measure.h"
#include "lib/output.h"
#include "lib/sysfs.h"
#include "lib/tpm_identity.h"

/* All chips together, so that the whole probe stays under a second. */
#define ASK_LIMIT_MS 300
#define CHIPS_MAX 16
#define VALUE_BYTES 256

struct options {
	bool json;
	const char *output;
};

static bool below_sys_exists(const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", sysfs_root(), path);
	return !access(full, F_OK);
}

static void add_file(struct json_object *to, const char *key, const char *path)
{
	char value[VALUE_BYTES];

	if (!sysfs_read(value, sizeof(value), "%s", path))
		output_add_str(to, key, value);
}

static struct json_object *probe_system(void)
{
	struct json_object *system = json_object_new_object();
	struct utsname name;
	char value[VALUE_BYTES];

	if (!uname(&name))
		output_add_str(system, "kernel_release", name.release);
	output_add_str(system, "kernel", conditions_kernel_is_patched() ? "patched" : "stock");
	output_add_str(system, "guest", conditions_guest());
	add_file(system, "dmi_vendor", "class/dmi/id/sys_vendor");
	add_file(system, "dmi_product", "class/dmi/id/product_name");
	output_add_str(system, "hmac", conditions_hmac());
	add_file(system, "tpm_virtual_parameter", "module/tpm/parameters/virtual");
	add_file(system, "tpm_limit_ms_parameter", "module/tpm/parameters/limit_ms");
	if (!conditions_config("CONFIG_TCG_VTPM_PROXY", value, sizeof(value)))
		output_add_str(system, "config_vtpm_proxy", value);
	output_add_bool(system, "vtpmx_device", !access("/dev/vtpmx", F_OK));
	return system;
}

/* `virtual` is "1 vtpm_proxy": the flag, then the reason. */
static void add_virtual(struct json_object *to, const char *chip)
{
	char value[VALUE_BYTES], *reason;

	if (sysfs_read(value, sizeof(value), "class/tpm/%s/virtual", chip))
		return;
	reason = strchr(value, ' ');
	if (reason)
		*reason++ = '\0';
	output_add_bool(to, "virtual", !strcmp(value, "1"));
	output_add_str(to, "virtual_reason", reason);
}

static void add_stats(struct json_object *to, const char *chip)
{
	struct json_object *object;
	struct sysfs_stats stats;

	if (sysfs_stats_get(chip, &stats))
		return;
	object = json_object_new_object();
	output_add_u64(object, "commands", stats.commands);
	output_add_u64(object, "looks", stats.looks);
	output_add_u64(object, "sleeps", stats.sleeps);
	output_add_u64(object, "wakeups", stats.wakeups);
	output_add_u64(object, "timeouts", stats.timeouts);
	output_add_u64(object, "cancels", stats.cancels);
	json_object_object_add(to, "completion_stats", object);
}

static void add_identity(struct json_object *to, const char *chip, int limit_ms)
{
	struct tpm_identity identity;
	struct vtf_error error = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "/dev/tpmrm%s", chip + strlen("tpm"));
	output_add_str(to, "node", text);
	if (tpm_identity_read(text, limit_ms, &identity, &error)) {
		output_add_str(to, "identity_error", error.text);
		return;
	}
	output_add_str(to, "family", identity.family);
	output_add_str(to, "manufacturer", identity.manufacturer);
	output_add_str(to, "vendor", identity.vendor);
	snprintf(text, sizeof(text), "%u.%02u", identity.revision / 100, identity.revision % 100);
	if (identity.revision)
		output_add_str(to, "revision", text);
	/* two 16-bit halves, as most makers print it */
	snprintf(text, sizeof(text), "%u.%u.%u.%u", identity.firmware_version_1 >> 16,
		 identity.firmware_version_1 & 0xffff, identity.firmware_version_2 >> 16,
		 identity.firmware_version_2 & 0xffff);
	if (identity.firmware_version_1 || identity.firmware_version_2)
		output_add_str(to, "firmware_version", text);
}

static struct json_object *probe_chip(const char *chip, int limit_ms)
{
	struct json_object *object = json_object_new_object();
	char value[VALUE_BYTES], mode[SYSFS_MODE_BYTES];

	output_add_str(object, "chip", chip);
	if (!sysfs_chip_driver(chip, value, sizeof(value)))
		output_add_str(object, "driver", value);
	if (!sysfs_read(value, sizeof(value), "class/tpm/%s/tpm_version_major", chip))
		output_add_u64(object, "tpm_version_major", strtoull(value, NULL, 10));
	add_virtual(object, chip);
	/* a kernel without the file has one mode only */
	output_add_str(object, "completion_mode", sysfs_mode_get(chip, mode) ? "stock" : mode);
	if (!sysfs_mode_effective(chip, mode))
		output_add_str(object, "completion_mode_effective", mode);
	if (sysfs_chip_banks(chip, value, sizeof(value)) > 0)
		output_add_str(object, "banks", value);
	add_stats(object, chip);
	add_identity(object, chip, limit_ms);
	return object;
}

static struct json_object *probe_chips(void)
{
	struct json_object *chips = json_object_new_array();
	char names[CHIPS_MAX][SYSFS_CHIP_BYTES];
	int count = sysfs_chips(names, CHIPS_MAX);

	for (int i = 0; i < count; i++)
		json_object_array_add(chips, probe_chip(names[i], ASK_LIMIT_MS / count));
	return chips;
}

static void add_series(struct json_object *ima, const struct ima_tpm *tpm, enum ima_tpm_series which)
{
	struct json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < ima_tpm_series_length(which); i++)
		json_object_array_add(array, json_object_new_uint64(tpm->series[which][i]));
	json_object_object_add(ima, ima_tpm_series_name(which), array);
}

/*
 * What a kernel with the series says itself. A TPM that came late is bound although the boot aggregate is
 * zeros. Return: whether it says anything.
 */
static bool add_ima_tpm(struct json_object *ima)
{
	struct ima_tpm tpm;

	if (ima_tpm_read(&tpm))
		return false;
	if (!strcmp(tpm.state, "boot") || !strcmp(tpm.state, "late")) {
		output_add_str(ima, "state", "active");
		output_add_str(ima, "tpm_bound", tpm.state);
	} else {
		output_add_str(ima, "state", tpm.state);
	}
	if (*tpm.chip)
		output_add_str(ima, "tpm_chip", tpm.chip);
	for (int i = 0; i < IMA_TPM_COUNTERS; i++)
		if (tpm.have[i])
			output_add_u64(ima, ima_tpm_counter_name(i), tpm.counter[i]);
	for (int i = 0; i < IMA_TPM_SERIES; i++)
		if (tpm.have_series[i])
			add_series(ima, &tpm, i);
	return true;
}

/*
 * IMA goes into bypass when it finds no TPM at its start; then the first record, boot_aggregate, is all
 * zeros. Only the first line is read: the kernel walks the list from its head for every page.
 */
static void add_ima_state(struct json_object *ima)
{
	char line[VALUE_BYTES * 2], *digest, *end;

	/* `10 TEMPLATE-HASH ima-ng sha256:DIGEST boot_aggregate` */
	if (sysfs_read(line, sizeof(line), "kernel/security/ima/ascii_runtime_measurements"))
		return;
	digest = strchr(line, ':');
	if (!digest || !strstr(line, "boot_aggregate"))
		return;
	end = strchr(++digest, ' ');
	output_add_str(ima, "state",
		       end && strspn(digest, "0") == (size_t)(end - digest) ? "bypass" : "active");
}

/* Rules if the policy can be read; without CONFIG_IMA_READ_POLICY the file is only for writing. */
static void add_ima_policy(struct json_object *ima)
{
	char path[PATH_MAX], line[VALUE_BYTES];
	uint64_t rules = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/kernel/security/ima/policy", sysfs_root());
	in = fopen(path, "re");
	output_add_bool(ima, "policy_readable", in != NULL);
	if (!in)
		return;
	while (fgets(line, sizeof(line), in))
		rules += strchr(line, '\n') != NULL;
	output_add_u64(ima, "policy_rules", rules);
	fclose(in);
}

static struct json_object *probe_ima(void)
{
	struct json_object *ima = json_object_new_object();
	char value[VALUE_BYTES];
	bool present = below_sys_exists("kernel/security/ima");

	/* securityfs always has `lsm` once it is mounted */
	if (!present && !below_sys_exists("kernel/security/lsm")) {
		output_add_str(ima, "unknown_because", "securityfs is not mounted or not allowed");
		return ima;
	}
	output_add_bool(ima, "present", present);
	if (!present)
		return ima;
	if (!sysfs_read(value, sizeof(value), "kernel/security/ima/runtime_measurements_count"))
		output_add_u64(ima, "list_entries", strtoull(value, NULL, 10));
	else
		output_add_str(ima, "unknown_because", "only root may read its files");
	if (!sysfs_read(value, sizeof(value), "kernel/security/ima/violations"))
		output_add_u64(ima, "violations", strtoull(value, NULL, 10));
	if (!add_ima_tpm(ima))
		add_ima_state(ima);
	add_ima_policy(ima);
	if (!conditions_cmdline("ima_policy", value, sizeof(value)))
		output_add_str(ima, "boot_policy", value);
	return ima;
}

/*
 * The provider's name is found only in a report entry, so one is made and removed at once. The kernel
 * refuses to make one (ENXIO) while no provider is registered.
 */
static void add_tsm_provider(struct json_object *tsm, const char *reports)
{
	char path[PATH_MAX], value[VALUE_BYTES];
	sigset_t all, before;
	int rc;

	snprintf(path, sizeof(path), "%s/%s/vtpmfast-probe-%d", sysfs_root(), reports, (int)getpid());
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	rc = mkdir(path, 0700) ? -errno : 0;
	if (!rc) {
		if (!sysfs_read(value, sizeof(value), "%s/vtpmfast-probe-%d/provider", reports,
				(int)getpid()))
			output_add_str(tsm, "provider", value);
		rmdir(path);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc == -ENXIO)
		output_add_str(tsm, "unknown_because", "no provider is registered");
	else if (rc)
		output_add_str(tsm, "unknown_because",
			       rc == -EACCES || rc == -EPERM ? "only root may make a report entry" :
								strerror(-rc));
}

static struct json_object *probe_tsm(void)
{
	static const char reports[] = "kernel/config/tsm/report";
	struct json_object *tsm = json_object_new_object();
	bool present = below_sys_exists(reports);

	output_add_bool(tsm, "present", present);
	if (present)
		add_tsm_provider(tsm, reports);
	return tsm;
}

static struct json_object *probe(void)
{
	struct json_object *doc = json_object_new_object();

	json_object_object_add(doc, "schema", json_object_new_int(VTF_SCHEMA));
	output_add_str(doc, "kind", "probe");
	output_add_str(doc, "tool_version", VTF_VERSION);
	json_object_object_add(doc, "system", probe_system());
	json_object_object_add(doc, "chips", probe_chips());
	json_object_object_add(doc, "ima", probe_ima());
	json_object_object_add(doc, "tsm", probe_tsm());
	return doc;
}

/* Numbers as the kernel prints them, without brackets and commas. */
static void print_array(FILE *out, struct json_object *array)
{
	for (size_t i = 0; i < json_object_array_length(array); i++)
		fprintf(out, " %s", json_object_get_string(json_object_array_get_idx(array, i)));
	fputc('\n', out);
}

/* Key and value of all members, objects in objects with their name before each member. */
static void print_members(FILE *out, const char *prefix, struct json_object *object)
{
	json_object_object_foreach(object, name, value)
	{
		const char *text = json_object_get_string(value);

		if (json_object_is_type(value, json_type_object)) {
			print_members(out, name, value);
			continue;
		}
		if (json_object_is_type(value, json_type_boolean))
			text = json_object_get_boolean(value) ? "yes" : "no";
		fprintf(out, "  %s%s%-*s", prefix, *prefix ? "." : "",
			*prefix ? 27 - (int)strlen(prefix) : 28, name);
		if (json_object_is_type(value, json_type_array))
			print_array(out, value);
		else
			fprintf(out, " %s\n", text);
	}
}

static void print_text(FILE *out, struct json_object *doc)
{
	static const char *const sections[][2] = { { "system", "System" }, { "chips", "TPM" },
						   { "ima", "IMA" }, { "tsm", "TSM reports" } };
	struct json_object *section;

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		json_object_object_get_ex(doc, sections[i][0], &section);
		if (json_object_is_type(section, json_type_object)) {
			fprintf(out, "%s\n", sections[i][1]);
			print_members(out, "", section);
			continue;
		}
		if (!json_object_array_length(section))
			fprintf(out, "%s\n  none registered\n", sections[i][1]);
		for (size_t j = 0; j < json_object_array_length(section); j++) {
			fprintf(out, "%s\n", sections[i][1]);
			print_members(out, "", json_object_array_get_idx(section, j));
		}
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case 'o':
		options->output = measure_parse_output(arg, "output", state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument `%s`", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int deliver(const struct options *options, struct json_object *doc)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc = 0;

	if (options->json)
		return output_write_json(options->output, doc);
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	print_text(out, doc);
	if (fclose(out))
		rc = -ENOMEM;
	else if (options->output)
		rc = output_write_atomic(options->output, text, size);
	else if (fwrite(text, 1, size, stdout) != size)
		rc = -EIO;
	free(text);
	return rc;
}

int cmd_probe(int argc, char **argv)
{
	static const struct argp_option argp_options[] = {
		{ "json", 'j', NULL, 0, "Print JSON", 0 },
		{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.doc = "Says what this machine has: TPM chips with their driver, flag, completion mode "
		       "and banks, IMA, TSM reports, the hypervisor.\vTakes less than a second, also "
		       "with a TPM that hangs. What needs root and is not given says so.\n\nExit codes: "
		       "0 there is a TPM; 3 there is none (what was found is printed all the same).",
	};
	struct vtf_error error = { 0 };
	struct options options = { 0 };
	struct json_object *doc, *chips;
	int rc;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return VTF_EXIT_USAGE;
	doc = probe();
	json_object_object_get_ex(doc, "chips", &chips);
	rc = deliver(&options, doc);
	if (rc)
		vtf_error_set(&error, VTF_EXIT_INTERNAL, "cannot write %s: %s",
			      options.output ? options.output : "standard output", strerror(-rc));
	else if (!json_object_array_length(chips))
		vtf_error_set(&error, VTF_EXIT_MISSING,
			      "no TPM chip is registered (%s/class/tpm is empty or missing)",
			      sysfs_root());
	json_object_put(doc);
	return vtf_error_print("probe", &error);
}
