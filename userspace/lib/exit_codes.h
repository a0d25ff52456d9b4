/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exit codes of vtpmfast. They are an ABI: scripts branch on them. Never
 * renumber, never reuse; new codes go to the end.
 */
#ifndef VTF_EXIT_CODES_H
#define VTF_EXIT_CODES_H

enum vtf_exit {
	VTF_EXIT_DONE = 0,	 /* all that was asked for is done and, where possible, verified */
	VTF_EXIT_INTERNAL = 1,	 /* a fault of this program or of the system under it (memory, disk full) */
	VTF_EXIT_USAGE = 2,	 /* the command line asks for something that makes no sense */
	VTF_EXIT_MISSING = 3,	 /* the machine lacks something: device, permission, library, kernel feature */
	VTF_EXIT_TPM = 4,	 /* the TPM or TSM is unreachable, busy, stuck or refuses */
	VTF_EXIT_VERIFY = 5,	 /* verification failed, or there was nothing to compare */
	VTF_EXIT_INCOMPLETE = 6, /* results exist but not all: interrupted, or some operations failed */
};

#define VTF_EXIT_COUNT 7

/**
 * vtf_exit_text() - one line that says what a code means
 * @code: any integer
 *
 * Return: a static string, NULL for a number that is no exit code of ours.
 */
const char *vtf_exit_text(int code);

/**
 * vtf_exit_worse() - which of two results a command that did both must report
 * @a: an exit code
 * @b: an exit code
 *
 * A wrong PCR (5) outranks a refusing TPM (4), which outranks an incomplete
 * run (6); a fault of our own (1) outranks them all, since then nothing that
 * was found can be trusted. 2 and 3 happen before anything is measured.
 *
 * Return: @a or @b.
 */
enum vtf_exit vtf_exit_worse(enum vtf_exit a, enum vtf_exit b);

#endif
