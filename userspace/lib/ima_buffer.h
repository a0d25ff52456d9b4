/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of a file descriptor that were read but not used yet; for ima_list.c. */
#ifndef VTF_IMA_BUFFER_H
#define VTF_IMA_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct ima_buffer {
	int fd;
	uint8_t *bytes;
	size_t size;
	size_t begin, end;  /* unused bytes */
	uint64_t offset;    /* of @begin in the file */
};

/**
 * ima_buffer_need() - have some bytes at b->bytes + b->begin
 * @b:   buffer; moves and grows, so pointers into it are void afterwards
 * @len: how many
 *
 * Return: 1, 0 if the file ends before, negative errno.
 */
int ima_buffer_need(struct ima_buffer *b, size_t len);

static inline const uint8_t *ima_buffer_at(const struct ima_buffer *b)
{
	return b->bytes + b->begin;
}

static inline void ima_buffer_skip(struct ima_buffer *b, size_t len)
{
	b->begin += len;
	b->offset += len;
}

#endif
