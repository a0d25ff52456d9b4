// SPDX-License-Identifier: GPL-2.0
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "signals.h"

#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);

/* A race in a child process must end it, or nobody would look at its report. */
const char *__tsan_default_options(void)
{
	return "halt_on_error=1";
}
#endif

struct thread_arg {
	struct crew *crew;
	unsigned int index;
	pthread_t thread;
};

static void *thread_main(void *arg)
{
	struct thread_arg *a = arg;

	a->crew->work(a->crew->context, a->index);
	return NULL;
}

static void work_in_threads(struct crew *c)
{
	static struct thread_arg arg[CREW_MAX];
	unsigned int started = 0;

	for (; started < c->workers; started++) {
		int rc;

		arg[started].crew = c;
		arg[started].index = started;
		rc = pthread_create(&arg[started].thread, NULL, thread_main, &arg[started]);
		if (rc) {
			c->not_started(c->context, started, rc);
			break;
		}
	}
	while (started--)
		pthread_join(arg[started].thread, NULL);
}

static _Noreturn void child_main(struct crew *c, unsigned int index, pid_t parent)
{
	/* if the coordinator is killed, nobody must be left behind */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signals_ignore();
	signal(SIGPIPE, SIG_IGN); /* a TPM that hangs up is an error code, not our end */
	if (c->threads)
		work_in_threads(c);
	else
		c->work(c->context, index);
	/* not exit(): the parent's buffered output is in this copy too */
	_exit(0);
}

int crew_start(struct crew *c, struct vtf_error *err)
{
	unsigned int wanted = c->threads ? 1 : c->workers;
	pid_t parent = getpid();

	fflush(NULL);
	for (c->processes = 0; c->processes < wanted; c->processes++) {
		pid_t pid = fork();

		if (pid < 0)
			return vtf_error_set(err, VTF_EXIT_INTERNAL, "fork: %s", strerror(errno));
		if (!pid)
			child_main(c, c->processes, parent);
		c->pid[c->processes] = pid;
	}
	return 0;
}

int crew_reap(struct crew *c, unsigned int *left)
{
	int trouble = 0;

	*left = 0;
	for (unsigned int i = 0; i < c->processes; i++) {
		int status;
		pid_t got;

		if (!c->pid[i])
			continue;
		got = waitpid(c->pid[i], &status, WNOHANG);
		if (!got) {
			(*left)++;
			continue;
		}
		c->pid[i] = 0;
		if (got > 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
			trouble = status;
	}
	return trouble;
}

unsigned int crew_reap_until(struct crew *c, uint64_t deadline_ns)
{
	unsigned int left;

	for (;;) {
		crew_reap(c, &left);
		if (!left || clock_now_ns() >= deadline_ns)
			return left;
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
}

unsigned int crew_kill(struct crew *c, uint64_t grace_ns)
{
	if (!crew_reap_until(c, clock_now_ns() + grace_ns))
		return 0;
	for (unsigned int i = 0; i < c->processes; i++)
		if (c->pid[i])
			kill(c->pid[i], SIGKILL);
	return crew_reap_until(c, clock_now_ns() + grace_ns);
}

int crew_died(int status, struct vtf_error *err)
{
	if (WIFSIGNALED(status))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "a client was killed by signal %d",
				     WTERMSIG(status));
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "a client ended with status %d",
			     WEXITSTATUS(status));
}
