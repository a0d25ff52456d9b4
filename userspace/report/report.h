/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `vtpmfast report` knows: the points of all files that it was given, the boots that they were
 * measured in, and the rows that come of them.
 *
 * One rule holds throughout: a median or a ratio is formed from points of one boot only. Two boots of
 * one kernel differ by more than two modes of one boot do, so over several boots the figure is the
 * median of what each boot says. The exception is named as such: IMA without a TPM cannot share a boot
 * with IMA that has one.
 */
#ifndef VTF_REPORT_H
#define VTF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <json-c/json.h>

#include "lib/error.h"
#include "lib/output.h"

/* Figures of a point that are carried into the rows. The order is that of the CSV. */
enum report_metric {
	METRIC_EXTENDS_PER_S,
	METRIC_COMMANDS_PER_S,
	METRIC_MIN_US,
	METRIC_P50_US,
	METRIC_P90_US,
	METRIC_P99_US,
	METRIC_P999_US,
	METRIC_MAX_US,
	METRIC_CPU_US,
	METRIC_CPU_CLIENT_US,
	METRIC_CPU_KERNEL_US,
	METRIC_CPU_TPM_US,
	METRIC_IDLE_PCT,
	METRIC_LOOKS,
	METRIC_SLEEPS,
	METRIC_WAKEUPS,
	METRIC_TPM_EXTENDS_PER_S, /* by the TPM's own counter */
	METRIC_UPDATE_DIFFERENCE, /* that counter against the list; the only one below zero */
	METRIC_LIST_ENTRIES,
	METRIC_LIST_ENTRIES_END,
	METRIC_VIOLATIONS,
	METRIC_TIMEOUTS,
	METRIC_COMMANDS_PER_EXTEND, /* this and the next three by IMA's own counters */
	METRIC_MEAN_BATCH,
	METRIC_IMA_WAIT_P50,
	METRIC_IMA_WAIT_P99,
	METRIC_COUNT
};

extern const char *const report_metric_names[METRIC_COUNT];

/* What a point says of IMA: its transport, and its mode in a boot that had no TPM. */
#define REPORT_TRANSPORT_IMA "ima"
#define REPORT_MODE_NO_TPM "no-tpm"

/* A point says that its PCRs were checked, that they were found wrong, or nothing. */
enum report_verified { VERIFIED_UNKNOWN, VERIFIED_NO, VERIFIED_YES };

/* What a point is about. Two points with equal settings are two runs of one thing. Strings are borrowed
 * from the JSON of the point or of its conditions, "" where nothing is said. */
struct report_setting {
	const char *workload; /* "extend", "pingpong", "libtpms"; of IMA "read", "create", "exec", "mmap" */
	const char *guest;
	const char *device;
	const char *target; /* "/dev/tpm0", a TCTI's configuration, or "" */
	const char *kernel; /* "stock" or "patched" */
	const char *transport;
	const char *mode;
	char banks[64]; /* "sha256", "sha1+sha256" */
	int processes; /* 0 where nothing is said */
	int digests_per_command; /* 0 where nothing is said */
	long list_entries_asked; /* that IMA's list was filled up to first; 0: as it was */
	bool threads; /* the clients are threads of one process */
};

struct report_boot {
	struct json_object *conditions; /* owned */
	char *id; /* what tells this boot from others; owned */
	int machine; /* boots with the same conditions share this number, from 0 */
};

struct report_point {
	struct json_object *json; /* owned */
	size_t boot; /* index into report.boots */
	struct report_setting setting;
	double metric[METRIC_COUNT]; /* NAN: not said */
	double errors;
	enum report_verified verified;
};

struct report {
	struct report_boot *boots;
	size_t boot_count;
	struct report_point *points;
	size_t point_count;
	size_t incomplete_count; /* files that say so of themselves */
};

/* One line of a table: a setting in one boot, or over all boots with the same conditions. */
struct report_row {
	const struct report_setting *setting;
	size_t boot; /* of the first point */
	size_t boots; /* how many stand behind the figures */
	size_t runs; /* points behind the figures, all boots together */
	double metric[METRIC_COUNT]; /* medians; NAN: not said */
	double low_per_s; /* slowest and fastest run */
	double high_per_s;
	double ratio_to_stock; /* NAN without a stock run in the same boot */
	double floor_pct; /* percent of the ping-pong of the same boot; NAN without one */
	/* Percent of IMA without a TPM, which has boots of its own: the one ratio that is not formed
	 * within a boot but from the medians over boots. NAN where either is not there. */
	double no_tpm_pct;
	double errors; /* sum */
	enum report_verified verified;
};

struct report_rows {
	struct report_row *row;
	size_t count;
};

/**
 * report_load() - add the points of one result file
 * @report:  zeroed, or filled by this function before
 * @path:    the file
 * @boot_id: boot of points whose conditions name none in `boot_id`; NULL: a boot of their own
 * @error:   set on failure, with line and column or with the path of the member
 *
 * Return: 0; -EBADMSG if it is no JSON, another schema or kind, or a member has the wrong type;
 * -EEXIST if one of the points was loaded already; -ENOMEM; another negative errno if it cannot be read.
 */
int report_load(struct report *report, const char *path, const char *boot_id,
		struct vtf_error *error);
void report_free(struct report *report);

/* The members of conditions that all boots agree on; the caller puts it. NULL: no memory. */
struct json_object *report_common_conditions(const struct report *report);

/* The merged document, which report_load reads back; the caller puts it. NULL: no memory. */
struct json_object *report_merged(const struct report *report);

/**
 * report_rows_by_boot() - medians over the runs of each setting in each boot, ratios within the boot
 *
 * report_rows_over_boots() makes medians over those of boots with the same conditions, and sets the
 * rows of IMA against those without a TPM; it writes that ratio into the rows of each boot too.
 *
 * Return: 0 or -ENOMEM. Rows are in the order of the tables; free them with report_rows_free.
 */
int report_rows_by_boot(const struct report *report, struct report_rows *rows);
int report_rows_over_boots(const struct report *report, struct report_rows *by_boot,
			   struct report_rows *rows);
void report_rows_free(struct report_rows *rows);

/* Sorts @values and returns the median; NAN if there is none. */
double report_median(double *values, size_t count);

/* The short line of conditions under tables and charts. Return: 0 or -ENOMEM; @text is the caller's. */
int report_conditions_line(const struct report *report, char **text);

/* The writers. Return: 0 or -EIO. */
int report_write_table(FILE *out, const struct report *report, const struct report_rows *rows);
int report_write_csv(FILE *out, const struct report *report, const struct report_rows *by_boot);

/* What a chart shows against the number of processes. */
enum report_chart_kind {
	CHART_RAW, /* extends per second of clients that talk to the TPM themselves */
	CHART_IMA, /* extends per second that IMA does */
	CHART_P99, /* 99th percentile of the time of one access that IMA measures */
	CHART_CPU, /* CPU time per extend that IMA does */
	CHART_KIND_COUNT
};

extern const char *const report_chart_names[CHART_KIND_COUNT];

struct report_chart {
	enum report_chart_kind kind;
	const char *workload; /* of IMA; NULL: "read", or the first by name that there is */
};

/* The chart that `--svg` means: of IMA where there are points of it, else the raw one. */
enum report_chart_kind report_main_chart(const struct report *report);

/**
 * report_draw() - a chart, as SVG text
 * @rows: over boots
 * @svg:  set to the text on success; the caller frees it
 *
 * Return: 0; -ENODATA if no row can be drawn; -ENOENT if gnuplot is not installed; -EPIPE if gnuplot
 * failed (its own words went to stderr); -ENOMEM; another -errno.
 */
int report_draw(const struct report_chart *chart, const struct report *report,
		const struct report_rows *rows, char **svg);

#endif
