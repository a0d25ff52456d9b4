// SPDX-License-Identifier: GPL-2.0
/*
 * The script of a chart: a figure against clients or processes, one line per kernel and mode; under raw
 * extends the ping-pong with the same TPM as a horizontal line, over those of IMA the line of IMA
 * without a TPM.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "report.h"

#define LOG_FROM_RATIO 5.0 /* a linear axis would press slower lines into the ground */
#define FOOTER_COLUMNS 118 /* of the footer's font in the width of the picture */

/*
 * Colours of middle lightness: 3:1 and more against white and against the dark ground below. The shape of
 * the points tells the modes apart too, and `auto` is hollow because it lies upon the mode that it chose.
 */
static const struct look {
	const char *mode, *colour;
	int point;
	double size;
} looks[] = {
	{ "stock", "#7a7f87", 5, 0.7 },	 { "usleep", "#d1495b", 9, 0.9 },
	{ "adaptive", "#b07d00", 13, 0.9 }, { "event", "#1a936f", 7, 0.8 },
	{ "auto", "#3d7edb", 4, 1.3 },
};
static const struct look other_look = { "", "#a05a2c", 2, 0.9 };
static const struct look no_tpm_look = { REPORT_MODE_NO_TPM, "#9b5de5", 10, 0.9 };
#define FLOOR_COLOUR "#9b5de5"

const char *const report_chart_names[CHART_KIND_COUNT] = {
	[CHART_RAW] = "raw",
	[CHART_IMA] = "ima",
	[CHART_P99] = "p99",
	[CHART_CPU] = "cpu",
};

static const struct frame {
	const char *title, *ylabel, *xlabel;
	enum report_metric metric;
	bool always_log;
} frames[CHART_KIND_COUNT] = {
	[CHART_RAW] = { "PCR extends per second against number of clients",
			"PCR extends per second, all clients together (median)",
			"clients that extend at the same time", METRIC_EXTENDS_PER_S, false },
	[CHART_IMA] = { "PCR extends per second that IMA does, against number of processes",
			"PCR extends per second, all processes together (median)",
			"processes that access files at the same time", METRIC_EXTENDS_PER_S, false },
	[CHART_P99] = { "Time of a measured access, 99th percentile, against number of processes",
			"99th percentile of one access, us (median of runs)",
			"processes that access files at the same time", METRIC_P99_US, true },
	[CHART_CPU] = { "CPU time per measured access, against number of processes",
			"CPU time of processes, kernel and TPM, us per extend (median)",
			"processes that access files at the same time", METRIC_CPU_US, false },
};

/* One chart on its way into a script. */
struct drawing {
	const struct report *report;
	const struct report_rows *rows;
	const struct frame *frame;
	bool ima;
	const char *workload; /* of IMA */
	const char *target; /* whose points are joined to lines; of IMA all are */
};

static const struct look *look_of(const char *mode)
{
	if (!strcmp(mode, no_tpm_look.mode))
		return &no_tpm_look;
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (!strcmp(looks[i].mode, mode))
			return &looks[i];
	return &other_look;
}

static bool is_floor(const struct report_setting *s)
{
	return !strcmp(s->workload, "pingpong") || !strcmp(s->workload, "libtpms");
}

static bool is_ima(const struct report_setting *s)
{
	return !strcmp(s->transport, REPORT_TRANSPORT_IMA);
}

static bool is_no_tpm(const struct report_setting *s)
{
	return !strcmp(s->mode, REPORT_MODE_NO_TPM);
}

static double value_of(const struct drawing *d, const struct report_row *row)
{
	return row->metric[d->frame->metric];
}

static bool can_be_drawn(const struct drawing *d, const struct report_row *row)
{
	const struct report_setting *s = row->setting;

	if (is_floor(s) || is_ima(s) != d->ima || s->processes <= 0 || !(value_of(d, row) > 0))
		return false;
	return !d->ima || !strcmp(s->workload, d->workload);
}

static bool is_joined(const struct drawing *d, const struct report_setting *s)
{
	return d->ima || !strcmp(s->target, d->target);
}

/* The device node or TCTI that was measured with the most client counts makes the lines. */
static const char *main_target(const struct drawing *d)
{
	const struct report_rows *rows = d->rows;
	const char *best = NULL;
	size_t best_count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		size_t count = 0;

		for (size_t j = 0; j < rows->count; j++)
			count += can_be_drawn(d, &rows->row[j]) &&
				 !strcmp(rows->row[j].setting->target, rows->row[i].setting->target);
		if (can_be_drawn(d, &rows->row[i]) && count > best_count) {
			best = rows->row[i].setting->target;
			best_count = count;
		}
	}
	return best;
}

/* "read", or the first that there is; NULL without any. */
static const char *main_workload(const struct report_rows *rows)
{
	const char *first = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct report_setting *s = rows->row[i].setting;

		if (!is_ima(s))
			continue;
		if (!strcmp(s->workload, "read"))
			return s->workload;
		if (!first || strcmp(s->workload, first) < 0)
			first = s->workload;
	}
	return first;
}

static bool same_series(const struct report *report, const struct report_row *a,
			const struct report_row *b)
{
	const struct report_setting *x = a->setting, *y = b->setting;

	return report->boots[a->boot].machine == report->boots[b->boot].machine &&
	       !strcmp(x->mode, y->mode) && !strcmp(x->target, y->target) &&
	       !strcmp(x->device, y->device) && !strcmp(x->transport, y->transport) &&
	       x->threads == y->threads && !strcmp(x->banks, y->banks) &&
	       !strcmp(x->workload, y->workload) && x->list_entries_asked == y->list_entries_asked;
}

/* Which parts of a setting differ between the drawn rows and so belong into the key. */
struct varying {
	bool kernel, device, transport, banks, workload, threads, list;
};

static struct varying find_varying(const struct drawing *d)
{
	struct varying v = { 0 };
	const struct report_setting *any = NULL, *first = NULL;

	for (size_t i = 0; i < d->rows->count; i++) {
		const struct report_setting *s = d->rows->row[i].setting;

		if (!can_be_drawn(d, &d->rows->row[i]) || !is_joined(d, s))
			continue;
		if (!any)
			any = s;
		v.list |= any->list_entries_asked != s->list_entries_asked;
		/* that it has neither device nor banks is in its name */
		if (is_no_tpm(s))
			continue;
		if (!first)
			first = s;
		v.kernel |= strcmp(first->kernel, s->kernel) != 0;
		v.device |= strcmp(first->device, s->device) != 0;
		v.transport |= strcmp(first->transport, s->transport) != 0;
		v.banks |= strcmp(first->banks, s->banks) != 0;
		v.threads |= first->threads != s->threads;
		v.workload |= strcmp(first->workload, s->workload) != 0;
	}
	return v;
}

/* Text in a single-quoted gnuplot string: quotes doubled, nothing that ends a line. */
static void put_quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', out);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
}

/* How a mode is called in the key: in the charts of IMA by what it is to the reader. */
static const char *mode_label(const struct report_setting *s)
{
	if (!is_ima(s))
		return s->mode;
	if (is_no_tpm(s))
		return "IMA without a TPM (other boots)";
	return strcmp(s->mode, "auto") != 0 ? s->mode : "fast (auto)";
}

static void put_label(FILE *out, const struct report_setting *s, const struct varying *v)
{
	bool no_tpm = is_no_tpm(s);
	char list[48] = "";
	const char *const parts[] = {
		v->kernel ? (!strcmp(s->kernel, "stock") ? "unpatched" : s->kernel) : "",
		mode_label(s),
		v->device && !no_tpm ? s->device : "",
		v->transport ? s->transport : "",
		v->banks && !no_tpm ? s->banks : "",
		v->workload ? s->workload : "",
		v->threads && s->threads ? "threads" : "",
		list,
	};
	const char *separator = "";

	if (v->list && s->list_entries_asked)
		snprintf(list, sizeof(list), "list of %ld", s->list_entries_asked);
	else if (v->list)
		snprintf(list, sizeof(list), "list as it was");

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!*parts[i])
			continue;
		fputs(separator, out);
		put_quoted(out, parts[i]);
		separator = ", ";
	}
}

static void put_data(FILE *out, const struct drawing *d, const struct report_row *head)
{
	for (size_t i = 0; i < d->rows->count; i++) {
		const struct report_row *row = &d->rows->row[i];

		if (can_be_drawn(d, row) && same_series(d->report, head, row))
			fprintf(out, "%d %.6g\n", row->setting->processes, value_of(d, row));
	}
}

static bool is_head(const struct drawing *d, size_t index)
{
	const struct report_rows *rows = d->rows;

	if (!can_be_drawn(d, &rows->row[index]))
		return false;
	for (size_t i = 0; i < index; i++)
		if (can_be_drawn(d, &rows->row[i]) &&
		    same_series(d->report, &rows->row[i], &rows->row[index]))
			return false;
	return true;
}

/* The ping-pong of the machine that most lines come from: the limit of raw extends, of nothing else. */
static const struct report_row *find_floor(const struct drawing *d)
{
	const struct report *report = d->report;
	const struct report_rows *rows = d->rows;
	const struct report_row *best = NULL;
	size_t best_count = 0;

	for (size_t i = 0; !d->ima && i < rows->count; i++) {
		const struct report_row *row = &rows->row[i];
		int machine = report->boots[row->boot].machine;
		size_t count = 0;

		if (strcmp(row->setting->workload, "pingpong") != 0 ||
		    !(row->metric[METRIC_EXTENDS_PER_S] > 0))
			continue;
		for (size_t j = 0; j < rows->count; j++)
			count += can_be_drawn(d, &rows->row[j]) &&
				 report->boots[rows->row[j].boot].machine == machine;
		if (!best || count > best_count) {
			best = row;
			best_count = count;
		}
	}
	return best;
}

/* The footer, broken at commas so that it stays inside the picture. */
static void put_footer(FILE *out, const char *text)
{
	int lines = 0;

	while (*text && lines < 4) {
		size_t length = strlen(text), cut = length;

		if (length > FOOTER_COLUMNS) {
			cut = FOOTER_COLUMNS;
			while (cut > 1 && strncmp(text + cut - 2, ", ", 2) != 0)
				cut--;
			cut = cut > 1 ? cut : FOOTER_COLUMNS;
		}
		fprintf(out, "set label %d '", lines + 1);
		for (size_t i = 0; i < cut; i++) {
			char one[2] = { text[i], 0 };

			put_quoted(out, one);
		}
		fprintf(out, "' at screen 0.012, character %g font ',10.5'\n", 1.9 - lines);
		text += cut;
		lines++;
	}
}

/* Where the axes begin and end, and whether they must be logarithmic. */
static void put_axes(FILE *out, const struct drawing *d, const struct report_row *floor)
{
	double low = INFINITY, high = floor ? floor->metric[METRIC_EXTENDS_PER_S] : 0;
	int most = 1;

	for (size_t i = 0; i < d->rows->count; i++) {
		const struct report_row *row = &d->rows->row[i];

		if (!can_be_drawn(d, row))
			continue;
		low = fmin(low, value_of(d, row));
		high = fmax(high, value_of(d, row));
		most = row->setting->processes > most ? row->setting->processes : most;
	}
	if (d->frame->always_log || high / low >= LOG_FROM_RATIO)
		fprintf(out, "set logscale y 10\nset yrange [%g:%g]\n", low / 1.6, high * 1.6);
	else
		fprintf(out, "set yrange [0:%g]\n", high * 1.15);
	if (most > 8)
		fprintf(out, "set logscale x 2\nset xrange [0.85:%g]\n", most * 1.18);
	else
		fprintf(out, "set xrange [0.5:%g]\nset xtics 1\n", most + 0.5);
}

static void put_plot(FILE *out, const struct drawing *d, const struct report_row *floor)
{
	const struct varying varying = find_varying(d);
	const char *other_target = NULL;

	fputs("plot", out);
	if (floor)
		fprintf(out,
			" %.6g title 'bare ping-pong, 1 client' with lines lw 2 dt 2 lc rgb '%s',",
			floor->metric[METRIC_EXTENDS_PER_S], FLOOR_COLOUR);
	for (size_t i = 0; i < d->rows->count; i++) {
		const struct report_setting *s = d->rows->row[i].setting;
		const struct look *look = look_of(s->mode);
		bool stock_kernel = !strcmp(s->kernel, "stock");

		if (!is_head(d, i))
			continue;
		fprintf(out, " $series%zu using 1:2 ", i);
		if (is_joined(d, s)) {
			fputs("title '", out);
			put_label(out, s, &varying);
			fprintf(out, "' with linespoints lw 2 dt %d pt %d ps %g",
				is_no_tpm(s) ? 2 : stock_kernel ? 3 : 1,
				stock_kernel ? 6 : look->point, stock_kernel ? 1.1 : look->size);
		} else {
			fputs("notitle with points lw 2 pt 2 ps 1.1", out);
			other_target = s->target;
		}
		fprintf(out, " lc rgb '%s',", look->colour);
	}
	/* An entry of the key without data: NaN is gnuplot's word for a point that is not drawn. */
	if (other_target) {
		fputs(" NaN title 'through ", out);
		put_quoted(out, other_target);
		fputs("' with points pt 2 ps 1.1 lc rgb '#7a7f87'", out);
	}
	fputc('\n', out);
}

static void put_head(FILE *out, const struct drawing *d)
{
	fprintf(out,
		"set encoding utf8\n"
		"set terminal svg noenhanced size 960,580 dynamic font 'sans-serif,13' background '#ffffff'\n"
		"set title '%s' font ',16'\n"
		"set ylabel '%s'\n"
		"set key outside right center Left reverse spacing 1.25 samplen 2.5\n"
		"set grid lw 1 lc rgb '#dde0e4' dt 1\n"
		"set border 3\n"
		"set tics nomirror\n"
		"set format y '%%.0f'\n"
		"set format x '%%.0f'\n"
		"set bmargin 6\n",
		d->frame->title, d->frame->ylabel);
	fprintf(out, "set xlabel '%s", d->frame->xlabel);
	if (d->ima) {
		fputs(", workload ", out);
		put_quoted(out, d->workload);
	} else if (*d->target) {
		fputs(" through ", out);
		put_quoted(out, d->target);
	}
	fputs("'\n", out);
}

const char *chart_title(enum report_chart_kind kind)
{
	return frames[kind].title;
}

enum report_chart_kind report_main_chart(const struct report *report)
{
	for (size_t i = 0; i < report->point_count; i++)
		if (is_ima(&report->points[i].setting))
			return CHART_IMA;
	return CHART_RAW;
}

int chart_script(FILE *out, const struct report_chart *chart, const struct report *report,
		 const struct report_rows *rows)
{
	struct drawing d = { .report = report,
			     .rows = rows,
			     .frame = &frames[chart->kind],
			     .ima = chart->kind != CHART_RAW };
	const struct report_row *floor;
	char *conditions = NULL;

	d.workload = chart->workload ? chart->workload : main_workload(rows);
	if (d.ima && !d.workload)
		return -ENODATA;
	d.target = main_target(&d);
	if (!d.target)
		return -ENODATA;
	if (report_conditions_line(report, &conditions))
		return -ENOMEM;
	floor = find_floor(&d);
	put_head(out, &d);
	put_footer(out, conditions);
	free(conditions);
	put_axes(out, &d, floor);
	for (size_t i = 0; i < rows->count; i++) {
		if (!is_head(&d, i))
			continue;
		fprintf(out, "$series%zu << EOD\n", i);
		put_data(out, &d, &rows->row[i]);
		fputs("EOD\n", out);
	}
	put_plot(out, &d, floor);
	return ferror(out) ? -EIO : 0;
}
