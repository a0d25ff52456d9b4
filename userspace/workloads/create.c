// SPDX-License-Identifier: GPL-2.0
/* What builds and unpacking do: each access makes its file, reads it back and removes it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "workload.h"

static int run(struct work *w, const struct work_file *unused)
{
	struct work_file file = { .dir = w->worker, .number = w->made };
	char name[WORK_NAME_BYTES], text[WORK_CONTENT_BYTES];
	int fd, rc;

	(void)unused;
	rc = work_make(w, file.number, NULL, 0, 0600);
	w->made++;
	if (rc)
		return rc;
	work_name(file.number, name);
	fd = openat(w->place->dir[file.dir], name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) < 0)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	if (unlinkat(w->place->dir[file.dir], name, 0) && !rc)
		rc = -errno;
	return rc;
}

const struct workload workload_create = {
	.name = "create",
	.description = "make, write, read and unlink a file",
	.rule = "measure func=FILE_CHECK mask=MAY_READ",
	.run = run,
};
