// SPDX-License-Identifier: GPL-2.0
/* Rows and charts of IMA: the ceiling from other boots, and which points a chart takes. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/output.h"
#include "lib/tmpdir.h"
#include "report/chart.h"
#include "report/report.h"

#define WITH_TPM "\"transport\":\"ima\",\"device\":\"vtpm_proxy\",\"target\":\"tpm0\",\"banks\":\"sha256\""
#define NO_TPM "\"transport\":\"ima\",\"device\":\"none\",\"mode\":\"no-tpm\""
#define RAW "\"workload\":\"extend\",\"transport\":\"raw\",\"device\":\"vtpm_proxy\",\"target\":\"/dev/tpm0\""

static char directory[256];
static struct report report;
static struct report_rows by_boot, rows;

static void load(const char *boot_id, const char *points)
{
	struct vtf_error error = { 0 };
	char path[300], *text;

	snprintf(path, sizeof(path), "%s/%s.json", directory, boot_id);
	assert_true(asprintf(&text,
			     "{\"schema\":1,\"kind\":\"sweep\",\"conditions\":{\"boot_id\":\"%s\","
			     "\"kernel\":\"patched\",\"tpm\":\"%.1s\"},\"points\":[%s]}",
			     boot_id, boot_id, points) > 0);
	assert_int_equal(output_write_atomic(path, text, strlen(text)), 0);
	free(text);
	assert_int_equal(report_load(&report, path, NULL, &error), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (tmpdir_make(directory, sizeof(directory)))
		return -1;
	load("t1", "{" WITH_TPM ",\"workload\":\"read\",\"mode\":\"stock\",\"processes\":4,\"extends_per_s\":1000,"
		   "\"p99_us\":5000},"
		   "{" WITH_TPM ",\"workload\":\"read\",\"mode\":\"auto\",\"processes\":4,\"extends_per_s\":12000,"
		   "\"p99_us\":400},"
		   "{" WITH_TPM ",\"workload\":\"exec\",\"mode\":\"auto\",\"processes\":4,\"extends_per_s\":700},"
		   "{" RAW ",\"mode\":\"auto\",\"processes\":4,\"extends_per_s\":16000}");
	load("n1", "{" NO_TPM ",\"workload\":\"read\",\"processes\":4,\"extends_per_s\":20000,\"p99_us\":300}");
	load("n2", "{" NO_TPM ",\"workload\":\"read\",\"processes\":4,\"extends_per_s\":28000,\"p99_us\":100}");
	return report_rows_by_boot(&report, &by_boot) ||
	       report_rows_over_boots(&report, &by_boot, &rows);
}

static int tear_down(void **state)
{
	(void)state;
	report_rows_free(&by_boot);
	report_rows_free(&rows);
	report_free(&report);
	tmpdir_remove(directory);
	return 0;
}

static const struct report_row *find(const struct report_rows *in, const char *workload, const char *mode)
{
	for (size_t i = 0; i < in->count; i++)
		if (!strcmp(in->row[i].setting->workload, workload) &&
		    !strcmp(in->row[i].setting->mode, mode))
			return &in->row[i];
	fail_msg("no row of %s in %s", workload, mode);
	return NULL;
}

static int percent(const struct report_row *row)
{
	return isnan(row->no_tpm_pct) ? -1 : (int)lround(row->no_tpm_pct);
}

/* 12000 against the median of 20000 and 28000, which are two boots of one machine. */
static void ceiling_is_a_ratio_of_medians(void **state)
{
	(void)state;
	assert_int_equal(percent(find(&rows, "read", "auto")), 50);
	assert_int_equal(percent(find(&by_boot, "read", "auto")), 50);
	assert_int_equal(find(&rows, "read", "no-tpm")->boots, 2);
	assert_int_equal(lround(find(&rows, "read", "auto")->ratio_to_stock), 12);
}

static void no_ceiling_without_its_points(void **state)
{
	(void)state;
	assert_int_equal(percent(find(&rows, "exec", "auto")), -1);
	assert_int_equal(percent(find(&rows, "extend", "auto")), -1);
	assert_int_equal(percent(find(&rows, "read", "no-tpm")), -1);
}

static char *script(enum report_chart_kind kind, const char *workload, int want)
{
	struct report_chart chart = { .kind = kind, .workload = workload };
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(chart_script(out, &chart, &report, &rows), want);
	fclose(out);
	return text;
}

static void chart_takes_its_points_only(void **state)
{
	char *text = script(CHART_IMA, NULL, 0);

	(void)state;
	assert_non_null(strstr(text, "\n4 12000\n"));
	assert_non_null(strstr(text, "\n4 1000\n"));
	assert_non_null(strstr(text, "\n4 24000\n"));
	assert_non_null(strstr(text, "'IMA without a TPM (other boots)'"));
	assert_null(strstr(text, "\n4 700\n"));
	assert_null(strstr(text, "\n4 16000\n"));
	free(text);

	text = script(CHART_P99, "read", 0);
	assert_non_null(strstr(text, "\n4 5000\n"));
	assert_non_null(strstr(text, "\n4 200\n"));
	assert_non_null(strstr(text, "set logscale y"));
	free(text);

	text = script(CHART_RAW, NULL, 0);
	assert_non_null(strstr(text, "\n4 16000\n"));
	assert_null(strstr(text, "\n4 12000\n"));
	free(text);
}

static void chart_without_points_is_refused(void **state)
{
	(void)state;
	free(script(CHART_IMA, "mmap", -ENODATA));
	/* no point says what CPU time it took */
	free(script(CHART_CPU, NULL, -ENODATA));
}

static void main_chart_is_of_ima(void **state)
{
	struct report nothing = { 0 };

	(void)state;
	assert_int_equal(report_main_chart(&report), CHART_IMA);
	assert_int_equal(report_main_chart(&nothing), CHART_RAW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ceiling_is_a_ratio_of_medians),
		cmocka_unit_test(no_ceiling_without_its_points),
		cmocka_unit_test(chart_takes_its_points_only),
		cmocka_unit_test(chart_without_points_is_refused),
		cmocka_unit_test(main_chart_is_of_ima),
	};

	return cmocka_run_group_tests_name("report", tests, set_up, tear_down);
}
