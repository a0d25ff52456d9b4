// SPDX-License-Identifier: GPL-2.0
/*
 * The chart: extends per second against clients, one line per kernel and mode, the ping-pong under the same
 * TPM as a horizontal line. gnuplot draws; what it cannot do (a look for dark pages) is added to its SVG.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chart.h"
#include "report.h"

#define CHART_TITLE "PCR extends per second against number of clients"
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
#define FLOOR_COLOUR "#9b5de5"

static const char style[] =
	"<style>\n"
	"@media (prefers-color-scheme: dark) {\n"
	"  rect[fill=\"#ffffff\"] { fill: #14181d }\n"
	"  [color=\"black\"] { color: #d7dce2 }\n"
	"  [stroke=\"black\"] { stroke: #d7dce2 }\n"
	"  [fill=\"black\"] { fill: #d7dce2 }\n"
	"  [stroke=\"rgb(221, 224, 228)\"] { stroke: #343a42 }\n"
	"}\n"
	"</style>\n";

static const struct look *look_of(const char *mode)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (!strcmp(looks[i].mode, mode))
			return &looks[i];
	return &other_look;
}

static bool is_floor(const struct report_row *row)
{
	return !strcmp(row->setting->workload, "pingpong") ||
	       !strcmp(row->setting->workload, "libtpms");
}

static bool can_be_drawn(const struct report_row *row)
{
	return !is_floor(row) && row->setting->processes > 0 &&
	       row->metric[METRIC_EXTENDS_PER_S] > 0;
}

/* The device node or TCTI that was measured with the most client counts makes the lines. */
static const char *main_target(const struct report_rows *rows)
{
	const char *best = NULL;
	size_t best_count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		size_t count = 0;

		for (size_t j = 0; j < rows->count; j++)
			count += can_be_drawn(&rows->row[j]) &&
				 !strcmp(rows->row[j].setting->target, rows->row[i].setting->target);
		if (can_be_drawn(&rows->row[i]) && count > best_count) {
			best = rows->row[i].setting->target;
			best_count = count;
		}
	}
	return best;
}

static bool same_series(const struct report *report, const struct report_row *a,
			const struct report_row *b)
{
	const struct report_setting *x = a->setting, *y = b->setting;

	return report->boots[a->boot].machine == report->boots[b->boot].machine &&
	       !strcmp(x->mode, y->mode) && !strcmp(x->target, y->target) &&
	       !strcmp(x->device, y->device) && !strcmp(x->transport, y->transport) &&
	       x->threads == y->threads && !strcmp(x->banks, y->banks) && !strcmp(x->workload, y->workload);
}

/* Which parts of a setting differ between the drawn rows and so belong into the key. */
struct varying {
	bool kernel, device, transport, banks, workload, threads;
};

static struct varying find_varying(const struct report_rows *rows, const char *target)
{
	struct varying v = { 0 };
	const struct report_setting *first = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct report_setting *s = rows->row[i].setting;

		if (!can_be_drawn(&rows->row[i]) || strcmp(s->target, target) != 0)
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

static void put_label(FILE *out, const struct report_setting *s, const struct varying *v)
{
	const char *const parts[] = {
		v->kernel ? (!strcmp(s->kernel, "stock") ? "unpatched" : s->kernel) : "",
		s->mode,
		v->device ? s->device : "",
		v->transport ? s->transport : "",
		v->banks ? s->banks : "",
		v->workload ? s->workload : "",
		v->threads && s->threads ? "threads" : "",
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!*parts[i])
			continue;
		fputs(separator, out);
		put_quoted(out, parts[i]);
		separator = ", ";
	}
}

static void put_data(FILE *out, const struct report *report, const struct report_rows *rows,
		     const struct report_row *head)
{
	for (size_t i = 0; i < rows->count; i++)
		if (can_be_drawn(&rows->row[i]) && same_series(report, head, &rows->row[i]))
			fprintf(out, "%d %.6g\n", rows->row[i].setting->processes,
				rows->row[i].metric[METRIC_EXTENDS_PER_S]);
}

static bool is_head(const struct report *report, const struct report_rows *rows, size_t index)
{
	if (!can_be_drawn(&rows->row[index]))
		return false;
	for (size_t i = 0; i < index; i++)
		if (can_be_drawn(&rows->row[i]) &&
		    same_series(report, &rows->row[i], &rows->row[index]))
			return false;
	return true;
}

/* The ping-pong of the machine that most lines come from. */
static const struct report_row *find_floor(const struct report *report,
					   const struct report_rows *rows)
{
	const struct report_row *best = NULL;
	size_t best_count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *row = &rows->row[i];
		int machine = report->boots[row->boot].machine;
		size_t count = 0;

		if (strcmp(row->setting->workload, "pingpong") != 0 ||
		    !(row->metric[METRIC_EXTENDS_PER_S] > 0))
			continue;
		for (size_t j = 0; j < rows->count; j++)
			count += can_be_drawn(&rows->row[j]) &&
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
static void put_axes(FILE *out, const struct report_rows *rows, const struct report_row *floor)
{
	double low = INFINITY, high = floor ? floor->metric[METRIC_EXTENDS_PER_S] : 0;
	int most = 1;

	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *row = &rows->row[i];

		if (!can_be_drawn(row))
			continue;
		low = fmin(low, row->metric[METRIC_EXTENDS_PER_S]);
		high = fmax(high, row->metric[METRIC_EXTENDS_PER_S]);
		most = row->setting->processes > most ? row->setting->processes : most;
	}
	if (high / low >= LOG_FROM_RATIO)
		fprintf(out, "set logscale y 10\nset yrange [%g:%g]\n", low / 1.6, high * 1.6);
	else
		fprintf(out, "set yrange [0:%g]\n", high * 1.15);
	if (most > 8)
		fprintf(out, "set logscale x 2\nset xrange [0.85:%g]\n", most * 1.18);
	else
		fprintf(out, "set xrange [0.5:%g]\nset xtics 1\n", most + 0.5);
}

static void put_plot(FILE *out, const struct report *report, const struct report_rows *rows,
		     const char *target)
{
	const struct varying varying = find_varying(rows, target);
	const struct report_row *floor = find_floor(report, rows);
	const char *other_target = NULL;

	fputs("plot", out);
	if (floor)
		fprintf(out,
			" %.6g title 'bare ping-pong, 1 client' with lines lw 2 dt 2 lc rgb '%s',",
			floor->metric[METRIC_EXTENDS_PER_S], FLOOR_COLOUR);
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_setting *s = rows->row[i].setting;
		const struct look *look = look_of(s->mode);
		bool stock_kernel = !strcmp(s->kernel, "stock");

		if (!is_head(report, rows, i))
			continue;
		fprintf(out, " $series%zu using 1:2 ", i);
		if (!strcmp(s->target, target)) {
			fputs("title '", out);
			put_label(out, s, &varying);
			fprintf(out, "' with linespoints lw 2 dt %d pt %d ps %g", stock_kernel ? 3 : 1,
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

int chart_script(FILE *out, const struct report *report, const struct report_rows *rows)
{
	const char *target = main_target(rows);
	char *conditions = NULL;

	if (!target)
		return -ENODATA;
	if (report_conditions_line(report, &conditions))
		return -ENOMEM;
	fputs("set encoding utf8\n"
	      "set terminal svg noenhanced size 960,580 dynamic font 'sans-serif,13' background '#ffffff'\n"
	      "set title '" CHART_TITLE "' font ',16'\n"
	      "set ylabel 'PCR extends per second, all clients together (median)'\n"
	      "set key outside right center Left reverse spacing 1.25 samplen 2.5\n"
	      "set grid lw 1 lc rgb '#dde0e4' dt 1\n"
	      "set border 3\n"
	      "set tics nomirror\n"
	      "set format y '%.0f'\n"
	      "set format x '%.0f'\n"
	      "set bmargin 6\n",
	      out);
	fputs("set xlabel 'clients that extend at the same time", out);
	if (*target) {
		fputs(" through ", out);
		put_quoted(out, target);
	}
	fputs("'\n", out);
	put_footer(out, conditions);
	free(conditions);
	put_axes(out, rows, find_floor(report, rows));
	for (size_t i = 0; i < rows->count; i++) {
		if (!is_head(report, rows, i))
			continue;
		fprintf(out, "$series%zu << EOD\n", i);
		put_data(out, report, rows, &rows->row[i]);
		fputs("EOD\n", out);
	}
	put_plot(out, report, rows, target);
	return ferror(out) ? -EIO : 0;
}

/* gnuplot with the script as its input; its output lands in @svg_fd. */
static int run_gnuplot(int script_fd, int svg_fd)
{
	/* -d: no start-up files, so the chart is the same for everybody. */
	char *const argv[] = { (char *)"gnuplot", (char *)"-d", NULL };
	posix_spawn_file_actions_t actions;
	int status = 0, err;
	pid_t pid = 0;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&actions, script_fd, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, svg_fd, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EPIPE;
}

/* gnuplot's SVG with our style and a title that says something. */
static int finish_svg(const char *raw, char **svg)
{
	static const char old_title[] = "<title>Gnuplot</title>";
	const char *head = strstr(raw, old_title);
	size_t size = 0;
	FILE *out;

	if (!head)
		return -EPIPE;
	out = open_memstream(svg, &size);
	if (!out)
		return -ENOMEM;
	fwrite(raw, 1, (size_t)(head - raw), out);
	fprintf(out, "<title>" CHART_TITLE "</title>\n%s%s", style, head + sizeof(old_title) - 1);
	return fclose(out) ? -ENOMEM : 0;
}

static int read_back(int fd, char **text)
{
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t got;

	if (size < 0)
		return -errno;
	*text = calloc(1, (size_t)size + 1);
	if (!*text)
		return -ENOMEM;
	got = pread(fd, *text, (size_t)size, 0);
	if (got < 0)
		return -errno;
	return got == size ? 0 : -EIO;
}

int report_draw(const struct report *report, const struct report_rows *rows, char **svg)
{
	int script_fd = memfd_create("gnuplot-script", MFD_CLOEXEC);
	int svg_fd = memfd_create("gnuplot-svg", MFD_CLOEXEC);
	FILE *script = NULL;
	char *raw = NULL;
	int err = 0;

	if (script_fd < 0 || svg_fd < 0) {
		err = -errno;
		goto out;
	}
	script = fdopen(dup(script_fd), "w");
	if (!script) {
		err = -errno;
		goto out;
	}
	err = chart_script(script, report, rows);
	if (fclose(script) && !err)
		err = -EIO;
	if (!err && lseek(script_fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		err = run_gnuplot(script_fd, svg_fd);
	if (!err)
		err = read_back(svg_fd, &raw);
	if (!err)
		err = raw ? finish_svg(raw, svg) : -EIO;
out:
	free(raw);
	if (script_fd >= 0)
		close(script_fd);
	if (svg_fd >= 0)
		close(svg_fd);
	return err;
}
