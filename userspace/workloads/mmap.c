// SPDX-License-Identifier: GPL-2.0
/* What the loader does with a library: a file made beforehand is mapped executable. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

static int run(struct work *w, const struct work_file *file)
{
	char name[WORK_NAME_BYTES];
	int fd, rc = 0;
	void *at;

	work_name(file->number, name);
	fd = openat(w->place->dir[file->dir], name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	at = mmap(NULL, WORK_CONTENT_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		rc = -errno;
	else
		munmap(at, WORK_CONTENT_BYTES);
	close(fd);
	return rc;
}

const struct workload workload_mmap = {
	.name = "mmap",
	.description = "map files made beforehand as executable",
	.rule = "measure func=MMAP_CHECK mask=MAY_EXEC",
	.prepare = work_prepare_plain,
	.run = run,
	.cleanup = work_unlink,
};
