// SPDX-License-Identifier: GPL-2.0
#include "gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

/*
 * Not FUTEX_PRIVATE_FLAG: the word may be shared between processes.
 * Return: 0 or negative errno; -EAGAIN if *word was not @expected any more.
 */
static int futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(timeout_ns / NS_PER_S),
		.tv_nsec = (long)(timeout_ns % NS_PER_S),
	};

	if (syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout_ns ? &ts : NULL, NULL, 0) < 0)
		return -errno;
	return 0;
}

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void gate_init(struct gate *g)
{
	atomic_init(&g->open, 0);
	atomic_init(&g->aborted, 0);
	for (unsigned int i = 0; i < GATE_PHASES; i++)
		atomic_init(&g->arrived[i], 0);
}

void gate_arrive(struct gate *g, unsigned int phase)
{
	atomic_fetch_add(&g->arrived[phase], 1);
	futex_wake_all(&g->arrived[phase]);
}

int gate_wait(struct gate *g, unsigned int phase)
{
	for (;;) {
		uint32_t open = atomic_load(&g->open);

		if (gate_is_aborted(g))
			return -ECANCELED;
		if (open >= phase)
			return 0;
		futex_wait(&g->open, open, 0);
	}
}

void gate_open(struct gate *g, unsigned int phase)
{
	atomic_store(&g->open, phase);
	futex_wake_all(&g->open);
}

void gate_abort(struct gate *g)
{
	atomic_store(&g->aborted, 1);
	/*
	 * A waiter sleeps on the value of `open` or `arrived`, not on `aborted`.
	 * It may have looked at `aborted` before the store above and go to sleep
	 * after the wake below, unless the word that it compares has changed too.
	 */
	atomic_fetch_or(&g->open, 1U << 31);
	futex_wake_all(&g->open);
	for (unsigned int i = 0; i < GATE_PHASES; i++) {
		atomic_fetch_or(&g->arrived[i], 1U << 31);
		futex_wake_all(&g->arrived[i]);
	}
}

int gate_wait_arrived(struct gate *g, unsigned int phase, unsigned int clients,
		      uint64_t timeout_ns)
{
	uint64_t deadline_ns = clock_now_ns() + timeout_ns;

	for (;;) {
		uint32_t arrived = atomic_load(&g->arrived[phase]);
		uint64_t now_ns;

		if (gate_is_aborted(g))
			return -ECANCELED;
		if (arrived >= clients)
			return 0;
		now_ns = clock_now_ns();
		if (now_ns >= deadline_ns)
			return -ETIMEDOUT;
		if (futex_wait(&g->arrived[phase], arrived, deadline_ns - now_ns) == -EINTR)
			return -EINTR;
	}
}
