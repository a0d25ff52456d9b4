// SPDX-License-Identifier: GPL-2.0
#include "tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tmpdir_make(char *path, size_t size)
{
	const char *base = getenv("TMPDIR");
	int n = snprintf(path, size, "%s/vtpmfast-XXXXXX", base && *base ? base : "/tmp");

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

void tmpdir_remove(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}
