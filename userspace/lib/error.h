/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An error that knows its exit code. It has no pointers, so it can live in
 * memory that is shared between processes.
 */
#ifndef VTF_ERROR_H
#define VTF_ERROR_H

#include "exit_codes.h"

#define VTF_ERROR_TEXT_BYTES 320

struct vtf_error {
	enum vtf_exit code; /* VTF_EXIT_DONE: no error */
	char text[VTF_ERROR_TEXT_BYTES];
};

/**
 * vtf_error_set() - record an error; the first one stays
 * @err:  where to; may be NULL
 * @code: exit code that fits
 * @fmt:  names the call, the object and the reason
 *
 * Return: -1, so that a caller can `return vtf_error_set(...)`.
 */
int vtf_error_set(struct vtf_error *err, enum vtf_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * vtf_error_print() - print the error as `vtpmfast COMMAND: text` to stderr
 * @command: name of the subcommand
 * @err:     an error
 *
 * Return: the error's exit code (VTF_EXIT_DONE, and nothing printed, if none).
 */
enum vtf_exit vtf_error_print(const char *command, const struct vtf_error *err);

#endif
