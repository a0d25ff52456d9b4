/* SPDX-License-Identifier: GPL-2.0 */
/* What coordinator and clients of a run share; only for run*.c. */
#ifndef VTF_RUN_SHARED_H
#define VTF_RUN_SHARED_H

#include "cpu.h"
#include "gate.h"
#include "run.h"
#include "ticks.h"

enum run_phase {
	PHASE_OPEN = 0, /* connect */
	PHASE_BEFORE,	/* the first client of each target reads the PCR */
	PHASE_RUN,	/* warm-up and timed part */
	PHASE_AFTER,	/* PCR again */
	PHASE_END,	/* disconnect */
};

/* A client that gets so many errors in a row gives up. */
#define RUN_ERRORS_IN_A_ROW 8

/*
 * Written by its client alone; read by the coordinator after the client has
 * arrived at the gate, except for the atomics.
 */
struct run_slot {
	_Alignas(64) _Atomic uint64_t progress; /* commands answered or failed */
	_Atomic bool finished;			/* the loop has ended */
	struct vtf_error error;
	bool gave_up;
	pid_t tpm_pid;
	struct pcr_banks banks;
	uint64_t commands; /* timed, successful */
	uint64_t all;	   /* successful, warm-up included */
	uint64_t refused;
	uint64_t unanswered;
	uint64_t begin_ns, end_ns;
	struct cpu_times cpu; /* of the timed part */
	bool have_before, have_after;
	uint8_t before[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	uint8_t after[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	struct hist hist; /* in ticks */
};

struct run_shared {
	struct gate gate;
	_Atomic bool stop;
	uint64_t start_ns; /* of the warm-up; set before PHASE_RUN opens */
	struct ticks ticks; /* clock of the loop */
	const struct run_spec *spec;
	struct run_slot slot[];
};

/* The text whose digest everybody extends, so that the order does not matter. */
#define RUN_EXTEND_TEXT "vtpmfast extend"

/* Life of client @index, from connecting to disconnecting. */
void run_client(struct run_shared *sh, unsigned int index);

/* Compares PCR values with the replay; fills verdict and despite_error. */
void run_verify(struct run_shared *sh, struct run_result *result);

#endif
