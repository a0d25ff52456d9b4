/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the measuring commands have in common: options, and handing the result
 * over as a table, JSON or CSV.
 */
#ifndef VTF_MEASURE_H
#define VTF_MEASURE_H

#include <argp.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcr.h"
#include "run.h"

#define MEASURE_DEFAULT_PCR 16

struct measure_opts {
	double duration_s;
	double warmup_s;
	double limit_s;
	uint64_t count; /* 0: by duration */
	unsigned int runs;
	unsigned int pcr;
	bool force;
	bool json;
	bool csv;
	bool dry_run;
	struct pcr_banks banks; /* count 0: all that are active */
	const char *output;
	const char *guest;
};

/* argp child; its input is a struct measure_opts, which it fills with defaults first. */
extern const struct argp measure_argp;
/* The same without --pcr, --force and --banks, for a command that extends nothing itself. */
extern const struct argp measure_run_argp;

/* Parses a positive number or ends with a usage error. */
double measure_parse_number(const char *text, const char *option, double min, double max,
			    struct argp_state *state);
uint64_t measure_parse_count(const char *text, const char *option, uint64_t min, uint64_t max,
			     struct argp_state *state);

/* A file that can be written, or a usage error at once: not after the work is done. Return: @path. */
const char *measure_parse_output(const char *path, const char *option, struct argp_state *state);

/* Fills the part of a run's specification that the options decide. */
void measure_spec(const struct measure_opts *opts, struct run_spec *spec);

/* Expected length of one point, warm-up included; a guess if the length is a count. */
double measure_point_s(const struct measure_opts *opts);

/**
 * measure_point() - keys that every point has, from a run
 * @point:  object to add to
 * @result: finished run
 */
void measure_point(struct json_object *point, const struct run_result *result);

/**
 * measure_finish() - print the result and write it to a file, as the options say
 * @opts:    options
 * @command: name for messages
 * @doc:     document
 * @group:   keys whose values together name a row of the table, NULL at the end
 * @code:    what the command would return
 *
 * A run that was interrupted does not replace the file: it goes to FILE.partial.
 *
 * Return: @code, or VTF_EXIT_INTERNAL if writing failed.
 */
enum vtf_exit measure_finish(const struct measure_opts *opts, const char *command,
			     struct json_object *doc, const char *const *group,
			     enum vtf_exit code);

/* The table: medians over runs, one row per group, and the ratio to mode `stock`. */
void measure_table(FILE *to, struct json_object *points, const char *const *group);

#endif
