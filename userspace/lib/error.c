// SPDX-License-Identifier: GPL-2.0
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int vtf_error_set(struct vtf_error *err, enum vtf_exit code, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code != VTF_EXIT_DONE)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

enum vtf_exit vtf_error_print(const char *command, const struct vtf_error *err)
{
	if (err->code != VTF_EXIT_DONE)
		fprintf(stderr, "vtpmfast %s: %s\n", command, err->text);
	return err->code;
}
