// SPDX-License-Identifier: GPL-2.0
/*
 * A software TPM behind vtpm_proxy that misbehaves on demand.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"
#include "tpm.h"
#include "tpm_raw.h"

enum { EXIT_USAGE = 2, EXIT_LACKS = 3, EXIT_TPM = 4 };

struct options {
	struct fault_plan plan;
	const char *banks;
	const char *log;
	int extended_pcr; /* -1: none */
};

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static const char doc[] =
	"Serves one TPM 2.0 (libtpms, in memory) on a new vtpm_proxy device, breaking the rules given.\n"
	"\v"
	"A RULE is COMMAND[:FIRST[-[LAST]]]=ACTION[,VALUE]; the first that matches is taken.\n"
	"COMMAND: a name such as PCR_Extend, a code such as 0x182, or `any`.\n"
	"FIRST, LAST: which of the commands with this code; without them all.\n"
	"ACTION:\n"
	"  delay,MS   answer MS later, and fail if the kernel does not take it\n"
	"  late,MS    the same, but the kernel may have given up\n"
	"  drop       never answer, go on with the next command\n"
	"  rc,CODE    do nothing but answer CODE (0x922 RETRY, 0x90a TESTING)\n"
	"  first      of several events in an extend do the first only, and answer with success\n"
	"  size,N     answer with the first N bytes only\n"
	"  die        end at once\n"
	"  hangup     close the TPM's end but live on\n"
	"  none       serve it; shields it from later rules\n"
	"\n"
	"Prints `tpm=tpmN` and `pid=PID` once the device exists; the kernel registers the\n"
	"chip a little later. The log has a line per command, times being CLOCK_MONOTONIC:\n"
	"  in_us=.. code=0x.. command=.. k=.. [action=..] [out_us=.. rc=0x..] [refused=ERRNO]\n"
	"With --events those of extends have after k: pcr=.. listed=.. events=.. digests=HEX[,HEX...],\n"
	"the length of IMA's list when the command was read, and the digests of its first bank.\n"
	"\n"
	"Exit: 0 ended by SIGTERM or SIGINT, 2 usage, 3 no /dev/vtpmx, 4 the kernel hung up\n"
	"or libtpms failed.\n";

static const struct argp_option argp_options[] = {
	{ "on", 'o', "RULE", 0, "A fault; may be given often", 0 },
	{ "banks", 'b', "LIST", 0, "Active PCR banks (default: sha256)", 0 },
	{ "log", 'l', "FILE", 0, "Write the log there (default: none)", 0 },
	{ "read", 'r', "DIR", 0, "Before each answer to an extend open and read the next file in DIR", 0 },
	{ "events", 'v', NULL, 0, "Log what each extend extends by, and the length of IMA's list then", 0 },
	{ "extended", 'e', "PCR", 0, "Have extended this PCR (sha256) before the kernel sees the TPM", 0 },
	{ 0 },
};

/* Returns 0 to 23, -1 for anything else */
static int parse_pcr(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	return *text && !*end && value >= 0 && value < 24 ? (int)value : -1;
}

/* Returns 0 or -EIO */
static int extend_before(unsigned int pcr)
{
	static const uint8_t digest[SHA256_BYTES] = { 0x5a };
	uint8_t response[TPM_BUFFER_BYTES];
	struct raw_command cmd;
	int size = tpm_start_up();

	if (size)
		return size;
	raw_extend(&cmd, pcr, digest);
	size = tpm_execute(cmd.data, cmd.bytes, response);
	return size >= TPM_HEADER_BYTES && !be32_read(response + 6) ? 0 : -EIO;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opts = state->input;
	int rc;

	switch (key) {
	case 'o':
		rc = fault_plan_add(&opts->plan, arg);
		if (rc)
			argp_error(state, "rule '%s': %s", arg, strerror(-rc));
		return 0;
	case 'b':
		opts->banks = arg;
		return 0;
	case 'l':
		opts->log = arg;
		return 0;
	case 'r':
		opts->plan.reads = opendir(arg);
		if (!opts->plan.reads)
			argp_failure(state, EXIT_LACKS, errno, "%s", arg);
		return 0;
	case 'v':
		opts->plan.events = true;
		return 0;
	case 'e':
		opts->extended_pcr = parse_pcr(arg);
		if (opts->extended_pcr < 0)
			argp_error(state, "--extended '%s' is no PCR from 0 to 23", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void catch_signals(void)
{
	/* no SA_RESTART: poll() and read() must return */
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
}

static FILE *open_log(const char *path)
{
	FILE *log = path ? fopen(path, "we") : NULL;

	if (log)
		setvbuf(log, NULL, _IOLBF, 0);
	return log;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, NULL, doc,
					  NULL, NULL, NULL };
	static struct options opts = { .banks = "sha256", .extended_pcr = -1 };
	unsigned int tpm_num;
	FILE *log;
	int fd, rc;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opts);
	catch_signals();

	log = open_log(opts.log);
	if (opts.log && !log) {
		fprintf(stderr, "scripted-tpm: open %s: %m\n", opts.log);
		return EXIT_LACKS;
	}
	rc = tpm_make(opts.banks);
	if (rc) {
		fprintf(stderr, "scripted-tpm: a TPM with banks %s: %s\n",
			opts.banks, strerror(-rc));
		return rc == -EINVAL ? EXIT_USAGE : EXIT_TPM;
	}
	if (opts.extended_pcr >= 0 && extend_before((unsigned int)opts.extended_pcr)) {
		fprintf(stderr, "scripted-tpm: cannot extend PCR %d\n", opts.extended_pcr);
		return EXIT_TPM;
	}
	fd = server_open(&tpm_num);
	if (fd < 0) {
		fprintf(stderr, "scripted-tpm: /dev/vtpmx: %s\n", strerror(-fd));
		return EXIT_LACKS;
	}
	printf("tpm=tpm%u\npid=%d\n", tpm_num, (int)getpid());
	fflush(stdout);

	rc = server_run(fd, &opts.plan, log, -1, &stop);
	if (rc && !stop) {
		fprintf(stderr, "scripted-tpm: tpm%u: %s\n", tpm_num,
			strerror(-rc));
		return EXIT_TPM;
	}
	return 0;
}
