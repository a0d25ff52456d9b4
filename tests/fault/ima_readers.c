// SPDX-License-Identifier: GPL-2.0
/*
 * Workers that open files which IMA measures, all at once, and say when each
 * open() has returned.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_INTERNAL = 1, EXIT_USAGE = 2, EXIT_INCOMPLETE = 6, WORKERS_MAX = 256, FILES_MAX = 100000 };

struct options {
	const char *dir;
	unsigned int workers, files, signal_hz;
	bool threads, violate, kill, endless;
};

/* Shared by all workers, whatever they are */
struct counts {
	atomic_uint ready, accesses, failed, violations, signals;
	atomic_bool open_gate;
};

struct worker {
	const struct options *opts;
	unsigned int number;
	pid_t pid;
	pthread_t thread;
};

static struct counts *counts;

static const char doc[] =
	"Makes files of different contents in DIR, then lets workers open and read them, each its own.\n"
	"\v"
	"Prints a line for each open() that has returned: `file=NAME returned_us=T`, T being\n"
	"CLOCK_MONOTONIC; at the end `accesses=N failed=N violations=N signals=N killed=N`.\n"
	"\n"
	"Exit: 0 done, 1 internal, 2 usage, 6 an access failed.\n";

static const struct argp_option argp_options[] = {
	{ "workers", 'w', "N", 0, "Processes (16)", 0 },
	{ "files", 'f', "N", 0, "Files of each (10)", 0 },
	{ "threads", 't', NULL, 0, "Threads of one process instead", 0 },
	{ "violate", 'v', NULL, 0,
	  "Of three files read one while it is open for writing, and open one for writing while it is read", 0 },
	{ "endless", 'e', NULL, 0, "Make each file just before it is opened, without end", 0 },
	{ "signals", 's', "HZ", 0, "SIGALRM at this rate; every second worker with SA_RESTART", 0 },
	{ "kill", 'k', NULL, 0, "SIGKILL for every third worker, some time", 0 },
	{ 0 },
};

/* Returns 1 to @max, or ends with a usage error */
static unsigned int parse_number(const char *text, unsigned long max, struct argp_state *state)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || !*text || *text == '-' || !value || value > max)
		argp_error(state, "'%s' is no number from 1 to %lu", text, max);
	return (unsigned int)value;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opts = state->input;

	switch (key) {
	case 'w':
		opts->workers = parse_number(arg, WORKERS_MAX, state);
		return 0;
	case 'f':
		opts->files = parse_number(arg, FILES_MAX, state);
		return 0;
	case 's':
		opts->signal_hz = parse_number(arg, 10000, state);
		return 0;
	case 't':
		opts->threads = true;
		return 0;
	case 'v':
		opts->violate = true;
		return 0;
	case 'e':
		opts->endless = true;
		return 0;
	case 'k':
		opts->kill = true;
		return 0;
	case ARGP_KEY_ARG:
		if (opts->dir)
			argp_error(state, "one directory only, but '%s' follows", arg);
		opts->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!opts->dir)
			argp_error(state, "no directory");
		if (opts->threads && (opts->kill || opts->signal_hz))
			argp_error(state, "threads share their signals: no --signals or --kill with --threads");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void pause_us(unsigned int us)
{
	struct timespec left = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void file_name(char *name, size_t bytes, const struct worker *w, unsigned int file)
{
	snprintf(name, bytes, "%s/%u.%u", w->opts->dir, w->number, file);
}

/* Writing is not measured. Returns 0 or -1 */
static int make_file(const char *name)
{
	FILE *f = fopen(name, "we");

	if (f && fprintf(f, "%s\n", name) > 0 && !fclose(f))
		return 0;
	fprintf(stderr, "ima-readers: %s: %m\n", name);
	return -1;
}

static int make_files(const struct worker *w)
{
	char name[4096];

	for (unsigned int i = 0; i < w->opts->files; i++) {
		file_name(name, sizeof(name), w, i);
		if (make_file(name))
			return -1;
	}
	return 0;
}

/* A signal must not keep anybody from opening, so that is tried again. */
static int open_file(const char *name, int flags)
{
	int fd;

	do {
		fd = open(name, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		atomic_fetch_add(&counts->failed, 1);
	return fd;
}

static void open_and_read(const char *name)
{
	struct timespec ts;
	char buffer[4096];
	int fd = open_file(name, O_RDONLY);

	clock_gettime(CLOCK_MONOTONIC, &ts);
	if (fd < 0)
		return;
	/* one write(), so that lines of others do not come in between */
	dprintf(STDOUT_FILENO, "file=%s returned_us=%" PRIu64 "\n", name,
		(uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000);
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
	atomic_fetch_add(&counts->accesses, 1);
}

/* Measured, with a writer about: a violation, and a measurement */
static void read_while_open_for_writing(const char *name)
{
	int writer = open_file(name, O_WRONLY | O_APPEND);

	open_and_read(name);
	if (writer >= 0)
		close(writer);
	atomic_fetch_add(&counts->violations, 1);
}

/* Measured, then opened for writing with the reader still about: a violation */
static void write_while_open_for_reading(const char *name)
{
	int reader = open_file(name, O_RDONLY);
	int writer = open_file(name, O_WRONLY | O_APPEND);

	if (writer >= 0)
		close(writer);
	if (reader >= 0)
		close(reader);
	atomic_fetch_add(&counts->accesses, 1);
	atomic_fetch_add(&counts->violations, 1);
}

static void on_alarm(int number)
{
	(void)number;
	atomic_fetch_add(&counts->signals, 1);
}

static void start_signals(const struct worker *w)
{
	struct sigaction sa = { .sa_handler = on_alarm,
				.sa_flags = w->number % 2 ? SA_RESTART : 0 };
	suseconds_t every_us = (suseconds_t)(1000000 / w->opts->signal_hz);
	struct itimerval timer = { { 0, every_us }, { 0, every_us } };

	/* a second does not fit into the microseconds */
	if (every_us >= 1000000)
		timer = (struct itimerval){ { 1, 0 }, { 1, 0 } };
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void work_without_end(const struct worker *w)
{
	char name[4096];

	for (unsigned int i = 0;; i++) {
		file_name(name, sizeof(name), w, i);
		if (make_file(name))
			return;
		open_and_read(name);
		unlink(name);
	}
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	char name[4096];

	atomic_fetch_add(&counts->ready, 1);
	while (!atomic_load(&counts->open_gate))
		pause_us(1000);
	if (w->opts->signal_hz)
		start_signals(w);
	if (w->opts->endless)
		work_without_end(w);
	for (unsigned int i = 0; i < w->opts->files; i++) {
		file_name(name, sizeof(name), w, i);
		if (w->opts->violate && i % 3 == 1)
			read_while_open_for_writing(name);
		else if (w->opts->violate && i % 3 == 2)
			write_while_open_for_reading(name);
		else
			open_and_read(name);
	}
	return NULL;
}

/* Returns 0 or -1 */
static int start(struct worker *w)
{
	if (w->opts->threads) {
		errno = pthread_create(&w->thread, NULL, work, w);
		return errno ? -1 : 0;
	}
	w->pid = fork();
	if (!w->pid) {
		/* whoever kills the one that was started is rid of all */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(w);
		_exit(0);
	}
	return w->pid < 0 ? -1 : 0;
}

/* One after the other, some ms apart, so that each is at another place */
static void kill_some(const struct worker *workers, unsigned int count)
{
	for (unsigned int i = 0; i < count; i += 3) {
		pause_us(1000 + i * 1700 % 9000);
		kill(workers[i].pid, SIGKILL);
	}
}

/* Returns how many workers were killed */
static unsigned int wait_for(struct worker *workers, unsigned int count, bool threads)
{
	unsigned int killed = 0;

	for (unsigned int i = 0; i < count; i++) {
		int status = 0;

		if (threads)
			pthread_join(workers[i].thread, NULL);
		else if (waitpid(workers[i].pid, &status, 0) < 0)
			fprintf(stderr, "ima-readers: waitpid: %m\n");
		killed += WIFSIGNALED(status);
	}
	return killed;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, "DIR", doc, NULL, NULL, NULL };
	struct options opts = { .workers = 16, .files = 10 };
	static struct worker workers[WORKERS_MAX];
	unsigned int started, killed;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opts);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED) {
		fprintf(stderr, "ima-readers: mmap: %m\n");
		return EXIT_INTERNAL;
	}
	for (unsigned int i = 0; i < opts.workers; i++) {
		workers[i] = (struct worker){ .opts = &opts, .number = i };
		if (!opts.endless && make_files(&workers[i]))
			return EXIT_INTERNAL;
	}
	for (started = 0; started < opts.workers; started++)
		if (start(&workers[started]))
			break;
	if (started < opts.workers)
		fprintf(stderr, "ima-readers: worker %u: %m\n", started);
	while (atomic_load(&counts->ready) < started)
		pause_us(1000);
	atomic_store(&counts->open_gate, true);
	if (opts.kill)
		kill_some(workers, started);
	killed = wait_for(workers, started, opts.threads);
	printf("accesses=%u failed=%u violations=%u signals=%u killed=%u\n", counts->accesses,
	       counts->failed, counts->violations, counts->signals, killed);
	if (started < opts.workers)
		return EXIT_INTERNAL;
	return counts->failed ? EXIT_INCOMPLETE : 0;
}
