/* SPDX-License-Identifier: GPL-2.0 */
/* Values of PCRs, each kept under its bank: those of different banks never meet. */
#ifndef VTF_PCR_TABLE_H
#define VTF_PCR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "pcr.h"

#define PCR_TABLE_PCRS 24

struct pcr_table {
	struct pcr_banks banks;
	bool have[PCR_MAX_BANKS][PCR_TABLE_PCRS];
	uint8_t value[PCR_MAX_BANKS][PCR_TABLE_PCRS][PCR_MAX_DIGEST_BYTES];
};

/**
 * pcr_table_set() - enter a value
 * @value: bank->size bytes
 *
 * Return: 0, -EEXIST if that PCR of that bank has one, -EINVAL for a PCR above
 * 23, -ENOSPC for too many banks.
 */
int pcr_table_set(struct pcr_table *t, const struct pcr_bank *bank, unsigned int pcr,
		  const uint8_t *value);

/* The value, NULL if there is none. */
const uint8_t *pcr_table_get(const struct pcr_table *t, const struct pcr_bank *bank,
			     unsigned int pcr);

/**
 * pcr_table_load() - values from a text file
 * @path: file; lines are "sha256:10:HEX", or what tpm2_pcrread prints
 *        ("sha256:", then "10: 0xHEX"), also mixed; '#' begins a comment
 * @t:    receives them, beside what it has
 * @err:  VTF_EXIT_USAGE if it cannot be read; VTF_EXIT_VERIFY with the line if
 *        it is malformed, or a value is given twice
 *
 * Return: 0, -1.
 */
int pcr_table_load(const char *path, struct pcr_table *t, struct vtf_error *err);

/* @text as @max bytes of hex digits of either case: number of bytes, -1. */
int pcr_parse_hex(const char *text, uint8_t *bytes, unsigned int max);

/* Lower-case hex; @text has room for 2 * @len + 1. */
void pcr_format_hex(const uint8_t *bytes, unsigned int len, char *text);

#endif
