/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One point of a sweep: workers make their files, warm up, start together,
 * access files, stop; then the measurement list must lead to the PCR.
 */
#ifndef VTF_POINT_H
#define VTF_POINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/crew.h"
#include "lib/ima_follow.h"
#include "lib/run.h"
#include "sweep/ima_figures.h"
#include "sweep/tpm_watch.h"
#include "workloads/workload.h"

struct point_spec {
	const struct workload *workload;
	const char *path;     /* directory for the point's files */
	const char *nonce;    /* text that no other point has */
	unsigned int workers; /* 1..CREW_MAX */
	bool threads;
	bool pin; /* spread the workers over the CPUs that are allowed */
	uint64_t warmup_ns;
	uint64_t duration_ns;
	uint64_t count;	      /* accesses of each worker instead of a duration; 0: by duration */
	uint64_t warm_files;  /* made beforehand by all together for the warm-up; */
	uint64_t timed_files; /* and for the timed part; ignored if the workload needs none */
	uint64_t stuck_limit_ns; /* a worker that does not get on for so long is stuck */
	struct tpm_watch *tpm; /* NULL: IMA has no TPM */
	struct ima_follow *follow; /* has read the list up to now */
	const char *chip; /* whose completion_stats are read; NULL: none */
	pid_t tpm_pid;	  /* 0: not known */
};

struct point_result {
	/*
	 * As measure_point() takes it. `commands` are accesses, `extends` are
	 * entries that the timed part added to the list, the histogram is of
	 * accesses.
	 */
	struct run_result run;
	uint64_t errors; /* accesses that failed, warm-up included */
	uint64_t list_entries; /* when the timed part began */
	uint64_t list_entries_end;
	uint64_t violations; /* entries with a zero digest that the point added */
	bool files_ended; /* there were too few for the duration: the timed part is shorter */
	struct ima_figures ima; /* of the timed part */
	bool have_updates;
	uint32_t updates; /* of the TPM's counter, during the timed part */
};

/**
 * point_run() - measure one point
 * @spec:   what to do
 * @result: filled as far as it got; run.error says what was wrong
 *
 * Return: VTF_EXIT_DONE; VTF_EXIT_TPM if a worker or the TPM is stuck or fails;
 * VTF_EXIT_VERIFY if list and PCR differ, or if nothing was measured (no entry
 * at all: run.extends is 0); VTF_EXIT_INCOMPLETE after a signal or if accesses
 * failed; VTF_EXIT_INTERNAL.
 */
enum vtf_exit point_run(const struct point_spec *spec, struct point_result *result);

/**
 * point_agree() - wait until the PCR is what the list leads to
 * @tpm:     where the PCR is
 * @follow:  list
 * @reading: receives the last reading
 * @err:     set if one cannot be read, or to VTF_EXIT_VERIFY after two seconds of difference
 *
 * Return: 0, -1.
 */
int point_agree(struct tpm_watch *tpm, struct ima_follow *follow, struct tpm_reading *reading,
		struct vtf_error *err);

/* Length of the list as IMA says it, without reading the list: 0, negative errno. */
int point_list_entries(uint64_t *entries);

#endif
