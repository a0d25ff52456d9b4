/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes measurement lists, and the PCR values that belong to them, in the way
 * of Linux 6.12 (ima_fs.c, ima_template_lib.c, ima_crypto.c). It shares no
 * code with the readers that it is to test.
 */
#ifndef LISTGEN_H
#define LISTGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/pcr.h"

#define LISTGEN_MAX_FIELDS 15

struct listgen_field {
	char id[20];
	size_t len;
	uint8_t *bytes;
};

/* Every field's bytes are in the listgen, valid until the next listgen_fill(). */
struct listgen_entry {
	uint32_t pcr;
	bool violation;
	const char *template; /* as in the list */
	unsigned int field_count;
	struct listgen_field field[LISTGEN_MAX_FIELDS];
};

struct listgen {
	const struct pcr_bank *algo; /* of the template digests in the list */
	struct pcr_banks banks;
	uint32_t pcr; /* whose value is kept, as is that of the next one */
	uint8_t value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	uint8_t next_value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	bool next_used;
	uint64_t entries;
	size_t extra_bytes; /* of each sig and buf field, beside a few */
	uint8_t *pool;
	size_t pool_size, pool_used;
	uint8_t *data; /* what is hashed */
	size_t data_size, data_len;
};

/* Starts a list; @banks are replayed. */
void listgen_init(struct listgen *g, const struct pcr_bank *algo, const struct pcr_banks *banks);
void listgen_end(struct listgen *g);

/**
 * listgen_fill() - an entry with contents of its own
 * @g:         generator
 * @e:         receives it; may be changed before it is written
 * @template:  name or format
 * @seed:      entries with different seeds differ
 * @name:      name of the event; NULL: some path
 * @violation: as the kernel writes it for one
 *
 * Return: 0, -1 if a field of the template is not known.
 */
int listgen_fill(struct listgen *g, struct listgen_entry *e, const char *template, uint64_t seed,
		 const char *name, bool violation);

/* Appends it to @binary and @ascii (each may be NULL), and extends the PCR. */
void listgen_write(struct listgen *g, const struct listgen_entry *e, FILE *binary, FILE *ascii);

/* "bank:pcr:hex" lines; of the next PCR too, if it has entries. */
void listgen_pcrs(const struct listgen *g, FILE *to);

#endif
