/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One measured point: N clients go through warm-up and start gate together,
 * extend one PCR as fast as they are answered, and the PCR is compared with a
 * replay of what they say they did.
 *
 * The calling process never talks to a TPM itself: clients are child processes
 * (or threads of one), so one that is stuck in the kernel or in a library is
 * killed and reported instead of waited for.
 */
#ifndef VTF_RUN_H
#define VTF_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "client.h"
#include "crew.h"
#include "error.h"
#include "hist.h"
#include "pcr.h"
#include "sysfs.h"

#define RUN_MAX_CLIENTS CREW_MAX

struct run_spec {
	const struct client_target *targets; /* client i uses targets[i % target_count] */
	unsigned int target_count;
	unsigned int clients; /* 1..RUN_MAX_CLIENTS */
	bool threads;	      /* threads of one process instead of processes */
	unsigned int pcr;
	struct pcr_banks banks;		/* to extend; count 0: all that the TPM has active */
	unsigned int digests_per_bank;	/* how often a command names each bank; 1 as a rule */
	uint64_t warmup_ns;
	uint64_t duration_ns;		/* of the timed part; ignored if count is set */
	uint64_t count;			/* commands of each client in the timed part */
	uint64_t setup_limit_ns;	/* to connect, and to read the PCR */
	uint64_t stuck_limit_ns;	/* a client without an answer for so long is stuck */
	pid_t tpm_pid;			/* TPM process, 0: not known (a client may start one) */
	const char *chip;		/* chip whose completion_stats are read; NULL: none */
};

enum run_verdict {
	RUN_UNVERIFIED = 0, /* the PCR could not be read, or an error came before */
	RUN_VERIFIED,	    /* every counted extend is in the PCR, and nothing else */
	RUN_MISMATCH,	    /* the PCR is not what the counted extends make of it */
};

struct run_result {
	struct vtf_error error;	     /* first failure, also of a single client */
	enum run_verdict verdict;
	struct hist hist;	     /* of the timed commands, in ticks */
	double ns_per_tick;
	struct pcr_banks banks;	     /* extended */
	uint64_t commands;	     /* timed, answered with success */
	uint64_t extends;	     /* digests in them, of one bank */
	uint64_t refused;	     /* commands that the TPM refused, warm-up included */
	uint64_t unanswered;	     /* commands without an answer: it may have happened or not */
	uint64_t despite_error;	     /* unanswered commands that the PCR shows to have happened */
	double duration_s;
	double client_user_us;	     /* per extend */
	double client_system_us;     /* per extend */
	double tpm_us;		     /* per extend; NAN: TPM process not known */
	double idle_pct;	     /* NAN: not known */
	bool have_stats;
	struct sysfs_stats stats;    /* completion_stats, difference over the timed part */
};

/**
 * run_point() - measure one point
 * @spec:   what to do
 * @result: what came of it; filled as far as it got
 *
 * Catches nothing itself: the caller has called signals_catch().
 *
 * Return: VTF_EXIT_DONE, VTF_EXIT_MISSING or VTF_EXIT_TPM from connecting,
 * VTF_EXIT_TPM also if a client got stuck or only errors, VTF_EXIT_VERIFY,
 * VTF_EXIT_INCOMPLETE after a signal (nothing is to be used) or if some
 * extends failed, VTF_EXIT_INTERNAL.
 */
enum vtf_exit run_point(const struct run_spec *spec, struct run_result *result);

#endif
