/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The workers of a measurement: child processes, or threads of one child. So a
 * worker that is stuck in the kernel or in a library can be killed and reported
 * instead of waited for, and none outlives the coordinator.
 */
#ifndef VTF_CREW_H
#define VTF_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

#define CREW_MAX 64

struct crew {
	unsigned int workers; /* 1..CREW_MAX */
	bool threads;	      /* threads of one child instead of children */
	/* Life of worker @index, in the child; its memory is a copy unless it is MAP_SHARED. */
	void (*work)(void *context, unsigned int index);
	/* Called in the child if the thread of worker @index cannot be made. */
	void (*not_started)(void *context, unsigned int index, int error);
	void *context;
	/* kept by crew.c */
	unsigned int processes;
	pid_t pid[CREW_MAX];
};

/**
 * crew_start() - start all workers
 *
 * Workers ignore SIGINT, SIGTERM, SIGHUP and SIGPIPE, and are killed when the
 * coordinator dies. On failure the caller ends those that run with crew_kill().
 *
 * Return: 0, -1 with @err set.
 */
int crew_start(struct crew *c, struct vtf_error *err);

/**
 * crew_reap() - take over the children that have ended, without waiting
 * @left: receives how many still run
 *
 * Return: a wait status that tells of trouble, else 0.
 */
int crew_reap(struct crew *c, unsigned int *left);

/* The same until all have ended or until @deadline_ns. Return: how many still run. */
unsigned int crew_reap_until(struct crew *c, uint64_t deadline_ns);

/**
 * crew_kill() - give the children @grace_ns to end, then kill those that do not
 *
 * Never waits for one that cannot die.
 *
 * Return: how many hang on in the kernel, 0 as a rule.
 */
unsigned int crew_kill(struct crew *c, uint64_t grace_ns);

/* Says what became of a child with a wait status from crew_reap(). Return: -1. */
int crew_died(int status, struct vtf_error *err);

#endif
