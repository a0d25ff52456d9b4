// SPDX-License-Identifier: GPL-2.0
/* vtpmfast report: merges result files into a table, CSV, JSON and charts. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "lib/error.h"
#include "lib/measure.h"
#include "lib/output.h"
#include "report/report.h"

#define STDOUT_NAME "-"

#define CHARTS_MAX 32

enum option_key { OPT_CSV = 256, OPT_JSON, OPT_SVG, OPT_CHART, OPT_OUTPUT };

/* Names of files to write; NULL: not asked for; "-": standard output. */
struct options {
	const char *csv, *json, *svg, *output;
	struct asked_chart {
		struct report_chart what;
		const char *path;
	} charts[CHARTS_MAX];
	size_t chart_count;
	char **paths;
	int path_count;
};

static const struct argp_option argp_options[] = {
	{ "csv", OPT_CSV, "FILE", OPTION_ARG_OPTIONAL,
	  "One CSV line per boot and setting, to FILE or in place of the table", 0 },
	{ "json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL,
	  "All points and conditions in one document, to FILE or in place of the table", 0 },
	{ "svg", OPT_SVG, "FILE", 0,
	  "Draw the main chart (needs gnuplot): `ima` if there are points of IMA, else `raw`", 0 },
	{ "chart", OPT_CHART, "KIND[:WORKLOAD]=FILE", 0,
	  "Draw this chart; may be repeated. KIND is raw (extends per second of clients), ima (extends per "
	  "second that IMA does), p99 (time of one access), cpu (CPU time per extend); WORKLOAD is one of "
	  "IMA's, default read",
	  0 },
	{ "output", OPT_OUTPUT, "FILE", 0, "Write to FILE what would go to standard output", 0 },
	{ 0 },
};

static const char *file_or_stdout(const char *arg, const char *option, struct argp_state *state)
{
	if (!arg || !strcmp(arg, STDOUT_NAME))
		return STDOUT_NAME;
	return measure_parse_output(arg, option, state);
}

/* "KIND[:WORKLOAD]=FILE", taken apart where it stands. */
static error_t add_chart(struct options *options, char *arg, struct argp_state *state)
{
	struct asked_chart *chart = &options->charts[options->chart_count];
	char *file = strchr(arg, '='), *workload;
	int kind;

	if (!file || !file[1]) {
		argp_error(state, "--chart '%s': KIND=FILE expected", arg);
		return EINVAL;
	}
	if (options->chart_count == CHARTS_MAX) {
		argp_error(state, "more than %d charts", CHARTS_MAX);
		return EINVAL;
	}
	*file++ = '\0';
	workload = strchr(arg, ':');
	if (workload)
		*workload++ = '\0';
	for (kind = 0; kind < CHART_KIND_COUNT; kind++)
		if (!strcmp(report_chart_names[kind], arg))
			break;
	if (kind == CHART_KIND_COUNT) {
		argp_error(state, "--chart: unknown kind '%s' (raw, ima, p99, cpu)", arg);
		return EINVAL;
	}
	if (workload && (kind == CHART_RAW || !*workload)) {
		argp_error(state, kind == CHART_RAW ? "--chart: raw extends have no workload"
						    : "--chart: an empty workload");
		return EINVAL;
	}
	chart->what = (struct report_chart){ .kind = (enum report_chart_kind)kind,
					     .workload = workload };
	chart->path = file_or_stdout(file, "chart", state);
	options->chart_count++;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_CSV:
		options->csv = file_or_stdout(arg, "csv", state);
		return 0;
	case OPT_JSON:
		options->json = file_or_stdout(arg, "json", state);
		return 0;
	case OPT_SVG:
		options->svg = file_or_stdout(arg, "svg", state);
		return 0;
	case OPT_CHART:
		return add_chart(options, arg, state);
	case OPT_OUTPUT:
		options->output = file_or_stdout(arg, "output", state);
		return 0;
	case ARGP_KEY_ARGS:
		options->paths = state->argv + state->next;
		options->path_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no result file given");
		return EINVAL;
	case ARGP_KEY_END:
		if (options->csv && options->json && !strcmp(options->csv, STDOUT_NAME) &&
		    !strcmp(options->json, STDOUT_NAME))
			argp_error(state, "--csv and --json cannot share standard output: "
					  "give one of them a FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int is_result(const struct dirent *entry)
{
	return !fnmatch("*.json", entry->d_name, FNM_PERIOD);
}

/* All results in a directory are of one boot. */
static int load_directory(struct report *report, const char *path, struct vtf_error *error)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_result, alphasort);
	int err = count < 0 ? -errno : 0;

	if (count <= 0)
		vtf_error_set(error, count ? VTF_EXIT_USAGE : VTF_EXIT_VERIFY,
			      "%s: no result file (*.json): %s", path,
			      count ? strerror(errno) : "there is none");
	if (!count)
		err = -ENODATA;
	for (int i = 0; i < count; i++) {
		char *file = NULL;

		if (!err && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			err = -ENOMEM;
		if (!err)
			err = report_load(report, file, path, error);
		free(file);
		free(entries[i]);
	}
	free(entries);
	return err;
}

static int load_all(struct report *report, const struct options *options, struct vtf_error *error)
{
	int err = 0;

	for (int i = 0; !err && i < options->path_count; i++) {
		const char *path = options->paths[i];
		struct stat st;

		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			err = load_directory(report, path, error);
		else
			err = report_load(report, path, NULL, error);
	}
	if (!err && !report->point_count) {
		vtf_error_set(error, VTF_EXIT_VERIFY, "no points in %s%s", options->paths[0],
			      options->path_count > 1 ? " and the other files" : "");
		err = -ENODATA;
	}
	return err;
}

/* Text to a file, as a whole or not at all, or to standard output. */
static int deliver(const char *path, const char *text, size_t size, struct vtf_error *error)
{
	int err = 0;

	if (!strcmp(path, STDOUT_NAME)) {
		if (fwrite(text, 1, size, stdout) != size)
			err = -EIO;
	} else {
		err = output_write_atomic(path, text, size);
	}
	if (err)
		vtf_error_set(error, VTF_EXIT_INTERNAL, "cannot write %s: %s", path, strerror(-err));
	return err;
}

static int deliver_json(const char *path, const struct report *report, struct vtf_error *error)
{
	struct json_object *merged = report_merged(report);
	int err;

	if (!merged)
		return -ENOMEM;
	err = output_write_json(strcmp(path, STDOUT_NAME) ? path : NULL, merged);
	if (err)
		vtf_error_set(error, VTF_EXIT_INTERNAL, "cannot write %s: %s", path, strerror(-err));
	json_object_put(merged);
	return err;
}

/* Text that a writer makes, gathered so that a file is written only once it is complete. */
static int deliver_text(const char *path, int (*write)(FILE *, const struct report *,
						       const struct report_rows *),
			const struct report *report, const struct report_rows *rows,
			struct vtf_error *error)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -ENOMEM;
	err = write(out, report, rows);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err)
		err = deliver(path, text, size, error);
	free(text);
	return err;
}

static int deliver_svg(const char *path, const struct report_chart *chart,
		       const struct report *report, const struct report_rows *rows,
		       struct vtf_error *error)
{
	const char *workload = chart->workload ? chart->workload : "";
	char *svg = NULL;
	int err = report_draw(chart, report, rows, &svg);

	if (!err)
		err = deliver(path, svg, strlen(svg), error);
	else if (err == -ENOENT)
		vtf_error_set(error, VTF_EXIT_MISSING,
			      "gnuplot is not installed, so %s cannot be drawn: install the package "
			      "gnuplot-nox",
			      path);
	else if (err == -ENODATA)
		vtf_error_set(error, VTF_EXIT_VERIFY,
			      "nothing to draw in %s: no point%s%s has the figures of the chart '%s'", path,
			      *workload ? " of workload " : "", workload,
			      report_chart_names[chart->kind]);
	else
		vtf_error_set(error, VTF_EXIT_INTERNAL, "cannot draw %s: %s", path,
			      err == -EPIPE ? "gnuplot failed" : strerror(-err));
	free(svg);
	return err;
}

static int deliver_charts(const struct options *options, const struct report *report,
			  const struct report_rows *rows, struct vtf_error *error)
{
	struct report_chart main_chart = { .kind = report_main_chart(report) };
	int err = 0;

	if (options->svg)
		err = deliver_svg(options->svg, &main_chart, report, rows, error);
	for (size_t i = 0; !err && i < options->chart_count; i++)
		err = deliver_svg(options->charts[i].path, &options->charts[i].what, report, rows,
				  error);
	return err;
}

/* The files first, the charts last: they are what may lack a program. */
static int deliver_all(const struct options *options, const struct report *report,
		       struct vtf_error *error)
{
	const char *to_stdout = options->output ? options->output : STDOUT_NAME;
	struct report_rows by_boot = { 0 }, rows = { 0 };
	bool table = true;
	int err = report_rows_by_boot(report, &by_boot);

	if (!err)
		err = report_rows_over_boots(report, &by_boot, &rows);
	if (!err && options->json) {
		bool here = !strcmp(options->json, STDOUT_NAME);

		table &= !here;
		err = deliver_json(here ? to_stdout : options->json, report, error);
	}
	if (!err && options->csv) {
		bool here = !strcmp(options->csv, STDOUT_NAME);

		table &= !here;
		err = deliver_text(here ? to_stdout : options->csv, report_write_csv, report,
				   &by_boot, error);
	}
	if (!err && table)
		err = deliver_text(to_stdout, report_write_table, report, &rows, error);
	if (!err)
		err = deliver_charts(options, report, &rows, error);
	report_rows_free(&by_boot);
	report_rows_free(&rows);
	return err;
}

/* Whoever reads only the exit code must learn of a wrong PCR or of missing points too. */
static void check_points(const struct report *report, struct vtf_error *error)
{
	size_t wrong = 0;

	for (size_t i = 0; i < report->point_count; i++)
		wrong += report->points[i].verified == VERIFIED_NO;
	if (wrong)
		vtf_error_set(error, VTF_EXIT_VERIFY,
			      "%zu of %zu points ended with a wrong PCR: their figures mean nothing",
			      wrong, report->point_count);
	if (report->incomplete_count)
		vtf_error_set(error, VTF_EXIT_INCOMPLETE, "%zu file%s not complete: points are missing",
			      report->incomplete_count, report->incomplete_count > 1 ? "s are" : " is");
}

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.args_doc = "FILE|DIRECTORY...",
		.doc = "Merges results of `extend`, `floor` and `sweep` into a table (default), CSV, JSON "
		       "and charts.\vMedians and ratios are formed within one boot only; with several boots "
		       "the table shows the median of what each boot says. A boot is told by boot_id in "
		       "the conditions; without one, every FILE is a boot, and so are all *.json in a "
		       "DIRECTORY together. IMA without a TPM has boots of its own, so how near IMA comes "
		       "to it is a ratio of medians over boots, and named so.\n\nExit codes: 0 done; 2 a file cannot be read or was given "
		       "twice; 3 a chart without gnuplot; 5 no result, another schema, nothing to report, "
		       "or a point with a wrong PCR; 6 a file is incomplete.",
	};
	struct vtf_error error = { 0 };
	struct options options = { 0 };
	struct report report = { 0 };
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return VTF_EXIT_USAGE;
	err = load_all(&report, &options, &error);
	if (!err)
		err = deliver_all(&options, &report, &error);
	if (err)
		vtf_error_set(&error, VTF_EXIT_INTERNAL, "%s", strerror(-err));
	else
		check_points(&report, &error);
	report_free(&report);
	return vtf_error_print("report", &error);
}
