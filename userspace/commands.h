/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands. Each parses its own command line with argp, prints its
 * result to stdout, and returns an enum vtf_exit. A declaration is weak so
 * that a subcommand whose file is left out of the build is not offered.
 */
#ifndef VTF_COMMANDS_H
#define VTF_COMMANDS_H

#define VTF_COMMAND __attribute__((weak))

int cmd_extend(int argc, char **argv) VTF_COMMAND;
int cmd_floor(int argc, char **argv) VTF_COMMAND;
int cmd_probe(int argc, char **argv) VTF_COMMAND;
int cmd_report(int argc, char **argv) VTF_COMMAND;
int cmd_sweep(int argc, char **argv) VTF_COMMAND;
int cmd_verify(int argc, char **argv) VTF_COMMAND;

#endif
