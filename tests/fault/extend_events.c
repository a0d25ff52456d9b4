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

/*
 * Where the digests begin: behind handle, size of the authorisation, that, and
 * count (part 3, 22.2). 0 if the command is too short for that.
 */
static size_t digests_at(const uint8_t *command, size_t bytes)
{
	enum { AUTH_AT = TPM_HEADER_BYTES + 4 };
	uint32_t auth_bytes;

	if (bytes < AUTH_AT + 8)
		return 0;
	auth_bytes = be32_read(command + AUTH_AT);
	return auth_bytes > bytes - AUTH_AT - 8 ? 0 : AUTH_AT + 4 + auth_bytes + 4;
}

void extend_events_log(FILE *log, const uint8_t *command, size_t bytes)
{
	size_t at = digests_at(command, bytes);
	long entries = listed();

	if (!at)
		return;
	fprintf(log, " pcr=%u", be32_read(command + TPM_HEADER_BYTES));
	if (entries >= 0)
		fprintf(log, " listed=%ld", entries);
	fprintf(log, " events=%u digests=", first_bank(command + at, command + bytes, NULL));
	first_bank(command + at, command + bytes, log);
}

size_t extend_events_keep_first(uint8_t *command, size_t bytes)
{
	size_t start = digests_at(command, bytes), at = start;
	uint32_t kept = 0;

	if (!start)
		return bytes;
	while (bytes - at > 2) {
		unsigned int alg = be16_read(command + at);
		size_t size = digest_bytes(alg);

		/* the first bank again: the next event begins */
		if (!size || bytes - at - 2 < size ||
		    (kept && alg == be16_read(command + start)))
			break;
		at += 2 + size;
		kept++;
	}
	be32_write(command + start - 4, kept);
	be32_write(command + 2, (uint32_t)at);
	return at;
}
