// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDING_COUNT (sizeof(endings) / sizeof(endings[0]))

static volatile sig_atomic_t pending;

static void note(int signum)
{
	pending = signum;
}

static void set_all(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	/* no SA_RESTART: a blocking call must return */
	for (size_t i = 0; i < ENDING_COUNT; i++) {
		struct sigaction old;

		if (!sigaction(endings[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(endings[i], &action, NULL);
	}
}

void signals_catch(void)
{
	set_all(note);
}

void signals_ignore(void)
{
	set_all(SIG_IGN);
}

int signals_pending(void)
{
	return pending;
}
