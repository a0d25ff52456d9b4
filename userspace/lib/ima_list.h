/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A measurement list, entry by entry, from a file descriptor. Only one entry
 * is in memory at a time; nothing of it is trusted.
 *
 * Source of the format: Linux 6.12, security/integrity/ima/ima_fs.c,
 * ima_measurements_show() and ima_ascii_measurements_show():
 *
 *   binary: u32 pcr, template digest, u32 length of name, name,
 *           u32 length of data, data = for each field u32 length, bytes
 *           (template "ima": 20-byte digest, u32 length of name, name)
 *   ascii:  PCR digest name field field ...
 *
 * The template digest is sha1 in binary_runtime_measurements and in the
 * algorithm of the file in binary_runtime_measurements_ALGO. It is zeros for a
 * violation, for which the kernel extends ones instead.
 */
#ifndef VTF_IMA_LIST_H
#define VTF_IMA_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "ima_template.h"
#include "pcr.h"

/* PCRs that a TPM 2.0 for a PC has; the kernel has no entries for others. */
#define IMA_PCR_COUNT 24

enum ima_list_format {
	IMA_LIST_AUTO = 0, /* from the first byte */
	IMA_LIST_BINARY,
	IMA_LIST_ASCII,
};

struct ima_field {
	const uint8_t *data;
	size_t len;
};

/* Everything it points to is valid until the next ima_list_next(). */
struct ima_entry {
	uint64_t number; /* from 1 */
	uint64_t offset; /* byte of the list at which it begins */
	uint32_t pcr;
	bool violation;
	const uint8_t *digest; /* template digest; bytes: size of the list's algorithm */
	const struct ima_template *template;
	struct ima_field field[IMA_MAX_FIELDS];
	/* what the kernel hashes: digest and padded name of "ima", else the data of the entry */
	const uint8_t *data;
	size_t data_len;
	const char *event_name; /* n, n-ng; "" if the template has none */
};

struct ima_list;

/**
 * ima_list_new() - start to read
 * @fd:     at the first byte of a list; stays the caller's
 * @format: what is in it
 * @algo:   algorithm of the template digests in the list
 *
 * Return: the reader, NULL without memory.
 */
struct ima_list *ima_list_new(int fd, enum ima_list_format format, const struct pcr_bank *algo);
void ima_list_free(struct ima_list *l);

/**
 * ima_list_next() - read one entry and check its form (not its digest)
 * @l:     reader
 * @entry: receives it
 * @err:   VTF_EXIT_VERIFY with entry and byte offset if it is malformed or the
 *         list ends inside; VTF_EXIT_INTERNAL if reading fails
 *
 * Return: 1, 0 at the end of the list (more can come later, if the file
 * grows), -1; afterwards the reader can only be freed.
 */
int ima_list_next(struct ima_list *l, struct ima_entry *entry, struct vtf_error *err);

/* Bytes of all entries that were returned so far. */
uint64_t ima_list_bytes(const struct ima_list *l);

/* Byte at which the last entry begins that was returned, or found to be wrong. */
uint64_t ima_list_entry_offset(const struct ima_list *l);

/* Format that was given, or found at the first byte. */
enum ima_list_format ima_list_format(const struct ima_list *l);

#endif
