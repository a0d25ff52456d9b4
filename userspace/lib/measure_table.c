// SPDX-License-Identifier: GPL-2.0
/* The terminal table: one row per group of runs, medians over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "stats.h"

#define MAX_ROWS 1024
#define MAX_RUNS 1000

static const struct column {
	const char *key;
	const char *title;
	int decimals;
} columns[] = {
	{ "extends_per_s", "extends/s", 0 },
	{ "p50_us", "p50 us", 1 },
	{ "p90_us", "p90 us", 1 },
	{ "p99_us", "p99 us", 1 },
	{ "p999_us", "p99.9 us", 1 },
	{ "max_us", "max us", 1 },
	{ "cpu_client_us_per_extend", "user us", 2 },
	{ "cpu_kernel_us_per_extend", "kernel us", 2 },
	{ "cpu_tpm_us_per_extend", "TPM us", 2 },
	{ "idle_pct", "idle %", 0 },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

/* Text of a key, "-" if the point does not have it. */
static const char *text_of(struct json_object *point, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(point, key, &value) ? json_object_get_string(value) : "-";
}

static bool same_group(struct json_object *a, struct json_object *b, const char *const *group)
{
	for (; *group; group++) {
		char left[64];

		snprintf(left, sizeof(left), "%s", text_of(a, *group));
		if (strcmp(left, text_of(b, *group)) != 0)
			return false;
	}
	return true;
}

/* The first point of every group, in the order in which they come. */
static size_t find_groups(struct json_object *points, const char *const *group,
			  struct json_object **rows)
{
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(points) && n < MAX_ROWS; i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		size_t j = 0;

		while (j < n && !same_group(rows[j], point, group))
			j++;
		if (j == n)
			rows[n++] = point;
	}
	return n;
}

static double median_of(struct json_object *points, struct json_object *row,
			const char *const *group, const char *key)
{
	static double values[MAX_RUNS];
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(points) && n < MAX_RUNS; i++) {
		struct json_object *point = json_object_array_get_idx(points, i), *value;

		if (same_group(row, point, group) && json_object_object_get_ex(point, key, &value))
			values[n++] = json_object_get_double(value);
	}
	return stats_median(values, n);
}

struct group_facts {
	unsigned int runs;
	uint64_t errors;
	const char *verified; /* "yes" only if every run is; "-" where there is no TPM to compare with */
};

static struct group_facts facts_of(struct json_object *points, struct json_object *row,
				   const char *const *group)
{
	struct group_facts facts = { .verified = "yes" };
	bool failed = false, no_tpm = false;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i), *value;

		if (!same_group(row, point, group))
			continue;
		facts.runs++;
		if (json_object_object_get_ex(point, "errors", &value))
			facts.errors += json_object_get_uint64(value);
		if (json_object_object_get_ex(point, "verified", &value))
			failed |= !json_object_get_boolean(value);
		else if (!strcmp(text_of(point, "device"), "none"))
			no_tpm = true;
		else
			failed = true;
	}
	if (failed || no_tpm)
		facts.verified = failed ? "NO" : "-";
	return facts;
}

/* The row with the same group but mode `stock`; NULL if there is none. */
static struct json_object *stock_row(struct json_object **rows, size_t n, struct json_object *row,
				     const char *const *group)
{
	const char *others[16];
	size_t count = 0;

	for (; *group && count < 15; group++)
		if (strcmp(*group, "mode") != 0)
			others[count++] = *group;
	others[count] = NULL;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(text_of(rows[i], "mode"), "stock") && same_group(rows[i], row, others))
			return rows[i];
	return NULL;
}

static void print_number(FILE *to, double value, int width, int decimals)
{
	if (isfinite(value))
		fprintf(to, " %*.*f", width, decimals, value);
	else
		fprintf(to, " %*s", width, "-");
}

static void print_row(FILE *to, struct json_object *points, struct json_object **rows, size_t n,
		      size_t at, const char *const *group)
{
	struct group_facts facts = facts_of(points, rows[at], group);
	struct json_object *stock = stock_row(rows, n, rows[at], group);
	double ratio = NAN;

	for (size_t g = 0; group[g]; g++)
		fprintf(to, "%-*s ", (int)strlen(group[g]) > 8 ? (int)strlen(group[g]) : 8,
			text_of(rows[at], group[g]));
	fprintf(to, "%4u", facts.runs);
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		print_number(to, median_of(points, rows[at], group, columns[c].key), 10,
			     columns[c].decimals);
	if (stock)
		ratio = median_of(points, rows[at], group, "extends_per_s") /
			median_of(points, stock, group, "extends_per_s");
	fprintf(to, " %6llu %8s", (unsigned long long)facts.errors, facts.verified);
	print_number(to, ratio, 8, 2);
	fputc('\n', to);
}

void measure_table(FILE *to, struct json_object *points, const char *const *group)
{
	static struct json_object *rows[MAX_ROWS];
	size_t n = find_groups(points, group, rows);

	for (size_t g = 0; group[g]; g++)
		fprintf(to, "%-8s ", group[g]);
	fprintf(to, "%4s", "runs");
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		fprintf(to, " %10s", columns[c].title);
	fprintf(to, " %6s %8s %8s\n", "errors", "verified", "x stock");
	for (size_t i = 0; i < n; i++)
		print_row(to, points, rows, n, i, group);
}
