/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start gate for the clients of one measurement, in memory that they share
 * (MAP_SHARED between processes, anything between threads).
 *
 * Clients and one coordinator go through numbered phases together: a client
 * arrives at a phase when it is ready for it and waits until the coordinator
 * opens it. Waiting is a futex sleep, so clients that wait at the gate take no
 * CPU from those that are still getting ready.
 */
#ifndef VTF_GATE_H
#define VTF_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GATE_PHASES 6

struct gate {
	_Atomic uint32_t open;	  /* highest phase that is open; phase 0 always is */
	_Atomic uint32_t aborted; /* nobody passes any more */
	_Atomic uint32_t arrived[GATE_PHASES];
};

void gate_init(struct gate *g);

/* Client: says that it is ready for @phase (1..GATE_PHASES-1). */
void gate_arrive(struct gate *g, unsigned int phase);

/**
 * gate_wait() - client: wait until @phase is open
 *
 * Return: 0, -ECANCELED if the gate was aborted.
 */
int gate_wait(struct gate *g, unsigned int phase);

/* Coordinator: lets everybody into @phase. */
void gate_open(struct gate *g, unsigned int phase);

/* Anybody: nobody passes any more; whoever waits is woken. */
void gate_abort(struct gate *g);

static inline bool gate_is_aborted(struct gate *g)
{
	return atomic_load_explicit(&g->aborted, memory_order_relaxed) != 0;
}

/**
 * gate_wait_arrived() - coordinator: wait until @clients have arrived at @phase
 * @timeout_ns: longest wait; it also ends early on a signal or an abort
 *
 * Return: 0, -ETIMEDOUT, -EINTR, -ECANCELED.
 */
int gate_wait_arrived(struct gate *g, unsigned int phase, unsigned int clients,
		      uint64_t timeout_ns);

#endif
