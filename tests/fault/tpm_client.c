// SPDX-License-Identifier: GPL-2.0
/*
 * Sends TPM commands one after another on one open file and says how each one
 * ended; then compares the PCR with the replay of what was reported done.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tpm_raw.h"

enum {
	EXIT_USAGE = 2,
	EXIT_LACKS = 3,
	EXIT_TPM = 4,
	EXIT_UNVERIFIED = 5,
	POLL_LIMIT_MS = 20000,
};

struct options {
	const char *device;
	unsigned int pcr;
	bool nonblock;
	bool quiet;
	char **ops; /* ended by NULL */
};

/* What the PCR should be, by two readings of a timeout */
struct client {
	const struct options *opts;
	int fd;
	uint64_t start_us;
	uint64_t extends;
	uint64_t done;
	uint64_t failed;
	uint64_t timed_out;
	uint64_t slowest_us;
	uint8_t before[SHA256_BYTES];
	uint8_t after[SHA256_BYTES];
	uint8_t replay_done[SHA256_BYTES];
	uint8_t replay_all[SHA256_BYTES];
};

static const char doc[] =
	"Runs each OP in turn on one open file of the TPM device.\n"
	"\v"
	"OP:\n"
	"  extend[*N]     N PCR extends, each by another digest\n"
	"  getcap random selftest read\n"
	"  double         (with --nonblock) write a second command before the first\n"
	"                 is answered: that must be EBUSY\n"
	"  sleep:MS       pause\n"
	"  at:MS          pause until MS after the start\n"
	"  signal:S:PID   send signal number S to PID\n"
	"Prints a line per OP, `op=.. result=ok|ERRNO|rc:0x.. us=..`, for extend*N with\n"
	"--quiet only the failed ones, and at the end\n"
	"  extends=.. done=.. failed=.. timed_out=.. slowest_us=.. before=.. after=.. verified=..\n"
	"verified: `yes`: the PCR is the replay of the extends reported done; `with-timed-out`:\n"
	"those that timed out were done too; `no`: neither.\n"
	"\n"
	"Exit: 0 verified, 2 usage, 3 the device cannot be opened, 4 the PCR cannot be read,\n"
	"5 not verified. Failed commands alone are no failure of this program.\n";

static const struct argp_option argp_options[] = {
	{ "device", 'd', "PATH", 0, "default: /dev/tpm0", 0 },
	{ "pcr", 'p', "N", 0, "default: 16", 0 },
	{ "nonblock", 'n', NULL, 0, "O_NONBLOCK: write, poll, read", 0 },
	{ "quiet", 'q', NULL, 0, "Only failures and the last line", 0 },
	{ 0 },
};

/* The whole of @text as a number of at most nine digits */
static bool parse_number(const char *text, unsigned int *number)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 9 || text[digits])
		return false;
	*number = (unsigned int)strtoul(text, NULL, 10);
	return true;
}

/* @op is @word, or @word with a number behind it, which is stored */
static bool op_is(const char *op, const char *word, unsigned int *number)
{
	size_t len = strlen(word);

	return strncmp(op, word, len) == 0 && parse_number(op + len, number);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opts = state->input;

	switch (key) {
	case 'd':
		opts->device = arg;
		return 0;
	case 'p':
		if (!parse_number(arg, &opts->pcr) || opts->pcr > 23)
			argp_error(state, "no PCR %s", arg);
		return 0;
	case 'n':
		opts->nonblock = true;
		return 0;
	case 'q':
		opts->quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		opts->ops = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no OP given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void sleep_us(uint64_t us)
{
	struct timespec left = { .tv_sec = (time_t)(us / 1000000),
				 .tv_nsec = (long)(us % 1000000) * 1000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void report(const struct client *client, const char *op,
		   const struct raw_result *result)
{
	bool failed = result->err || result->rc;

	if (client->opts->quiet && !failed)
		return;
	printf("op=%s result=", op);
	if (result->err)
		printf("%s", strerrorname_np(-result->err));
	else if (result->rc)
		printf("rc:0x%" PRIx32, result->rc);
	else
		printf("ok");
	printf(" us=%" PRIu64, result->total_us);
	if (client->opts->nonblock)
		printf(" write_us=%" PRIu64 " poll_us=%" PRIu64, result->write_us,
		       result->poll_us);
	putchar('\n');
	fflush(stdout);
}

static void transact(struct client *client, const char *op,
		     const struct raw_command *cmd, struct raw_result *result)
{
	raw_transact(client->fd, cmd, POLL_LIMIT_MS, result);
	if (result->total_us > client->slowest_us)
		client->slowest_us = result->total_us;
	report(client, op, result);
}

/* A digest that no other extend of this machine's tests uses */
static void next_digest(const struct client *client, uint8_t digest[SHA256_BYTES])
{
	const uint64_t seed[] = { client->extends, client->start_us,
				  (uint64_t)getpid() };

	SHA256((const uint8_t *)seed, sizeof(seed), digest);
}

static void extend(struct client *client)
{
	uint8_t digest[SHA256_BYTES];
	struct raw_command cmd;
	struct raw_result result;

	next_digest(client, digest);
	client->extends++;
	raw_extend(&cmd, client->opts->pcr, digest);
	transact(client, "extend", &cmd, &result);
	if (!result.err && !result.rc) {
		client->done++;
		pcr_replay(client->replay_done, digest);
		pcr_replay(client->replay_all, digest);
		return;
	}
	client->failed++;
	/* the TPM may have done these all the same */
	if (result.err == -ETIME || result.err == -ETIMEDOUT) {
		client->timed_out++;
		pcr_replay(client->replay_all, digest);
	}
}

static bool read_pcr(struct client *client, uint8_t value[SHA256_BYTES])
{
	struct raw_command cmd;
	struct raw_result result;

	raw_pcr_read(&cmd, client->opts->pcr);
	raw_transact(client->fd, &cmd, POLL_LIMIT_MS, &result);
	if (raw_pcr_value(&result, value))
		return true;
	report(client, "read", &result);
	return false;
}

static void write_twice(struct client *client)
{
	struct raw_command cmd;
	struct raw_result first, second = { .err = 0 };
	uint64_t start_us;
	ssize_t size;

	raw_get_random(&cmd);
	start_us = raw_now_us();
	if (write(client->fd, cmd.data, cmd.bytes) < 0) {
		second.err = -errno;
		report(client, "double-first", &second);
		return;
	}
	if (write(client->fd, cmd.data, cmd.bytes) < 0)
		second.err = -errno;
	second.total_us = raw_now_us() - start_us;
	report(client, "double", &second);

	/* drain the first one's answer: the next OP needs a free file */
	memset(&first, 0, sizeof(first));
	first.err = raw_wait_readable(client->fd, POLL_LIMIT_MS);
	size = first.err ? 0 : read(client->fd, first.data, sizeof(first.data));
	if (!first.err && size < RAW_HEADER_BYTES)
		first.err = size < 0 ? -errno : -EBADMSG;
	report(client, "double-answer", &first);
}

static bool send_signal(const char *text)
{
	char *rest;
	long number = strtol(text, &rest, 10);
	long pid;

	if (*rest++ != ':')
		return false;
	pid = strtol(rest, &rest, 10);
	return !*rest && pid > 0 && !kill((pid_t)pid, (int)number);
}

/* Returns false for an OP that we do not know */
static bool run_op(struct client *client, const char *op)
{
	static const struct {
		const char *name;
		void (*build)(struct raw_command *cmd);
	} simple[] = {
		{ "getcap", raw_get_capability },
		{ "random", raw_get_random },
		{ "selftest", raw_self_test },
	};
	struct raw_command cmd;
	struct raw_result result;
	uint8_t value[SHA256_BYTES];
	unsigned int n = 1;

	if (!strcmp(op, "extend") || op_is(op, "extend*", &n)) {
		while (n--)
			extend(client);
		return true;
	}
	if (!strcmp(op, "read"))
		return read_pcr(client, value) || true;
	if (!strcmp(op, "double")) {
		write_twice(client);
		return true;
	}
	if (op_is(op, "sleep:", &n)) {
		sleep_us((uint64_t)n * 1000);
		return true;
	}
	if (op_is(op, "at:", &n)) {
		uint64_t at_us = (uint64_t)n * 1000;
		uint64_t now_us = raw_now_us() - client->start_us;

		if (now_us < at_us)
			sleep_us(at_us - now_us);
		return true;
	}
	if (strncmp(op, "signal:", strlen("signal:")) == 0)
		return send_signal(op + strlen("signal:"));
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		if (strcmp(op, simple[i].name) != 0)
			continue;
		simple[i].build(&cmd);
		transact(client, op, &cmd, &result);
		return true;
	}
	return false;
}

static void print_hex(const char *name, const uint8_t value[SHA256_BYTES])
{
	printf(" %s=", name);
	for (int i = 0; i < SHA256_BYTES; i++)
		printf("%02x", value[i]);
}

static int verdict(struct client *client)
{
	const char *verified = "no";
	int code = EXIT_UNVERIFIED;

	if (!read_pcr(client, client->after))
		return EXIT_TPM;
	if (!memcmp(client->after, client->replay_done, SHA256_BYTES)) {
		verified = "yes";
		code = 0;
	} else if (!memcmp(client->after, client->replay_all, SHA256_BYTES)) {
		verified = "with-timed-out";
		code = 0;
	}
	printf("extends=%" PRIu64 " done=%" PRIu64 " failed=%" PRIu64
	       " timed_out=%" PRIu64 " slowest_us=%" PRIu64,
	       client->extends, client->done, client->failed, client->timed_out,
	       client->slowest_us);
	print_hex("before", client->before);
	print_hex("after", client->after);
	printf(" verified=%s\n", verified);
	return code;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, "OP...", doc,
					  NULL, NULL, NULL };
	static struct options opts = { .device = "/dev/tpm0", .pcr = 16 };
	struct client client = { .opts = &opts };

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opts);

	client.fd = open(opts.device,
			 O_RDWR | O_CLOEXEC | (opts.nonblock ? O_NONBLOCK : 0));
	if (client.fd < 0) {
		fprintf(stderr, "tpm-client: open %s: %m\n", opts.device);
		return EXIT_LACKS;
	}
	if (!read_pcr(&client, client.before)) {
		fprintf(stderr, "tpm-client: %s: cannot read PCR %u\n",
			opts.device, opts.pcr);
		return EXIT_TPM;
	}
	memcpy(client.replay_done, client.before, SHA256_BYTES);
	memcpy(client.replay_all, client.before, SHA256_BYTES);
	client.start_us = raw_now_us();
	for (char **op = opts.ops; op && *op; op++) {
		if (!run_op(&client, *op)) {
			fprintf(stderr, "tpm-client: bad OP '%s': %m\n", *op);
			return EXIT_USAGE;
		}
	}
	return verdict(&client);
}
