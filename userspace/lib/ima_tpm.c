// SPDX-License-Identifier: GPL-2.0
#include "ima_tpm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 24 numbers of 20 digits are 504 bytes */
#define LINE_BYTES 1024

static const char *const names[IMA_TPM_COUNTERS] = {
	[IMA_TPM_EXTENDS] = "extends",
	[IMA_TPM_LOST] = "lost",
	[IMA_TPM_REFUSED] = "refused",
	[IMA_TPM_RECOVERED] = "recovered",
	[IMA_TPM_EXEMPT] = "exempt",
	[IMA_TPM_COMMANDS] = "commands",
	[IMA_TPM_BATCHES] = "batches",
	[IMA_TPM_LARGEST_BATCH] = "largest_batch",
	[IMA_TPM_LEAD] = "lead",
	[IMA_TPM_FIRST_LOST] = "first_lost",
};

static const struct {
	const char *name;
	unsigned int length;
} series[IMA_TPM_SERIES] = {
	[IMA_TPM_BATCH_SIZES] = { "batch_sizes", IMA_TPM_BATCH_MAX },
	[IMA_TPM_WAIT_LOG2] = { "wait_us_log2", IMA_TPM_WAIT_BUCKETS },
};

const char *ima_tpm_counter_name(enum ima_tpm_counter counter)
{
	return names[counter];
}

const char *ima_tpm_series_name(enum ima_tpm_series which)
{
	return series[which].name;
}

unsigned int ima_tpm_series_length(enum ima_tpm_series which)
{
	return series[which].length;
}

/* @count numbers with one space before each but the first, and nothing else. */
static bool parse_numbers(const char *text, uint64_t *value, unsigned int count)
{
	char *end;

	for (unsigned int i = 0; i < count; i++) {
		if (i && *text++ != ' ')
			return false;
		if (*text < '0' || *text > '9')
			return false;
		errno = 0;
		value[i] = strtoull(text, &end, 10);
		if (errno)
			return false;
		text = end;
	}
	return !*text;
}

static void take_line(struct ima_tpm *tpm, const char *name, const char *value)
{
	if (!strcmp(name, "state"))
		snprintf(tpm->state, sizeof(tpm->state), "%s", value);
	else if (!strcmp(name, "chip"))
		snprintf(tpm->chip, sizeof(tpm->chip), "%s", value);
	for (size_t i = 0; i < IMA_TPM_COUNTERS; i++)
		if (!strcmp(name, names[i]))
			tpm->have[i] = parse_numbers(value, &tpm->counter[i], 1);
	for (size_t i = 0; i < IMA_TPM_SERIES; i++)
		if (!strcmp(name, series[i].name))
			tpm->have_series[i] =
				parse_numbers(value, tpm->series[i], series[i].length);
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
