// SPDX-License-Identifier: GPL-2.0
#include "exit_codes.h"

#include <stddef.h>

static const struct {
	const char *text;
	int rank; /* larger: reported in preference */
} codes[VTF_EXIT_COUNT] = {
	[VTF_EXIT_DONE] = { "done", 0 },
	[VTF_EXIT_INTERNAL] = { "internal error", 6 },
	[VTF_EXIT_USAGE] = { "usage error", 5 },
	[VTF_EXIT_MISSING] = { "the machine lacks something", 4 },
	[VTF_EXIT_TPM] = { "TPM or TSM unreachable or refusing", 2 },
	[VTF_EXIT_VERIFY] = { "verification failed or nothing to compare", 3 },
	[VTF_EXIT_INCOMPLETE] = { "incomplete", 1 },
};

const char *vtf_exit_text(int code)
{
	if (code < 0 || code >= VTF_EXIT_COUNT)
		return NULL;
	return codes[code].text;
}

enum vtf_exit vtf_exit_worse(enum vtf_exit a, enum vtf_exit b)
{
	return codes[a].rank >= codes[b].rank ? a : b;
}
