// SPDX-License-Identifier: GPL-2.0
#include "pcr_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest line: name, PCR and a sha512, with room for blanks. */
#define LINE_BYTES 256

static int bank_index(const struct pcr_table *t, const struct pcr_bank *bank)
{
	for (unsigned int i = 0; i < t->banks.count; i++)
		if (t->banks.bank[i] == bank)
			return (int)i;
	return -1;
}

int pcr_table_set(struct pcr_table *t, const struct pcr_bank *bank, unsigned int pcr,
		  const uint8_t *value)
{
	int i = bank_index(t, bank);

	if (pcr >= PCR_TABLE_PCRS)
		return -EINVAL;
	if (i < 0) {
		if (t->banks.count == PCR_MAX_BANKS)
			return -ENOSPC;
		i = (int)t->banks.count++;
		t->banks.bank[i] = bank;
	}
	if (t->have[i][pcr])
		return -EEXIST;
	memcpy(t->value[i][pcr], value, bank->size);
	t->have[i][pcr] = true;
	return 0;
}

const uint8_t *pcr_table_get(const struct pcr_table *t, const struct pcr_bank *bank,
			     unsigned int pcr)
{
	int i = bank_index(t, bank);

	return i >= 0 && pcr < PCR_TABLE_PCRS && t->have[i][pcr] ? t->value[i][pcr] : NULL;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int pcr_parse_hex(const char *text, uint8_t *bytes, unsigned int max)
{
	size_t len = strlen(text);

	if (len % 2 || len / 2 > max)
		return -1;
	for (size_t i = 0; i < len; i += 2) {
		int high = nibble(text[i]), low = nibble(text[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	return (int)(len / 2);
}

void pcr_format_hex(const uint8_t *bytes, unsigned int len, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned int i = 0; i < len; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

/* Cuts the part up to ':' off, without blanks around it; NULL if there is no ':'. */
static char *cut_part(char **rest)
{
	char *part = *rest, *colon = strchr(part, ':'), *end;

	if (!colon)
		return NULL;
	*colon = '\0';
	*rest = colon + 1;
	part += strspn(part, " \t");
	for (end = colon; end > part && isblank((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	return part;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	for (len = strlen(text); len && isspace((unsigned char)text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}

/* "10" and a value in bank @bank. Return: NULL, else what is wrong. */
static const char *enter(struct pcr_table *t, const struct pcr_bank *bank, const char *index,
			 const char *hex)
{
	uint8_t value[PCR_MAX_DIGEST_BYTES];
	unsigned long pcr;
	char *end;

	if (!isdigit((unsigned char)*index))
		return "no number of a PCR";
	pcr = strtoul(index, &end, 10);
	if (*end || pcr >= PCR_TABLE_PCRS)
		return "no number of a PCR";
	if (!strncmp(hex, "0x", 2) || !strncmp(hex, "0X", 2))
		hex += 2;
	if (pcr_parse_hex(hex, value, sizeof(value)) != bank->size)
		return "the value is no digest of its bank";
	switch (pcr_table_set(t, bank, (unsigned int)pcr, value)) {
	case 0:
		return NULL;
	case -EEXIST:
		return "a second value for the same PCR and bank";
	default:
		return "too many banks";
	}
}

/* @bank: bank of the lines that name none. */
static const char *parse_line(struct pcr_table *t, const struct pcr_bank **bank, char *line)
{
	const struct pcr_bank *named;
	char *first, *second;

	line[strcspn(line, "#\r\n")] = '\0';
	line = trim(line);
	if (!*line)
		return NULL;
	first = cut_part(&line);
	if (!first)
		return "neither `BANK:PCR:HEX` nor a line of tpm2_pcrread";
	if (isdigit((unsigned char)*first))
		return *bank ? enter(t, *bank, first, trim(line)) : "a PCR without a bank";
	named = pcr_bank_by_name(first);
	if (!named)
		return "unknown bank";
	second = cut_part(&line);
	if (second)
		return enter(t, named, second, trim(line));
	if (*trim(line))
		return "neither `BANK:PCR:HEX` nor a line of tpm2_pcrread";
	*bank = named;
	return NULL;
}

int pcr_table_load(const char *path, struct pcr_table *t, struct vtf_error *err)
{
	const struct pcr_bank *bank = NULL;
	FILE *from = fopen(path, "re");
	const char *fault = NULL;
	unsigned int number = 0;
	char line[LINE_BYTES];
	int rc = 0;

	if (!from)
		return vtf_error_set(err, VTF_EXIT_USAGE, "open %s: %s", path, strerror(errno));
	for (;;) {
		size_t len;

		/* what fgets() does not write stays: a second NUL is one of the file */
		memset(line, '\n', sizeof(line));
		if (fault || !fgets(line, sizeof(line), from))
			break;
		number++;
		len = strlen(line);
		if (len == sizeof(line) - 1)
			fault = "line too long";
		else if (memchr(line + len + 1, '\0', sizeof(line) - len - 1))
			fault = "a NUL in it";
		else
			fault = parse_line(t, &bank, line);
	}
	if (fault)
		rc = vtf_error_set(err, VTF_EXIT_VERIFY, "%s, line %u: %s", path, number, fault);
	else if (ferror(from))
		rc = vtf_error_set(err, VTF_EXIT_USAGE, "read %s: %s", path, strerror(errno));
	fclose(from);
	return rc;
}
