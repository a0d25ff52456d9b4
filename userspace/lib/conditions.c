// SPDX-License-Identifier: GPL-2.0
#include "conditions.h"

#include <libtpms/tpm_library.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "kernel_config.h"
#include "output.h"
#include "sha256.h"
#include "sysfs.h"

bool conditions_kernel_is_patched(void)
{
	char chips[16][SYSFS_CHIP_BYTES], mode[SYSFS_MODE_BYTES], value[16];
	int n;

	if (!sysfs_read(value, sizeof(value), "module/tpm/parameters/virtual"))
		return true;
	n = sysfs_chips(chips, 16);
	for (int i = 0; i < n; i++)
		if (!sysfs_mode_get(chips[i], mode))
			return true;
	return false;
}

const char *conditions_hmac(void)
{
	char chips[1][SYSFS_CHIP_BYTES], value[80];
	bool compiled_in;

	/* null_name is the key that the sessions are salted with: it exists only with them */
	if (sysfs_chips(chips, 1) == 1 &&
	    !sysfs_read(value, sizeof(value), "class/tpm/%s/null_name", chips[0]))
		compiled_in = true;
	else if (!conditions_config("CONFIG_TCG_TPM2_HMAC", value, sizeof(value)))
		compiled_in = !strcmp(value, "y");
	else
		return NULL;
	if (!compiled_in)
		return "off";
	if (!sysfs_read(value, sizeof(value), "module/tpm/parameters/disable_pcr_integrity") &&
	    (value[0] == 'Y' || value[0] == '1'))
		return "on, extends exempt";
	return "on";
}

static void add_kernel(struct json_object *c)
{
	char hex[SHA256_HEX_BYTES];
	struct utsname name;
	const char *text;
	size_t len;

	if (!uname(&name))
		output_add_str(c, "kernel_release", name.release);
	output_add_str(c, "kernel", conditions_kernel_is_patched() ? "patched" : "stock");
	if (!kernel_config_text(&text, &len) && !sha256_hex(text, len, hex))
		output_add_str(c, "kernel_config_sha256", hex);
}

/*
 * A UML kernel sees one CPU, whatever its host process is pinned to; only who
 * started it knows, and says so in VTPMFAST_CPU_PINNED.
 */
static void add_cpus(struct json_object *c, const char *guest)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	const char *told = getenv("VTPMFAST_CPU_PINNED");
	cpu_set_t set;

	if (online > 0)
		output_add_u64(c, "cpus", (uint64_t)online);
	if (told && *told) {
		char *end;
		unsigned long cpu = strtoul(told, &end, 10);

		if (!*end)
			output_add_u64(c, "cpu_pinned", cpu);
		return;
	}
	if (!strcmp(guest, "uml") || online <= 1 || sched_getaffinity(0, sizeof(set), &set) ||
	    CPU_COUNT(&set) != 1)
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			output_add_u64(c, "cpu_pinned", (uint64_t)i);
}

/* "TPM emulator version 0.7.1, Copyright ..." to "0.7.1" */
static void add_swtpm_version(struct json_object *c)
{
	const char *binary = getenv("SWTPM");
	char command[512], line[256] = "", *version;
	FILE *pipe;

	if (!binary || !*binary)
		binary = "swtpm";
	if (strchr(binary, '\'') ||
	    snprintf(command, sizeof(command), "exec '%s' --version </dev/null 2>/dev/null",
		     binary) >= (int)sizeof(command))
		return;
	/* the shell, not execvp(), so that a missing swtpm costs only an empty line */
	pipe = popen(command, "re"); // NOLINT(cert-env33-c)
	if (!pipe)
		return;
	version = fgets(line, sizeof(line), pipe) ? strstr(line, "version ") : NULL;
	while (fgetc(pipe) != EOF)
		;
	pclose(pipe);
	if (!version)
		return;
	version += strlen("version ");
	version[strcspn(version, ", \n")] = '\0';
	output_add_str(c, "swtpm_version", version);
}

static void add_versions(struct json_object *c, const struct conditions_opts *opts)
{
	uint32_t v = TPMLIB_GetVersion();
	char text[32];

	output_add_str(c, "tool_version", VTF_VERSION);
	add_swtpm_version(c);
	snprintf(text, sizeof(text), "%u.%u.%u", v >> 16, (v >> 8) & 0xff, v & 0xff);
	output_add_str(c, "libtpms_version", text);
	if (opts->with_tss2)
		output_add_str(c, "tss2_version", VTF_TSS2_VERSION);
}

/* The command line wins over the configuration. */
static void add_ima_setting(struct json_object *c, const char *parameter, const char *symbol)
{
	char value[64];

	if (!conditions_cmdline(parameter, value, sizeof(value)) ||
	    (!conditions_config(symbol, value, sizeof(value)) && strcmp(value, "n") != 0))
		output_add_str(c, parameter, value);
}

static void add_ima(struct json_object *c)
{
	char value[256], path[512], hex[SHA256_HEX_BYTES], *policy;
	size_t len;
	FILE *f;

	if (!conditions_cmdline("ima_policy", value, sizeof(value)))
		output_add_str(c, "ima_policy", value);
	add_ima_setting(c, "ima_template", "CONFIG_IMA_DEFAULT_TEMPLATE");
	add_ima_setting(c, "ima_hash", "CONFIG_IMA_DEFAULT_HASH");
	if (!sysfs_read(value, sizeof(value), "kernel/security/ima/runtime_measurements_count"))
		output_add_u64(c, "ima_list_entries", strtoull(value, NULL, 10));
	/* readable only with CONFIG_IMA_READ_POLICY and before it is locked */
	snprintf(path, sizeof(path), "%s/kernel/security/ima/policy", sysfs_root());
	f = fopen(path, "re");
	if (!f)
		return;
	policy = calloc(1, KERNEL_CONFIG_MAX);
	len = policy ? fread(policy, 1, KERNEL_CONFIG_MAX, f) : 0;
	fclose(f);
	if (len && !sha256_hex(policy, len, hex))
		output_add_str(c, "ima_policy_sha256", hex);
	free(policy);
}

/* Tells the results of one boot from those of another, which must not be mixed. */
static void add_boot(struct json_object *c)
{
	char id[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f)
		return;
	if (fgets(id, sizeof(id), f))
		id[strcspn(id, "\n")] = '\0';
	fclose(f);
	output_add_str(c, "boot_id", id);
}

static void add_date(struct json_object *c)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		output_add_str(c, "date_utc", text);
}

struct json_object *conditions_gather(const struct conditions_opts *opts)
{
	struct json_object *c = json_object_new_object();
	const char *detected = conditions_guest();
	char banks[128];

	if (!c)
		return NULL;
	add_kernel(c);
	add_boot(c);
	output_add_str(c, "guest", opts->guest ? opts->guest : detected);
	if (!strcmp(detected, "kvm") || !strcmp(detected, "tcg"))
		output_add_str(c, "accelerator", detected);
	add_cpus(c, detected);
	add_versions(c, opts);
	if (opts->banks)
		output_add_str(c, "banks", opts->banks);
	else if (opts->chip && sysfs_chip_banks(opts->chip, banks, sizeof(banks)) > 0)
		output_add_str(c, "banks", banks);
	output_add_str(c, "hmac", conditions_hmac());
	add_ima(c);
	if (opts->histogram_error_pct > 0)
		output_add_num(c, "histogram_error_pct", opts->histogram_error_pct, 2);
	output_add_str(c, "clock", opts->clock);
	add_date(c);
	return c;
}

void conditions_print(FILE *to, struct json_object *conditions)
{
	json_object_object_foreach(conditions, key, value) {
		fprintf(to, "# %s: %s\n", key, json_object_get_string(value));
	}
}
