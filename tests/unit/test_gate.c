// SPDX-License-Identifier: GPL-2.0
/* The start gate between threads and between processes. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/gate.h"

#define CLIENTS 8
#define LONG_NS (10 * NS_PER_S)

struct shared {
	struct gate gate;
	_Atomic unsigned int passed;
	_Atomic unsigned int cancelled;
};

static struct shared *sh;

static int setup(void **state)
{
	(void)state;
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED)
		return -1;
	gate_init(&sh->gate);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(sh, sizeof(*sh));
}

static void *client(void *arg)
{
	(void)arg;
	for (unsigned int phase = 1; phase < GATE_PHASES; phase++) {
		gate_arrive(&sh->gate, phase);
		if (gate_wait(&sh->gate, phase)) {
			atomic_fetch_add(&sh->cancelled, 1);
			return NULL;
		}
		atomic_fetch_add(&sh->passed, 1);
	}
	return NULL;
}

/* Nobody passes a phase before all have arrived and it is opened, and all do afterwards. */
static void coordinate(void)
{
	for (unsigned int phase = 1; phase < GATE_PHASES; phase++) {
		assert_int_equal(gate_wait_arrived(&sh->gate, phase, CLIENTS, LONG_NS), 0);
		usleep(2000);
		assert_int_equal(atomic_load(&sh->passed), (phase - 1) * CLIENTS);
		gate_open(&sh->gate, phase);
	}
}

static void threads_pass_together(void **state)
{
	pthread_t thread[CLIENTS];

	(void)state;
	for (unsigned int i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, client, NULL), 0);
	coordinate();
	for (unsigned int i = 0; i < CLIENTS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(atomic_load(&sh->passed), (GATE_PHASES - 1) * CLIENTS);
	assert_int_equal(atomic_load(&sh->cancelled), 0);
}

static void start_processes(pid_t *pid)
{
	for (unsigned int i = 0; i < CLIENTS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			client(NULL);
			_exit(0);
		}
	}
}

static void wait_for_processes(const pid_t *pid)
{
	for (unsigned int i = 0; i < CLIENTS; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
}

static void processes_pass_together(void **state)
{
	pid_t pid[CLIENTS];

	(void)state;
	start_processes(pid);
	coordinate();
	wait_for_processes(pid);
	assert_int_equal(atomic_load(&sh->passed), (GATE_PHASES - 1) * CLIENTS);
}

/* Whenever it comes, an abort lets everybody go: this hangs if a wake-up is lost. */
static void abort_wakes_everybody(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		pid_t pid[CLIENTS];

		gate_init(&sh->gate);
		atomic_store(&sh->cancelled, 0);
		start_processes(pid);
		usleep(round * 40);
		gate_abort(&sh->gate);
		wait_for_processes(pid);
		assert_int_equal(atomic_load(&sh->cancelled), CLIENTS);
		assert_int_equal(gate_wait_arrived(&sh->gate, 1, CLIENTS, LONG_NS), -ECANCELED);
	}
}

static void waiting_has_a_limit(void **state)
{
	uint64_t start_ns = clock_now_ns(), took_ns;

	(void)state;
	gate_arrive(&sh->gate, 1);
	assert_int_equal(gate_wait_arrived(&sh->gate, 1, 2, 50 * NS_PER_MS), -ETIMEDOUT);
	took_ns = clock_now_ns() - start_ns;
	assert_true(took_ns >= 50 * NS_PER_MS);
	assert_true(took_ns < 5 * NS_PER_S);
	gate_arrive(&sh->gate, 1);
	assert_int_equal(gate_wait_arrived(&sh->gate, 1, 2, 0), 0);
}

static void open_gate_does_not_stop(void **state)
{
	(void)state;
	gate_open(&sh->gate, 3);
	assert_int_equal(gate_wait(&sh->gate, 1), 0);
	assert_int_equal(gate_wait(&sh->gate, 3), 0);
}

#define WITH_GATE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_GATE(threads_pass_together), WITH_GATE(processes_pass_together),
		WITH_GATE(abort_wakes_everybody), WITH_GATE(waiting_has_a_limit),
		WITH_GATE(open_gate_does_not_stop),
	};

	return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
