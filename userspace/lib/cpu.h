/* SPDX-License-Identifier: GPL-2.0 */
/* CPU time of this thread, of other processes and of the whole machine. */
#ifndef VTF_CPU_H
#define VTF_CPU_H

#include <stdint.h>
#include <sys/types.h>

struct cpu_times {
	uint64_t user_us;
	uint64_t system_us;
};

/* Time that the calling thread has used: 0, negative errno. */
int cpu_of_thread(struct cpu_times *t);

/**
 * cpu_of_process() - time that a process with all its threads has used
 *
 * From /proc/PID/stat (proc(5), fields 14 and 15), so in steps of one clock
 * tick, 10 ms as a rule.
 *
 * Return: 0, -ENOENT or -ESRCH if there is no such process, -EPROTO.
 */
int cpu_of_process(pid_t pid, struct cpu_times *t);

struct cpu_machine {
	uint64_t idle_ticks; /* idle and waiting for I/O */
	uint64_t total_ticks;
};

/* All CPUs together, from the first line of /proc/stat: 0, negative errno. */
int cpu_of_machine(struct cpu_machine *m);

/* Share of idle time between two looks in percent; NAN if no tick passed. */
double cpu_idle_pct(const struct cpu_machine *before, const struct cpu_machine *after);

/**
 * cpu_find_process() - the only process with a name
 * @comm:  name as in /proc/PID/comm
 * @count: receives how many there are
 *
 * Return: its PID; 0 if there is none or more than one.
 */
pid_t cpu_find_process(const char *comm, unsigned int *count);

#endif
