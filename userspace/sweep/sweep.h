/* SPDX-License-Identifier: GPL-2.0 */
/* State of one `vtpmfast sweep`, shared by its command line and its course. */
#ifndef VTF_SWEEP_H
#define VTF_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/crew.h"
#include "lib/ima_follow.h"
#include "lib/measure.h"
#include "lib/modes.h"
#include "sweep/place.h"
#include "sweep/point.h"
#include "sweep/tpm_watch.h"
#include "workloads/workload.h"

#define SWEEP_NAME "sweep"
#define SWEEP_MAX_COUNTS 64
#define SWEEP_MAX_WORKLOADS 8

/* What is known of a workload in a mode, for the number of files to make. */
struct sweep_rate {
	double accesses_per_s;
	unsigned int workers; /* of them; 0: nothing is known */
};

struct sweep {
	struct measure_opts measure;
	const char *chip_asked; /* NULL: the first */
	const char *dir;	/* NULL: a private tmpfs */
	const char *policy;	/* NULL: the loaded one must do */
	unsigned int counts[SWEEP_MAX_COUNTS]; /* numbers of workers to measure */
	unsigned int count_count;
	const struct workload *workload[SWEEP_MAX_WORKLOADS];
	unsigned int workload_count;
	struct modes modes;
	bool threads, pin, no_tpm;
	pid_t tpm_pid;
	uint64_t list_entries; /* to fill the list up to; 0: as it is */
	/* found out */
	char chip[SYSFS_CHIP_BYTES]; /* "": no TPM */
	char driver[64];
	struct place place;
	struct tpm_watch *tpm; /* NULL: IMA has none */
	struct ima_follow *follow;
	char nonce[33]; /* of this run */
	unsigned int points; /* made so far, warm-ups of all sorts included; makes nonces differ */
	struct sweep_rate rate[SWEEP_MAX_WORKLOADS][MODES_MAX];
	bool said_files_ended;
};

/* A point in the order of measuring: modes take turns inside of every repetition. */
struct sweep_at {
	unsigned int workload; /* index */
	unsigned int workers;
	unsigned int run; /* from 1 */
	unsigned int mode; /* turn */
};

unsigned int sweep_total(const struct sweep *s);
struct sweep_at sweep_at(const struct sweep *s, unsigned int i);
/* The point's mode as the result calls it. */
const char *sweep_mode(const struct sweep *s, unsigned int turn);

/* Which chip, and whether this machine can do it: cheap, touches nothing. Return: 0, -1. */
int sweep_check(struct sweep *s, struct vtf_error *err);

/* Opens list and TPM, mounts, loads the policy. Return: 0, -1; sweep_close() in any case. */
int sweep_open(struct sweep *s, struct vtf_error *err);
void sweep_close(struct sweep *s);

/**
 * sweep_prepare() - before the first point
 *
 * Shows with a few accesses of each workload in each mode that they are measured,
 * and how fast; then fills the list up as --list-entries says.
 *
 * Return: VTF_EXIT_DONE, or another code with a message on stderr.
 */
enum vtf_exit sweep_prepare(struct sweep *s);

/**
 * sweep_measure() - one point
 * @at:     which
 * @result: what came of it
 *
 * Return: as point_run(), with a message on stderr if it is not VTF_EXIT_DONE.
 */
enum vtf_exit sweep_measure(struct sweep *s, const struct sweep_at *at,
			    struct point_result *result);

/**
 * sweep_files() - how many files to make beforehand
 * @rate:    known rate, of @rate->workers
 * @workers: that will take them
 * @cpus:    that they have; more workers than that are expected to be little faster
 * @seconds: how long
 *
 * Some more than expected, so that a point rarely ends early for want of files.
 */
uint64_t sweep_files(const struct sweep_rate *rate, unsigned int workers, unsigned int cpus,
		     double seconds);

#endif
