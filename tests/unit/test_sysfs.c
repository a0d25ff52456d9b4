// SPDX-License-Identifier: GPL-2.0
/* Reading and switching a chip that is a directory tree of our own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/conditions.h"
#include "lib/output.h"
#include "lib/sysfs.h"

static char root[64];

static void make(const char *below, const char *text)
{
	char path[PATH_MAX], *slash;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, below);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (!text) {
		mkdir(path, 0755);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/vtpmfast-sysfs-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	setenv("VTPMFAST_SYSFS", root, 1);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	unsetenv("VTPMFAST_SYSFS");
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command); // NOLINT(cert-env33-c): our own mkdtemp() name
}

static void no_tpm(void **state)
{
	char chips[4][SYSFS_CHIP_BYTES], text[64];

	(void)state;
	assert_int_equal(sysfs_chips(chips, 4), 0);
	assert_int_equal(sysfs_mode_get("tpm0", text), -ENOENT);
	assert_int_equal(sysfs_chip_driver("tpm0", text, sizeof(text)), -ENOENT);
	assert_false(conditions_kernel_is_patched());
}

static void chips_in_order(void **state)
{
	char chips[4][SYSFS_CHIP_BYTES];

	(void)state;
	make("class/tpm/tpm10", NULL);
	make("class/tpm/tpm2", NULL);
	make("class/tpm/tpmrm2", NULL);
	make("class/tpm/vtpmx", NULL);
	assert_int_equal(sysfs_chips(chips, 4), 2);
	assert_string_equal(chips[0], "tpm2");
	assert_string_equal(chips[1], "tpm10");
}

static void nodes(void **state)
{
	char chip[SYSFS_CHIP_BYTES];

	(void)state;
	assert_int_equal(sysfs_chip_of_node("/dev/tpm0", chip), 0);
	assert_string_equal(chip, "tpm0");
	assert_int_equal(sysfs_chip_of_node("/dev/tpmrm12", chip), 0);
	assert_string_equal(chip, "tpm12");
	assert_int_equal(sysfs_chip_of_node("/dev/null", chip), -EINVAL);
	assert_int_equal(sysfs_chip_of_node("/dev/tpm", chip), -EINVAL);
	assert_int_equal(sysfs_chip_of_node("/dev/tpm0x", chip), -EINVAL);
	assert_int_equal(sysfs_chip_of_node("", chip), -EINVAL);
}

static void drivers(void **state)
{
	char driver[32], path[PATH_MAX];

	(void)state;
	make("class/tpm/tpm0", NULL);
	assert_int_equal(sysfs_chip_driver("tpm0", driver, sizeof(driver)), 0);
	assert_string_equal(driver, "vtpm_proxy");
	make("class/tpm/tpm1/device", NULL);
	snprintf(path, sizeof(path), "%s/class/tpm/tpm1/device/driver", root);
	assert_int_equal(symlink("../../bus/acpi/drivers/tpm_crb", path), 0);
	assert_int_equal(sysfs_chip_driver("tpm1", driver, sizeof(driver)), 0);
	assert_string_equal(driver, "tpm_crb");
}

static void banks(void **state)
{
	char names[64];

	(void)state;
	make("class/tpm/tpm0/pcr-sha256", NULL);
	make("class/tpm/tpm0/pcr-sha1", NULL);
	assert_int_equal(sysfs_chip_banks("tpm0", names, sizeof(names)), 2);
	assert_string_equal(names, "sha1+sha256");
}

static void stock_kernel(void **state)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	struct sysfs_stats stats;

	(void)state;
	make("class/tpm/tpm0", NULL);
	assert_int_equal(sysfs_mode_set("tpm0", "auto", &err), -ENOENT);
	assert_int_equal(err.code, VTF_EXIT_MISSING);
	assert_non_null(strstr(err.text, "stock"));
	assert_int_equal(sysfs_stats_get("tpm0", &stats), -ENOENT);
	assert_false(conditions_kernel_is_patched());
}

static void patched_kernel(void **state)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	char mode[SYSFS_MODE_BYTES];
	struct sysfs_stats stats;

	(void)state;
	make("class/tpm/tpm0/completion_mode", "auto\n");
	make("class/tpm/tpm0/completion_mode_effective", "event\n");
	make("class/tpm/tpm0/completion_stats",
	     "commands 12\nlooks 24\nsleeps 1\nwakeups 11\nnew_name 5\ntimeouts 2\ncancels 3\n");
	assert_true(conditions_kernel_is_patched());
	assert_int_equal(sysfs_mode_get("tpm0", mode), 0);
	assert_string_equal(mode, "auto");
	assert_int_equal(sysfs_mode_effective("tpm0", mode), 0);
	assert_string_equal(mode, "event");
	assert_int_equal(sysfs_mode_set("tpm0", "usleep", &err), 0);
	assert_int_equal(sysfs_mode_get("tpm0", mode), 0);
	assert_string_equal(mode, "usleep");
	assert_int_equal(sysfs_stats_get("tpm0", &stats), 0);
	assert_int_equal(stats.commands, 12);
	assert_int_equal(stats.looks, 24);
	assert_int_equal(stats.wakeups, 11);
	assert_int_equal(stats.timeouts, 2);
	assert_int_equal(stats.cancels, 3);
}

static void mode_words(void **state)
{
	static const char *const good[] = { "stock", "usleep", "adaptive", "event", "auto" };
	static const char *const bad[] = { "", "Stock", "stock ", "fast" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(sysfs_mode_valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(sysfs_mode_valid(bad[i]));
}

static void hmac_by_null_name(void **state)
{
	(void)state;
	make("class/tpm/tpm0/null_name", "000b1234\n");
	assert_string_equal(conditions_hmac(), "on");
	make("module/tpm/parameters/disable_pcr_integrity", "Y\n");
	assert_string_equal(conditions_hmac(), "on, extends exempt");
	make("module/tpm/parameters/disable_pcr_integrity", "N\n");
	assert_string_equal(conditions_hmac(), "on");
}

/* No key of the conditions has an empty or made-up value, and overrides win. */
static void conditions_have_no_fillers(void **state)
{
	const struct conditions_opts opts = { .guest = "mine", .chip = "tpm0", .with_tss2 = true };
	struct json_object *c, *value;

	(void)state;
	make("class/tpm/tpm0/pcr-sha384", NULL);
	c = conditions_gather(&opts);
	assert_non_null(c);
	json_object_object_foreach(c, key, v) {
		const char *text = json_object_get_string(v);

		if (!text || !*text || !strcmp(text, "-1") || strstr(text, "nan"))
			fail_msg("%s is a filler", key);
	}
	assert_true(json_object_object_get_ex(c, "guest", &value));
	assert_string_equal(json_object_get_string(value), "mine");
	assert_true(json_object_object_get_ex(c, "banks", &value));
	assert_string_equal(json_object_get_string(value), "sha384");
	assert_true(json_object_object_get_ex(c, "tss2_version", NULL));
	assert_true(json_object_object_get_ex(c, "libtpms_version", NULL));
	assert_false(json_object_object_get_ex(c, "histogram_error_pct", NULL));
	json_object_put(c);
}

#define WITH_TREE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(no_tpm),	   WITH_TREE(chips_in_order),
		WITH_TREE(nodes),	   WITH_TREE(drivers),
		WITH_TREE(banks),	   WITH_TREE(stock_kernel),
		WITH_TREE(patched_kernel), cmocka_unit_test(mode_words),
		WITH_TREE(hmac_by_null_name), WITH_TREE(conditions_have_no_fillers),
	};

	return cmocka_run_group_tests_name("sysfs", tests, NULL, NULL);
}
