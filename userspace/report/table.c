// SPDX-License-Identifier: GPL-2.0
/* Rows out: the table for a person, and the CSV for a program. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report.h"

/* Three significant digits up to a million: no figure here is known better than that. */
static const char *short_number(char *text, size_t size, double value)
{
	if (isnan(value))
		snprintf(text, size, "%s", "");
	else if (value < 9.995)
		snprintf(text, size, "%.2f", value);
	else if (value < 99.95)
		snprintf(text, size, "%.1f", value);
	else
		snprintf(text, size, "%.0f", value);
	return text;
}

static void cell(FILE *out, int width, double value)
{
	char text[32];

	fprintf(out, " %*s", width, short_number(text, sizeof(text), value));
}

static const char *verified_word(enum report_verified verified)
{
	static const char *const words[] = {
		[VERIFIED_UNKNOWN] = "", [VERIFIED_NO] = "WRONG", [VERIFIED_YES] = "ok"
	};

	return words[verified];
}

static bool is_ima(const struct report_setting *s)
{
	return !strcmp(s->transport, REPORT_TRANSPORT_IMA);
}

/* What IMA measured; "/dev/tpmrm0", "swtpm-socket" or the floor's name. */
static const char *path_of(const struct report_setting *s)
{
	if (is_ima(s))
		return s->workload;
	if (*s->target)
		return s->target;
	if (*s->device)
		return s->device;
	return s->workload;
}

static void write_spread(FILE *out, const struct report_row *row)
{
	char low[32], high[32], text[72] = "";

	if (row->runs > 1)
		snprintf(text, sizeof(text), "%s..%s", short_number(low, sizeof(low), row->low_per_s),
			 short_number(high, sizeof(high), row->high_per_s));
	fprintf(out, " %15s", text);
}

static void write_row(FILE *out, const struct report_row *row)
{
	const struct report_setting *s = row->setting;
	char clients[16] = "", entries[24] = "", mode[48];

	if (s->processes)
		snprintf(clients, sizeof(clients), "%d%s", s->processes, s->threads ? "t" : "");
	if (s->digests_per_command > 1)
		snprintf(mode, sizeof(mode), "%d digests", s->digests_per_command);
	else
		snprintf(mode, sizeof(mode), "%s", s->mode);
	/* the name of a floor says how the TPM was reached */
	fprintf(out, "%-12s %-6s %3s %-9s", path_of(s), *s->target || is_ima(s) ? s->transport : "",
		clients, mode);
	cell(out, 9, row->metric[METRIC_EXTENDS_PER_S]);
	write_spread(out, row);
	cell(out, 6, row->ratio_to_stock);
	cell(out, 6, row->floor_pct);
	cell(out, 6, row->no_tpm_pct);
	cell(out, 7, row->metric[METRIC_P50_US]);
	cell(out, 7, row->metric[METRIC_P99_US]);
	cell(out, 7, row->metric[METRIC_CPU_US]);
	if (is_ima(s) && !isnan(row->metric[METRIC_LIST_ENTRIES]))
		snprintf(entries, sizeof(entries), "%.0f", row->metric[METRIC_LIST_ENTRIES]);
	fprintf(out, " %7s %s\n", entries, verified_word(row->verified));
}

static void write_heading(FILE *out, const struct report *report, const struct report_row *row)
{
	struct json_object *release = NULL;
	const struct report_setting *s = row->setting;

	json_object_object_get_ex(report->boots[row->boot].conditions, "kernel_release", &release);
	fprintf(out, "\nkernel%s%s%s%s%s%s, banks %s, %zu boot%s\n", *s->kernel ? " " : "", s->kernel,
		release ? " " : "", release ? json_object_get_string(release) : "",
		*s->guest ? ", guest " : "", s->guest, *s->banks ? s->banks : "not said", row->boots,
		row->boots > 1 ? "s" : "");
	fprintf(out, "%-12s %-6s %3s %-9s %9s %15s %6s %6s %6s %7s %7s %7s %7s %s\n", "TPM/workload",
		"way", "N", "mode", "extends/s", "slowest..fast", "xstock", "%pingp", "%noTPM", "p50_us",
		"p99_us", "cpu_us", "list", "PCR");
}

int report_write_table(FILE *out, const struct report *report, const struct report_rows *rows)
{
	int machine = -1;
	char *conditions = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *row = &rows->row[i];

		if (report->boots[row->boot].machine != machine)
			write_heading(out, report, row);
		machine = report->boots[row->boot].machine;
		write_row(out, row);
	}
	if (report_conditions_line(report, &conditions))
		return -EIO;
	fprintf(out,
		"\nN: clients (t: threads). extends/s: median; with several boots, the median of each boot's median.\n"
		"xstock: against completion mode stock, %%pingp: against the bare ping-pong with the TPM,\n"
		"both only ever within one boot. %%noTPM: ratio of medians over interleaved boots, against\n"
		"IMA in boots without a TPM. cpu_us: CPU time of all sides per extend. list: entries of the\n"
		"measurement list at the start. PCR ok: after every run the PCR held the value computed from the\n"
		"number of extends; with IMA, that of replaying the list.\n"
		"Conditions: %s\n",
		conditions);
	free(conditions);
	return ferror(out) ? -EIO : 0;
}

/* RFC 4180: a field with a comma, a quote or a line break is quoted, quotes are doubled. */
static void csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_number(FILE *out, double value)
{
	fputc(',', out);
	if (!isnan(value))
		fprintf(out, "%.6g", value);
}

static void csv_count(FILE *out, long value)
{
	fputc(',', out);
	if (value)
		fprintf(out, "%ld", value);
}

static void csv_row(FILE *out, const struct report_row *row)
{
	static const char *const verified[] = {
		[VERIFIED_UNKNOWN] = "", [VERIFIED_NO] = "false", [VERIFIED_YES] = "true"
	};
	const struct report_setting *s = row->setting;
	const char *const texts[] = { s->workload, s->guest,	 s->kernel, s->device,
				      s->target,	   s->transport, s->mode,   s->banks };

	fprintf(out, "%zu", row->boot + 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		fputc(',', out);
		csv_text(out, texts[i]);
	}
	csv_count(out, s->processes);
	fputs(s->threads ? ",true" : ",false", out);
	csv_count(out, s->digests_per_command);
	csv_count(out, s->list_entries_asked);
	fprintf(out, ",%zu", row->runs);
	for (int m = 0; m < METRIC_COUNT; m++)
		csv_number(out, row->metric[m]);
	csv_number(out, row->low_per_s);
	csv_number(out, row->high_per_s);
	csv_number(out, row->ratio_to_stock);
	csv_number(out, row->floor_pct);
	csv_number(out, row->no_tpm_pct);
	fprintf(out, ",%.0f,%s\n", row->errors, verified[row->verified]);
}

int report_write_csv(FILE *out, const struct report *report, const struct report_rows *by_boot)
{
	(void)report;
	fputs("boot,workload,guest,kernel,device,target,transport,mode,banks,processes,"
	      "threads,digests_per_command,list_entries_asked,runs",
	      out);
	for (int m = 0; m < METRIC_COUNT; m++)
		fprintf(out, ",%s", report_metric_names[m]);
	fputs(",lowest_extends_per_s,highest_extends_per_s,ratio_to_stock,pct_of_pingpong,"
	      "pct_of_no_tpm_medians,errors,verified\n",
	      out);
	for (size_t i = 0; i < by_boot->count; i++)
		csv_row(out, &by_boot->row[i]);
	return ferror(out) ? -EIO : 0;
}
