// SPDX-License-Identifier: GPL-2.0
#include "ima_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES (64U << 10)

/* Room for @len bytes at begin, and for a good part of a chunk at end. */
static int make_room(struct ima_buffer *b, size_t len)
{
	size_t unused = b->end - b->begin, size = CHUNK_BYTES;
	uint8_t *bytes;

	if (b->begin) {
		memmove(b->bytes, b->bytes + b->begin, unused);
		b->begin = 0;
		b->end = unused;
	}
	while (size < len)
		size *= 2;
	if (size <= b->size)
		return 0;
	bytes = realloc(b->bytes, size);
	if (!bytes)
		return -ENOMEM;
	b->bytes = bytes;
	b->size = size;
	return 0;
}

int ima_buffer_need(struct ima_buffer *b, size_t len)
{
	while (b->end - b->begin < len) {
		int rc = b->size - b->begin < len ? make_room(b, len) : 0;
		ssize_t n;

		if (rc)
			return rc;
		n = read(b->fd, b->bytes + b->end, b->size - b->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		b->end += (size_t)n;
	}
	return 1;
}
