// SPDX-License-Identifier: GPL-2.0
/* vtpmfast report: merges result files into a table, CSV, JSON and a chart. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "lib/error.h"
#include "lib/output.h"
#include "report/report.h"

#define STDOUT_NAME "-"

enum option_key { OPT_CSV = 256, OPT_JSON, OPT_SVG, OPT_OUTPUT };

/* Names of files to write; NULL: not asked for; "-": standard output. */
struct options {
	const char *csv, *json, *svg, *output;
	char **paths;
	int path_count;
};

static const struct argp_option argp_options[] = {
	{ "csv", OPT_CSV, "FILE", OPTION_ARG_OPTIONAL,
	  "One CSV line per boot and setting, to FILE or in place of the table", 0 },
	{ "json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL,
	  "All points and conditions in one document, to FILE or in place of the table", 0 },
	{ "svg", OPT_SVG, "FILE", 0, "Draw extends per second against clients (needs gnuplot)", 0 },
	{ "output", OPT_OUTPUT, "FILE", 0, "Write to FILE what would go to standard output", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_CSV:
		options->csv = arg ? arg : STDOUT_NAME;
		return 0;
	case OPT_JSON:
		options->json = arg ? arg : STDOUT_NAME;
		return 0;
	case OPT_SVG:
		options->svg = arg;
		return 0;
	case OPT_OUTPUT:
		options->output = arg;
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

static int deliver_svg(const char *path, const struct report *report,
		       const struct report_rows *rows, struct vtf_error *error)
{
	char *svg = NULL;
	int err = report_draw(report, rows, &svg);

	if (!err)
		err = deliver(path, svg, strlen(svg), error);
	else if (err == -ENOENT)
		vtf_error_set(error, VTF_EXIT_MISSING,
			      "gnuplot is not installed, so %s cannot be drawn: install the package "
			      "gnuplot-nox",
			      path);
	else if (err == -ENODATA)
		vtf_error_set(error, VTF_EXIT_VERIFY,
			      "nothing to draw in %s: no point of an extend with a number of clients",
			      path);
	else
		vtf_error_set(error, VTF_EXIT_INTERNAL, "cannot draw %s: %s", path,
			      err == -EPIPE ? "gnuplot failed" : strerror(-err));
	free(svg);
	return err;
}

/* The files first, the chart last: it is the one that may lack a program. */
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
	if (!err && options->svg)
		err = deliver_svg(options->svg, report, &rows, error);
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
		.doc = "Merges results of `extend` and `floor` into a table (default), CSV, JSON and a "
		       "chart.\vMedians and ratios are formed within one boot only; with several boots "
		       "the table shows the median of what each boot says. A boot is told by boot_id in "
		       "the conditions; without one, every FILE is a boot, and so are all *.json in a "
		       "DIRECTORY together.\n\nExit codes: 0 done; 2 a file cannot be read or was given "
		       "twice; 3 --svg without gnuplot; 5 no result, another schema, nothing to report, "
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
