// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "extend_events.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tpm.h"

#define IMA_COUNT "/sys/kernel/security/ima/runtime_measurements_count"

/* Entries in IMA's list, -1 where there is none */
static long listed(void)
{
	static int fd = -2;
	char text[32];
	ssize_t size;

	if (fd == -2)
		fd = open(IMA_COUNT, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	if (size <= 0)
		return -1;
	text[size] = '\0';
	return strtol(text, NULL, 10);
}

/* Part 2, 6.3; 0 for an algorithm that is no bank of ours */
static size_t digest_bytes(unsigned int alg)
{
	switch (alg) {
	case 0x0004:
		return 20;
	case 0x000b:
		return 32;
	case 0x000c:
		return 48;
	case 0x000d:
		return 64;
	default:
		return 0;
	}
}

static unsigned int be16_read(const uint8_t *p)
{
	return (unsigned int)p[0] << 8 | p[1];
}

/*
 * The digests of the first bank that is named. @to: NULL to count only. Returns
 * how many, or 0 for a command that ends too early.
 */
static unsigned int first_bank(const uint8_t *p, const uint8_t *end, FILE *to)
{
	unsigned int first = 0, events = 0;

	while (end - p > 2) {
		unsigned int alg = be16_read(p);
		size_t size = digest_bytes(alg);

		p += 2;
		if (!size || (size_t)(end - p) < size)
			return 0;
		if (!first)
			first = alg;
		if (alg == first && to && events)
			fputc(',', to);
		for (size_t i = 0; alg == first && to && i < size; i++)
			fprintf(to, "%02x", p[i]);
		events += alg == first;
		p += size;
	}
	return events;
}

void extend_events_log(FILE *log, const uint8_t *command, size_t bytes)
{
	const uint8_t *p = command + TPM_HEADER_BYTES, *end = command + bytes;
	long entries = listed();
	uint32_t pcr, auth_bytes;

	/* part 3, 22.2: handle, size of the authorisation, that, count, digests */
	if (end - p < 8)
		return;
	pcr = be32_read(p);
	auth_bytes = be32_read(p + 4);
	p += 8;
	if (end - p < 4 || auth_bytes > (size_t)(end - p) - 4)
		return;
	p += auth_bytes + 4;

	fprintf(log, " pcr=%u", pcr);
	if (entries >= 0)
		fprintf(log, " listed=%ld", entries);
	fprintf(log, " events=%u digests=", first_bank(p, end, NULL));
	first_bank(p, end, log);
}
