// SPDX-License-Identifier: GPL-2.0
/* Writing files and progress. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "output.h"

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A rename is on disk only when its directory is; hosts without that (9p, hostfs) may refuse. */
static void sync_directory(const char *path)
{
	char *copy = strdup(path);
	int fd;

	if (!copy)
		return;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(copy);
}

/* umask() can only be read by setting it, which would race with threads; /proc knows it too. */
static mode_t current_umask(void)
{
	unsigned int mask = 022;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	if (!f)
		return mask;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Umask:", 6)) {
			mask = (unsigned int)strtoul(line + 6, NULL, 8);
			break;
		}
	}
	fclose(f);
	return mask;
}

static int write_special(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, data, len);
	close(fd);
	return rc;
}

static int fill_and_rename(int fd, char *temporary, const char *path, mode_t mode,
			   const void *data, size_t len)
{
	int rc = write_all(fd, data, len);

	if (!rc && fchmod(fd, mode))
		rc = -errno;
	/* EINVAL: a file system that cannot sync; the data are then as safe as they get */
	if (!rc && fsync(fd) && errno != EINVAL)
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc)
		unlink(temporary);
	else
		sync_directory(path);
	return rc;
}

int output_check(const char *path)
{
	size_t len = strlen(path);
	struct stat st;
	char *copy;
	int rc = 0;

	if (!len)
		return -ENOENT;
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		return access(path, W_OK) ? -errno : 0;
	}
	if (path[len - 1] == '/')
		return -EISDIR;
	copy = strdup(path);
	if (!copy || access(dirname(copy), W_OK | X_OK))
		rc = -errno;
	free(copy);
	return rc;
}

int output_write_atomic(const char *path, const void *data, size_t len)
{
	struct stat st;
	mode_t mode = 0666 & ~current_umask();
	char *target = NULL, *temporary = NULL;
	int fd, rc;

	if (!stat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			return S_ISDIR(st.st_mode) ? -EISDIR : write_special(path, data, len);
		mode = st.st_mode & 07777;
		/* a symbolic link stays one: replace what it points to */
		target = realpath(path, NULL);
	} else {
		target = strdup(path);
	}
	if (!target)
		return -errno;
	if (asprintf(&temporary, "%s.XXXXXX", target) < 0) {
		temporary = NULL;
		rc = -ENOMEM;
		goto out;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		goto out;
	}
	rc = fill_and_rename(fd, temporary, target, mode, data, len);
out:
	free(temporary);
	free(target);
	return rc;
}

int output_write_json(const char *path, struct json_object *doc)
{
	const char *text = json_object_to_json_string_ext(
		doc, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			     JSON_C_TO_STRING_NOSLASHESCAPE);
	char *line;
	int rc, len;

	if (!text)
		return -ENOMEM;
	if (!path)
		return puts(text) < 0 ? -EIO : 0;
	len = asprintf(&line, "%s\n", text);
	if (len < 0)
		return -ENOMEM;
	rc = output_write_atomic(path, line, (size_t)len);
	free(line);
	return rc;
}

void output_progress_start(struct output_progress *p, double expected_s)
{
	p->on = isatty(STDERR_FILENO);
	p->start_ns = clock_now_ns();
	p->expected_s = expected_s;
}

void output_progress_say(const struct output_progress *p, const char *fmt, ...)
{
	double elapsed_s, left_s;
	va_list ap;

	if (!p->on)
		return;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	elapsed_s = (double)(clock_now_ns() - p->start_ns) / (double)NS_PER_S;
	left_s = p->expected_s - elapsed_s;
	if (left_s > 0)
		fprintf(stderr, "  (%.0f s left)", left_s);
	fflush(stderr);
}

void output_progress_end(const struct output_progress *p)
{
	if (!p->on)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
