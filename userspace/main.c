// SPDX-License-Identifier: GPL-2.0
/* vtpmfast: one binary, one file per subcommand; this file only dispatches. */
#include "commands.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/exit_codes.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "probe", cmd_probe, "say what this machine has: TPM chips, modes, banks, IMA, TSM" },
	{ "extend", cmd_extend, "measure PCR extends, raw on a device or through TSS2 ESAPI" },
	{ "sweep", cmd_sweep, "measure IMA: file accesses by ever more processes" },
	{ "floor", cmd_floor, "measure the limit: libtpms in process, swtpm on a socketpair" },
	{ "report", cmd_report, "merge results into a table, CSV, JSON and an SVG chart" },
	{ "verify", cmd_verify, "compare an IMA measurement list with a PCR or a quote" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
	fputs("Usage: vtpmfast COMMAND [OPTION...]\n"
	      "Measures how fast the PCR extends of a software TPM are.\n\n",
	      to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].run)
			fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n`vtpmfast COMMAND --help` lists the options of a command.\n"
	      "  --help     this text\n"
	      "  --version  version of the program\n\n"
	      "Exit codes:\n",
	      to);
	for (int i = 0; i < VTF_EXIT_COUNT; i++)
		fprintf(to, "  %d  %s\n", i, vtf_exit_text(i));
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].run && !strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int dispatch(int argc, char **argv)
{
	static char name[64]; /* argp prints argv[0], so it must outlive the call */
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return VTF_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return VTF_EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("vtpmfast " VTF_VERSION);
		return VTF_EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "vtpmfast: no subcommand `%s`; see `vtpmfast --help`\n", argv[1]);
		return VTF_EXIT_USAGE;
	}
	snprintf(name, sizeof(name), "vtpmfast %s", command->name);
	argv[1] = name;
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int rc = VTF_EXIT_INTERNAL;

	/* argp would leave with EX_USAGE (64), which is not in our table. */
	argp_err_exit_status = VTF_EXIT_USAGE;
	rc = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		perror("vtpmfast: writing to standard output");
		if (rc == VTF_EXIT_DONE)
			rc = VTF_EXIT_INTERNAL;
	}
	return rc;
}
