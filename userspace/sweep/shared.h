/* SPDX-License-Identifier: GPL-2.0 */
/* What coordinator and workers of a point share; only for point.c and worker.c. */
#ifndef VTF_SWEEP_SHARED_H
#define VTF_SWEEP_SHARED_H

#include <sched.h>
#include <stdatomic.h>

#include "lib/cpu.h"
#include "lib/error.h"
#include "lib/gate.h"
#include "lib/hist.h"
#include "lib/ticks.h"
#include "sweep/point.h"

enum point_phase {
	POINT_MAKE = 0, /* files */
	POINT_WARM,
	POINT_TIMED,
	POINT_REMOVE,
	POINT_END,
};

/* A worker that gets so many errors in a row gives up. */
#define POINT_ERRORS_IN_A_ROW 8

/* Written by its worker alone; read after it has arrived at the gate, but for the atomics. */
struct point_slot {
	_Alignas(64) _Atomic uint64_t progress; /* steps of any phase */
	_Atomic bool waiting;			/* at the gate */
	struct vtf_error error;
	bool gave_up;
	bool files_ended;
	uint64_t accesses; /* timed, successful */
	uint64_t errors;
	uint64_t begin_ns, end_ns;
	struct cpu_times cpu; /* of the timed part, with processes that it started */
	struct hist hist;     /* in ticks */
};

struct point_shared {
	struct gate gate;
	_Atomic bool stop;
	uint64_t start_ns; /* of the phase that opens next */
	struct ticks ticks;
	const struct point_spec *spec;
	struct work_place place;
	cpu_set_t allowed;
	/*
	 * Files made beforehand are a common pool: whoever comes takes the next,
	 * so that a worker that gets on better does not run out alone.
	 */
	_Alignas(64) _Atomic uint64_t next_warm;
	_Alignas(64) _Atomic uint64_t next_timed;
	struct point_slot slot[];
};

/* Life of worker @index. */
void point_worker(void *shared, unsigned int index);

#endif
