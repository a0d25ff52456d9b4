// SPDX-License-Identifier: GPL-2.0
/* From points to rows: medians over runs in one boot, ratios in one boot, then medians over boots. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double report_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Tables go from the pace that all know to the fastest; what has no name here comes after, by name. */
static int mode_rank(const char *mode)
{
	static const char *const order[] = { "",      "stock", "usleep", "adaptive",
					     "event", "auto",  REPORT_MODE_NO_TPM };
	int i;

	for (i = 0; i < (int)(sizeof(order) / sizeof(*order)); i++)
		if (!strcmp(order[i], mode))
			break;
	return i;
}

/* Raw extends first, then those of IMA, then the floors under them. */
static int workload_rank(const char *workload)
{
	static const char *const order[] = { "extend", "", "pingpong", "libtpms" };
	int i;

	for (i = 0; i < (int)(sizeof(order) / sizeof(*order)); i++)
		if (!strcmp(order[i], workload))
			return i;
	return 1;
}

static int order_numbers(int a, int b)
{
	return (a > b) - (a < b);
}

static int compare_settings(const struct report_setting *a, const struct report_setting *b,
			    bool with_mode)
{
	int c = order_numbers(workload_rank(a->workload), workload_rank(b->workload));

	if (!c)
		c = strcmp(a->workload, b->workload);
	if (!c)
		c = strcmp(a->guest, b->guest);
	if (!c)
		c = strcmp(a->kernel, b->kernel);
	if (!c)
		c = strcmp(a->device, b->device);
	if (!c)
		c = strcmp(a->target, b->target);
	if (!c)
		c = strcmp(a->transport, b->transport);
	if (!c)
		c = strcmp(a->banks, b->banks);
	if (!c)
		c = order_numbers(a->threads, b->threads);
	if (!c)
		c = order_numbers(a->processes, b->processes);
	if (!c)
		c = order_numbers(a->digests_per_command, b->digests_per_command);
	if (!c)
		c = (a->list_entries_asked > b->list_entries_asked) -
		    (a->list_entries_asked < b->list_entries_asked);
	if (!c && with_mode)
		c = order_numbers(mode_rank(a->mode), mode_rank(b->mode));
	if (!c && with_mode)
		c = strcmp(a->mode, b->mode);
	return c;
}

/* One measured thing on its way into a row: a point, or a row of one boot. */
struct sample {
	const struct report_setting *setting;
	const double *metric;
	size_t boot;
	size_t group; /* boots that may stand in one row share it */
	const struct report_row *row; /* NULL for a point */
	const struct report_point *point; /* NULL for a row */
};

static int by_group_and_setting(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->group != y->group)
		return x->group > y->group ? 1 : -1;
	return compare_settings(x->setting, y->setting, true);
}

static double worst_low(const struct sample *sample)
{
	return sample->row ? sample->row->low_per_s : sample->metric[METRIC_EXTENDS_PER_S];
}

static double best_high(const struct sample *sample)
{
	return sample->row ? sample->row->high_per_s : sample->metric[METRIC_EXTENDS_PER_S];
}

/* A wrong PCR anywhere makes the row wrong; a point that says nothing makes it unsaid. */
static enum report_verified join_verified(enum report_verified a, enum report_verified b)
{
	if (a == VERIFIED_NO || b == VERIFIED_NO)
		return VERIFIED_NO;
	return a == VERIFIED_YES && b == VERIFIED_YES ? VERIFIED_YES : VERIFIED_UNKNOWN;
}

static void join_counts(struct report_row *row, const struct sample *sample)
{
	row->boots++;
	row->low_per_s = fmin(row->low_per_s, worst_low(sample));
	row->high_per_s = fmax(row->high_per_s, best_high(sample));
	if (sample->row) {
		row->runs += sample->row->runs;
		row->errors += sample->row->errors;
		row->verified = join_verified(row->verified, sample->row->verified);
	} else {
		row->runs++;
		row->errors += sample->point->errors;
		row->verified = join_verified(row->verified, sample->point->verified);
	}
}

/* The value of a sample that goes into a median: a metric, or one of the two ratios after them. */
static double sample_value(const struct sample *sample, int which)
{
	if (which < METRIC_COUNT)
		return sample->metric[which];
	if (!sample->row)
		return NAN;
	return which == METRIC_COUNT ? sample->row->ratio_to_stock : sample->row->floor_pct;
}

static void fill_row(struct report_row *row, const struct sample *samples, size_t count,
		     double *scratch)
{
	*row = (struct report_row){ .setting = samples->setting,
				    .boot = samples->boot,
				    .no_tpm_pct = NAN,
				    .verified = VERIFIED_YES,
				    .low_per_s = INFINITY,
				    .high_per_s = -INFINITY };
	for (size_t i = 0; i < count; i++)
		join_counts(row, &samples[i]);
	for (int which = 0; which < METRIC_COUNT + 2; which++) {
		size_t used = 0;
		double median;

		for (size_t i = 0; i < count; i++) {
			scratch[used] = sample_value(&samples[i], which);
			used += !isnan(scratch[used]);
		}
		median = report_median(scratch, used);
		if (which < METRIC_COUNT)
			row->metric[which] = median;
		else if (which == METRIC_COUNT)
			row->ratio_to_stock = median;
		else
			row->floor_pct = median;
	}
}

static int make_rows(struct sample *samples, size_t count, struct report_rows *rows)
{
	double *scratch = calloc(count + 1, sizeof(*scratch));
	size_t first = 0;

	rows->count = 0;
	rows->row = calloc(count + 1, sizeof(*rows->row));
	if (!rows->row || !scratch) {
		free(scratch);
		return -ENOMEM;
	}
	qsort(samples, count, sizeof(*samples), by_group_and_setting);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && !by_group_and_setting(&samples[first], &samples[i]))
			continue;
		fill_row(&rows->row[rows->count++], &samples[first], i - first, scratch);
		first = i;
	}
	free(scratch);
	return 0;
}

static double ratio_to_stock(const struct report_rows *rows, const struct report_row *row)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *other = &rows->row[i];

		if (other->boot == row->boot && !strcmp(other->setting->mode, "stock") &&
		    !compare_settings(other->setting, row->setting, false) &&
		    other->metric[METRIC_EXTENDS_PER_S] > 0)
			return row->metric[METRIC_EXTENDS_PER_S] /
			       other->metric[METRIC_EXTENDS_PER_S];
	}
	return NAN;
}

/* The ping-pong of the same boot over the same banks: the cost of an extend grows with each bank. */
static double floor_pct(const struct report_rows *rows, const struct report_row *row)
{
	if (!strcmp(row->setting->workload, "libtpms"))
		return NAN; /* no transport at all: a limit of another kind */
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *other = &rows->row[i];

		if (other->boot == row->boot && !strcmp(other->setting->workload, "pingpong") &&
		    !strcmp(other->setting->banks, row->setting->banks) &&
		    other->metric[METRIC_EXTENDS_PER_S] > 0)
			return 100 * row->metric[METRIC_EXTENDS_PER_S] /
			       other->metric[METRIC_EXTENDS_PER_S];
	}
	return NAN;
}

static bool is_no_tpm(const struct report_setting *s)
{
	return !strcmp(s->transport, REPORT_TRANSPORT_IMA) && !strcmp(s->mode, REPORT_MODE_NO_TPM);
}

/* The same accesses on the same kernel; device, target and banks are those of the TPM that is not there. */
static bool same_accesses(const struct report_setting *a, const struct report_setting *b)
{
	return !strcmp(a->transport, b->transport) && !strcmp(a->workload, b->workload) &&
	       !strcmp(a->guest, b->guest) && !strcmp(a->kernel, b->kernel) &&
	       a->threads == b->threads && a->processes == b->processes &&
	       a->list_entries_asked == b->list_entries_asked;
}

/* Against the median over the boots without a TPM; NAN also for those themselves. */
static double no_tpm_pct(const struct report_rows *rows, const struct report_row *row,
			 double *scratch)
{
	size_t used = 0;

	if (is_no_tpm(row->setting) || strcmp(row->setting->transport, REPORT_TRANSPORT_IMA) != 0)
		return NAN;
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *other = &rows->row[i];

		if (is_no_tpm(other->setting) && same_accesses(other->setting, row->setting) &&
		    other->metric[METRIC_EXTENDS_PER_S] > 0)
			scratch[used++] = other->metric[METRIC_EXTENDS_PER_S];
	}
	return 100 * row->metric[METRIC_EXTENDS_PER_S] / report_median(scratch, used);
}

/* Each line of a boot carries what its row over boots says: it has no ceiling of its own. */
static int add_no_tpm(const struct report *report, struct report_rows *by_boot,
		      struct report_rows *rows)
{
	double *scratch = calloc(rows->count + 1, sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		struct report_row *row = &rows->row[i];

		row->no_tpm_pct = no_tpm_pct(rows, row, scratch);
		for (size_t j = 0; j < by_boot->count; j++) {
			struct report_row *one = &by_boot->row[j];

			if (report->boots[one->boot].machine == report->boots[row->boot].machine &&
			    !compare_settings(one->setting, row->setting, true))
				one->no_tpm_pct = row->no_tpm_pct;
		}
	}
	free(scratch);
	return 0;
}

int report_rows_by_boot(const struct report *report, struct report_rows *rows)
{
	struct sample *samples = calloc(report->point_count + 1, sizeof(*samples));
	int err;

	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < report->point_count; i++) {
		const struct report_point *point = &report->points[i];

		samples[i] = (struct sample){ .setting = &point->setting,
					      .metric = point->metric,
					      .boot = point->boot,
					      .group = point->boot,
					      .point = point };
	}
	err = make_rows(samples, report->point_count, rows);
	for (size_t i = 0; !err && i < rows->count; i++) {
		struct report_row *row = &rows->row[i];

		row->boots = 1;
		row->ratio_to_stock = ratio_to_stock(rows, row);
		row->floor_pct = floor_pct(rows, row);
	}
	free(samples);
	return err;
}

int report_rows_over_boots(const struct report *report, struct report_rows *by_boot,
			   struct report_rows *rows)
{
	struct sample *samples = calloc(by_boot->count + 1, sizeof(*samples));
	int err;

	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < by_boot->count; i++) {
		const struct report_row *row = &by_boot->row[i];

		samples[i] = (struct sample){ .setting = row->setting,
					      .metric = row->metric,
					      .boot = row->boot,
					      .group = (size_t)report->boots[row->boot].machine,
					      .row = row };
	}
	err = make_rows(samples, by_boot->count, rows);
	if (!err)
		err = add_no_tpm(report, by_boot, rows);
	free(samples);
	return err;
}

void report_rows_free(struct report_rows *rows)
{
	free(rows->row);
	memset(rows, 0, sizeof(*rows));
}
