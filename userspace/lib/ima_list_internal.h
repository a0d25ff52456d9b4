/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of both formats share; only for ima_list.c and ima_ascii.c. */
#ifndef VTF_IMA_LIST_INTERNAL_H
#define VTF_IMA_LIST_INTERNAL_H

#include "ima_buffer.h"
#include "ima_list.h"

#define IMA_LEGACY_DATA_BYTES (IMA_LEGACY_DIGEST_BYTES + IMA_EVENT_NAME_BYTES)

struct ima_list {
	struct ima_buffer in;
	enum ima_list_format format;
	const struct pcr_bank *algo;
	struct ima_template template; /* of the last entry, often that of the next */
	uint64_t entries;
	/* of the entry at work, for messages */
	uint64_t offset;
	/* data of an entry that does not stand in the list as it is hashed */
	uint8_t *scratch;
	size_t scratch_size;
	uint8_t digest[PCR_MAX_DIGEST_BYTES]; /* ascii: the template digest, decoded */
};

/* Records that the entry at work is wrong. Return: -1. */
int ima_list_fault(const struct ima_list *l, struct vtf_error *err, const char *what,
		   const char *reason);

/* The same for field @i of its template. */
int ima_list_field_fault(const struct ima_list *l, struct vtf_error *err, unsigned int i,
			 const char *reason);

/* Template of the entry at work: 0, -1. */
int ima_list_template(struct ima_list *l, const char *name, size_t len, struct vtf_error *err);

/* Makes room for @len bytes in l->scratch: 0, -1. */
int ima_list_scratch(struct ima_list *l, size_t len, struct vtf_error *err);

/* Needs @len bytes of the entry at work: 0, -1 if the list ends before. */
int ima_list_need(struct ima_list *l, size_t len, struct vtf_error *err);

/* One line of an ascii list into @entry and l->scratch, up to the fields: 0, -1. */
int ima_ascii_entry(struct ima_list *l, struct ima_entry *entry, struct vtf_error *err);

/*
 * Takes e->data apart into fields, and checks the form of each: 0, -1. A
 * legacy entry has its name padded already.
 */
int ima_list_fields(const struct ima_list *l, struct ima_entry *entry, struct vtf_error *err);

static inline uint32_t ima_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void ima_put_le32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

#endif
