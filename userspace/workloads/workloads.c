// SPDX-License-Identifier: GPL-2.0
/* The list of workloads, and what they share. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

const struct workload *const workloads[] = {
	&workload_read, &workload_create, &workload_exec, &workload_mmap, NULL,
};

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}

void work_name(uint64_t number, char name[WORK_NAME_BYTES])
{
	snprintf(name, WORK_NAME_BYTES, "%" PRIu64, number);
}

size_t work_content(const struct work *w, uint64_t number, char text[WORK_CONTENT_BYTES])
{
	int n = snprintf(text, WORK_CONTENT_BYTES, "%s %u %" PRIu64 "\n", w->place->nonce,
			 w->worker, number);

	return (size_t)n;
}

int work_make(const struct work *w, uint64_t number, const void *head, size_t head_len,
	      unsigned int mode)
{
	char name[WORK_NAME_BYTES], text[WORK_HEAD_BYTES + WORK_CONTENT_BYTES];
	size_t len = head_len;
	int fd, rc = 0;
	ssize_t n;

	if (head_len > WORK_HEAD_BYTES)
		return -EMSGSIZE;
	if (head_len)
		memcpy(text, head, head_len);
	len += work_content(w, number, text + len);
	work_name(number, name);
	/* write only: a policy on reading must not measure the making */
	fd = openat(w->place->dir[w->worker], name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		rc = -errno;
	else if ((size_t)n != len)
		rc = -ENOSPC;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

int work_prepare_plain(struct work *w)
{
	int rc = work_make(w, w->made, NULL, 0, 0600);

	if (!rc)
		w->made++;
	return rc;
}

int work_unlink(struct work *w, const struct work_file *file)
{
	char name[WORK_NAME_BYTES];

	work_name(file->number, name);
	return unlinkat(w->place->dir[file->dir], name, 0) ? -errno : 0;
}
