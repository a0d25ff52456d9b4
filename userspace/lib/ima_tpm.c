// SPDX-License-Identifier: GPL-2.0
#include "ima_tpm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 512

static const char *const names[IMA_TPM_COUNTERS] = {
	[IMA_TPM_EXTENDS] = "extends",	 [IMA_TPM_LOST] = "lost",
	[IMA_TPM_EXEMPT] = "exempt",	 [IMA_TPM_COMMANDS] = "commands",
	[IMA_TPM_BATCHES] = "batches",	 [IMA_TPM_LARGEST_BATCH] = "largest_batch",
};

const char *ima_tpm_counter_name(enum ima_tpm_counter counter)
{
	return names[counter];
}

static void take_line(struct ima_tpm *tpm, const char *name, const char *value)
{
	if (!strcmp(name, "state"))
		snprintf(tpm->state, sizeof(tpm->state), "%s", value);
	else if (!strcmp(name, "chip"))
		snprintf(tpm->chip, sizeof(tpm->chip), "%s", value);
	for (size_t i = 0; i < IMA_TPM_COUNTERS; i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		tpm->counter[i] = strtoull(value, NULL, 10);
		tpm->have[i] = true;
	}
}

int ima_tpm_read(struct ima_tpm *tpm)
{
	char path[PATH_MAX], line[LINE_BYTES];
	FILE *in;
	int rc;

	memset(tpm, 0, sizeof(*tpm));
	snprintf(path, sizeof(path), "%s/kernel/security/ima/tpm", sysfs_root());
	in = fopen(path, "re");
	if (!in)
		return -errno;
	while (fgets(line, sizeof(line), in)) {
		char *value;

		line[strcspn(line, "\n")] = '\0';
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		take_line(tpm, line, value);
	}
	rc = ferror(in) ? -EIO : 0;
	fclose(in);
	return rc;
}
