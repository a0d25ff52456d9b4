// SPDX-License-Identifier: GPL-2.0
/* The plain case: a file that is there is opened, read and closed. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "workload.h"

static int run(struct work *w, const struct work_file *file)
{
	char name[WORK_NAME_BYTES], text[WORK_CONTENT_BYTES];
	int fd, rc = 0;

	work_name(file->number, name);
	/* IMA measures in here: open() returns when the extend is done */
	fd = openat(w->place->dir[file->dir], name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

const struct workload workload_read = {
	.name = "read",
	.description = "open, read and close files made beforehand",
	.rule = "measure func=FILE_CHECK mask=MAY_READ",
	.prepare = work_prepare_plain,
	.run = run,
	.cleanup = work_unlink,
};
