/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions: what a number was measured under. Everything is read from the
 * running system; what cannot be found out is left out.
 */
#ifndef VTF_CONDITIONS_H
#define VTF_CONDITIONS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct conditions_opts {
	const char *guest;	 /* overrides the detection; NULL: detect */
	const char *banks;	 /* active banks, "sha256+sha1", as asked from the TPM; NULL: from sysfs */
	const char *chip;	 /* "tpm0": chip that the run is about; NULL: none */
	bool with_tss2;		 /* TSS2 is in the path: record its version */
	double histogram_error_pct; /* 0: no histogram in this run */
	const char *clock;	    /* what latencies were taken with; NULL: none were */
};

/**
 * conditions_gather() - collect the conditions
 * @opts: what the caller knows better than this function
 *
 * Keys: tool_version, date_utc, kernel_release, kernel ("stock" or "patched"),
 * kernel_config_sha256 (of the uncompressed configuration), boot_id, guest,
 * accelerator, cpus, cpu_pinned, swtpm_version, libtpms_version,
 * tss2_version, banks, hmac, ima_policy, ima_policy_sha256, ima_template,
 * ima_hash, ima_list_entries, histogram_error_pct, clock ("tsc" or
 * "clock_gettime").
 *
 * Return: the object, to be freed with json_object_put(); NULL without memory.
 */
struct json_object *conditions_gather(const struct conditions_opts *opts);

/**
 * conditions_print() - the same for a person: `# key: value` lines
 * @to:         stream
 * @conditions: from conditions_gather()
 */
void conditions_print(FILE *to, struct json_object *conditions);

/* "uml", "kvm", "tcg", "xen", "hyperv", "vmware", "none" (no hypervisor), "other": a static string. */
const char *conditions_guest(void);

/* True if the running kernel's TPM core is ours (has completion_mode or tpm.virtual). */
bool conditions_kernel_is_patched(void);

/*
 * What the kernel's own extends use: "off" (not compiled in), "on",
 * "on, extends exempt" (tpm.disable_pcr_integrity); NULL: not known. Commands
 * that come from user space are never wrapped.
 */
const char *conditions_hmac(void);

/**
 * conditions_config() - a symbol of the running kernel's configuration
 * @symbol: with CONFIG_
 * @value:  receives "y", "m", a number or a text; "n" if not set
 * @size:   bytes at @value
 *
 * Reads /proc/config.gz, else /boot/config-RELEASE.
 *
 * Return: 0, -ENOENT if no configuration can be read, other negative errno.
 */
int conditions_config(const char *symbol, char *value, size_t size);

/**
 * conditions_cmdline() - a parameter of the kernel command line
 * @name:  "ima_policy"
 * @value: receives the text after '='; the last one wins
 * @size:  bytes at @value
 *
 * Return: 0, -ENOENT if it is not there.
 */
int conditions_cmdline(const char *name, char *value, size_t size);

#endif
