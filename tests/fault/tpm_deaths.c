// SPDX-License-Identifier: GPL-2.0
/*
 * Makes TPM chips and kills their servers while a command is under way, over
 * and over: the client must be told at once and the chip must go away.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server.h"
#include "tpm.h"
#include "tpm_raw.h"

enum {
	EXIT_USAGE = 2,
	EXIT_LACKS = 3,
	LOOK_US = 200,
	REGISTER_LIMIT_US = 20 * 1000 * 1000,
	/* what `at once` means; the time limit of the command is 750 ms or more */
	RETURN_LIMIT_US = 500 * 1000,
	/* after this a client counts as stuck for good */
	STUCK_LIMIT_US = 15 * 1000 * 1000,
};

/* Where in a command the server dies */
enum kind {
	KIND_TAKEN,	/* it has read the command */
	KIND_UNREAD,	/* the command is still in the kernel */
	KIND_HANGUP,	/* it closes its end, and dies only later */
	KIND_STARTUP,	/* the kernel's own start-up command, before there is a client */
	KINDS,
};

static const char *const kind_names[KINDS] = { "taken", "unread", "hangup",
					       "startup" };

struct stats {
	unsigned int rounds;
	uint64_t sum_us;
	uint64_t max_us;
};

struct options {
	unsigned int rounds;
	bool progress;
};

struct server {
	pid_t pid;
	unsigned int tpm_num;
	int notify_fd; /* a byte when a command was dropped */
};

struct client {
	char device[32];
	bool nonblock;
	int fd;
	struct raw_result result;
	atomic_bool returned;
	uint64_t returned_us;
};

static void look(void)
{
	const struct timespec ts = { .tv_nsec = LOOK_US * 1000L };

	nanosleep(&ts, NULL);
}

static volatile int stop_serving;

static void on_usr1(int number)
{
	(void)number;
	stop_serving = 1;
}

/* Lets the next command lie in the kernel, and says when it is there. */
static void leave_unread(int fd, int notify_fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (write(notify_fd, "s", 1) != 1 || poll(&pfd, 1, -1) != 1 ||
	    write(notify_fd, "u", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* In a new process: the TPM of this one, already started up, as it is */
static void serve(enum kind kind, int info_fd, int notify_fd)
{
	static const char *const rules[KINDS] = {
		[KIND_TAKEN] = "GetRandom=drop",
		[KIND_UNREAD] = "any=none",
		[KIND_HANGUP] = "GetRandom=hangup",
		[KIND_STARTUP] = "GetCapability=drop",
	};
	const struct sigaction sa = { .sa_handler = on_usr1 };
	struct fault_plan plan = { .rule_count = 0 };
	unsigned int tpm_num;
	int fd;

	sigaction(SIGUSR1, &sa, NULL);
	if (fault_plan_add(&plan, rules[kind]))
		_exit(EXIT_USAGE);
	fd = server_open(&tpm_num);
	if (fd < 0 ||
	    write(info_fd, &tpm_num, sizeof(tpm_num)) != sizeof(tpm_num))
		_exit(EXIT_LACKS);
	server_run(fd, &plan, NULL, notify_fd, &stop_serving);
	if (stop_serving)
		leave_unread(fd, notify_fd);
	_exit(1);
}

static int start_server(enum kind kind, struct server *server)
{
	int info[2], notify[2];
	ssize_t size;

	memset(server, 0, sizeof(*server));
	if (pipe2(info, O_CLOEXEC) || pipe2(notify, O_CLOEXEC))
		return -errno;
	server->pid = fork();
	if (server->pid < 0)
		return -errno;
	if (!server->pid)
		serve(kind, info[1], notify[1]);
	close(info[1]);
	close(notify[1]);
	server->notify_fd = notify[0];
	size = read(info[0], &server->tpm_num, sizeof(server->tpm_num));
	close(info[0]);
	return size == sizeof(server->tpm_num) ? 0 : -ENODEV;
}

static bool exists(const char *format, unsigned int number)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), format, number);
	return !stat(path, &st);
}

static bool wait_for_chip(unsigned int tpm_num, bool present, uint64_t limit_us)
{
	uint64_t deadline_us = raw_now_us() + limit_us;

	/* the managed node comes last and goes first */
	while (present ? !exists("/dev/tpmrm%u", tpm_num) :
			 exists("/dev/tpm%u", tpm_num) ||
				 exists("/sys/class/tpm/tpm%u", tpm_num)) {
		if (raw_now_us() > deadline_us)
			return false;
		look();
	}
	return true;
}

static void *client_main(void *arg)
{
	struct client *client = arg;
	struct raw_command cmd;

	raw_get_random(&cmd);
	raw_transact(client->fd, &cmd, STUCK_LIMIT_US / 1000, &client->result);
	client->returned_us = raw_now_us();
	atomic_store(&client->returned, true);
	return NULL;
}

static int await_server(const struct server *server)
{
	char byte;

	return read(server->notify_fd, &byte, 1) == 1 ? 0 : -EPIPE;
}

static int fail(const char *what, enum kind kind, const struct client *client)
{
	printf("failed kind=%s device=%s nonblock=%d: %s\n", kind_names[kind],
	       client->device, client->nonblock, what);
	return -EIO;
}

static int judge(enum kind kind, const struct client *client, uint64_t took_us)
{
	char text[96];
	int err = -client->result.err;

	if (took_us > RETURN_LIMIT_US) {
		snprintf(text, sizeof(text), "returned only after %" PRIu64 " us",
			 took_us);
		return fail(text, kind, client);
	}
	if (err != ECANCELED && err != EPIPE) {
		snprintf(text, sizeof(text), "result %s rc 0x%" PRIx32,
			 err ? strerrorname_np(err) : "ok", client->result.rc);
		return fail(text, kind, client);
	}
	return 0;
}

/* The client's part of a round, from its command to the server's death */
static int die_under(enum kind kind, struct server *server, struct client *client,
		     struct stats *stats)
{
	uint64_t death_us, took_us;
	pthread_t thread;

	if (kind == KIND_UNREAD) {
		kill(server->pid, SIGUSR1);
		if (await_server(server))
			return fail("the server ended too early", kind, client);
	}
	if (pthread_create(&thread, NULL, client_main, client))
		return -EAGAIN;
	if (await_server(server))
		return fail("the server did not get the command", kind, client);
	death_us = raw_now_us();
	/* a hang-up has happened already; the server is alive and must not matter */
	if (kind != KIND_HANGUP)
		kill(server->pid, SIGKILL);
	while (!atomic_load(&client->returned)) {
		if (raw_now_us() - death_us > STUCK_LIMIT_US)
			return fail("the client is stuck", kind, client);
		look();
	}
	pthread_join(thread, NULL);
	took_us = client->returned_us > death_us ? client->returned_us - death_us : 0;
	stats->rounds++;
	stats->sum_us += took_us;
	if (took_us > stats->max_us)
		stats->max_us = took_us;
	return judge(kind, client, took_us);
}

static int with_client(enum kind kind, unsigned int round, struct server *server,
		       struct stats *stats)
{
	struct client client = { .nonblock = round / KINDS / 2 % 2 };
	int rc;

	snprintf(client.device, sizeof(client.device), "/dev/tpm%s%u",
		 round / KINDS % 2 ? "rm" : "", server->tpm_num);
	if (!wait_for_chip(server->tpm_num, true, REGISTER_LIMIT_US))
		return fail("no chip", kind, &client);
	client.fd = open(client.device, O_RDWR | O_CLOEXEC |
					       (client.nonblock ? O_NONBLOCK : 0));
	if (client.fd < 0)
		return fail(strerror(errno), kind, &client);
	rc = die_under(kind, server, &client, stats);
	/* a stuck client's close would be stuck too */
	if (atomic_load(&client.returned))
		close(client.fd);
	return rc;
}

static int without_client(struct server *server, struct stats *stats)
{
	uint64_t death_us, took_us;

	if (await_server(server)) {
		printf("failed kind=startup: no start-up command\n");
		return -EIO;
	}
	death_us = raw_now_us();
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	took_us = raw_now_us() - death_us;
	stats->rounds++;
	stats->sum_us += took_us;
	if (took_us > stats->max_us)
		stats->max_us = took_us;
	if (took_us > RETURN_LIMIT_US) {
		printf("failed kind=startup: the server needed %" PRIu64
		       " us to die\n", took_us);
		return -EIO;
	}
	return 0;
}

static int one_round(unsigned int round, struct stats *stats)
{
	enum kind kind = round % KINDS;
	struct server server = { .notify_fd = -1 };
	int rc = start_server(kind, &server);

	if (rc)
		return rc;
	if (kind == KIND_STARTUP)
		rc = without_client(&server, &stats[kind]);
	else
		rc = with_client(kind, round, &server, &stats[kind]);
	kill(server.pid, SIGKILL);
	waitpid(server.pid, NULL, 0);
	close(server.notify_fd);
	if (!wait_for_chip(server.tpm_num, false, REGISTER_LIMIT_US)) {
		printf("failed kind=%s: tpm%u is still there\n",
		       kind_names[kind], server.tpm_num);
		rc = -EIO;
	}
	return rc;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opts = state->input;
	char *end;

	switch (key) {
	case 'r':
		opts->rounds = (unsigned int)strtoul(arg, &end, 10);
		if (*end || !opts->rounds)
			argp_error(state, "--rounds '%s' is no number", arg);
		return 0;
	case 'p':
		opts->progress = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char doc[] =
	"Creates a TPM chip, starts a command and ends the chip's server in the middle, in\n"
	"turn: after it has taken the command, before, by closing its end, and in the\n"
	"kernel's own start-up; through /dev/tpmN and /dev/tpmrmN, blocking and not.\n"
	"\v"
	"Prints a line per kind: `kind=.. rounds=.. mean_us=.. max_us=..`, the time from the\n"
	"death to the client's return (startup: until the server itself was gone).\n"
	"Exit: 0 all clients returned with ECANCELED or EPIPE at once and all chips went\n"
	"away; 1 some did not; 2 usage; 3 no /dev/vtpmx.\n";

int main(int argc, char **argv)
{
	static const struct argp_option argp_options[] = {
		{ "rounds", 'r', "N", 0, "default: 1000", 0 },
		{ "progress", 'p', NULL, 0, "A line per 100 rounds on stderr", 0 },
		{ 0 },
	};
	static const struct argp argp = { argp_options, parse_option, NULL, doc,
					  NULL, NULL, NULL };
	static struct options opts = { .rounds = 1000 };
	struct stats stats[KINDS] = { { .rounds = 0 } };
	unsigned int round, failed = 0;
	int rc;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opts);
	if (access("/dev/vtpmx", R_OK | W_OK)) {
		fprintf(stderr, "tpm-deaths: /dev/vtpmx: %m\n");
		return EXIT_LACKS;
	}
	rc = tpm_make("sha256");
	if (!rc)
		rc = tpm_start_up();
	if (rc) {
		fprintf(stderr, "tpm-deaths: libtpms: %s\n", strerror(-rc));
		return 1;
	}
	/* a stuck client would only repeat itself, slowly */
	for (round = 0; round < opts.rounds && failed < 5; round++) {
		if (one_round(round, stats))
			failed++;
		if (opts.progress && !((round + 1) % 100))
			fprintf(stderr, "%u of %u rounds\n", round + 1, opts.rounds);
	}
	for (int kind = 0; kind < KINDS; kind++)
		if (stats[kind].rounds)
			printf("kind=%s rounds=%u mean_us=%" PRIu64
			       " max_us=%" PRIu64 "\n",
			       kind_names[kind], stats[kind].rounds,
			       stats[kind].sum_us / stats[kind].rounds,
			       stats[kind].max_us);
	printf("rounds=%u failed=%u\n", round, failed);
	return failed || round < opts.rounds;
}
