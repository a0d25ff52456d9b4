// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLICY_FILE "/sys/kernel/security/ima/policy"

char *policy_fill(const char *text, const char *fsuuid)
{
	const char *mark;
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	if (!*fsuuid && strstr(text, POLICY_FSUUID)) {
		errno = EINVAL;
		return NULL;
	}
	f = open_memstream(&out, &size);
	if (!f)
		return NULL;
	while ((mark = strstr(text, POLICY_FSUUID))) {
		fwrite(text, 1, (size_t)(mark - text), f);
		fputs(fsuuid, f);
		text = mark + strlen(POLICY_FSUUID);
	}
	fputs(text, f);
	if (!fclose(f))
		return out;
	free(out);
	errno = ENOMEM;
	return NULL;
}

char *policy_read(const char *path, struct vtf_error *err)
{
	FILE *f = fopen(path, "re");
	char *text = f ? calloc(1, POLICY_MAX_BYTES + 1) : NULL;
	size_t n = 0;

	if (text)
		n = fread(text, 1, POLICY_MAX_BYTES + 1, f);
	if (!f || !text || ferror(f)) {
		vtf_error_set(err, VTF_EXIT_USAGE, "--policy: cannot read %s: %s", path,
			      strerror(errno));
	} else if (!n || n > POLICY_MAX_BYTES || memchr(text, '\0', n)) {
		vtf_error_set(err, VTF_EXIT_USAGE,
			      "--policy: %s is empty, longer than %d bytes, or no text", path,
			      POLICY_MAX_BYTES);
	} else {
		fclose(f);
		return text;
	}
	if (f)
		fclose(f);
	free(text);
	return NULL;
}

static int open_policy(const char *path, struct vtf_error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == EACCES || errno == EPERM)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "open %s: %s: no IMA, securityfs not mounted, or a policy was "
				     "loaded before and this kernel takes only one "
				     "(IMA_WRITE_POLICY)", path, strerror(errno));
	return vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s", path, strerror(errno));
}

int policy_load(const char *text, const char *path, struct vtf_error *err)
{
	const char *at = text;
	unsigned int line = 1;
	int fd;

	if (!path)
		path = POLICY_FILE;
	fd = open_policy(path, err);
	if (fd < 0)
		return -1;
	/* a write takes one rule; all of one open file become active when it is closed */
	while (*at) {
		size_t len = strcspn(at, "\n");
		ssize_t n = write(fd, at, len + (at[len] == '\n'));

		if (n <= 0) {
			vtf_error_set(err, errno == EINVAL ? VTF_EXIT_USAGE : VTF_EXIT_MISSING,
				      "%s: IMA refuses line %u: %s: %.*s", path, line,
				      strerror(errno), (int)(len < 120 ? len : 120), at);
			break;
		}
		at += len + (at[len] == '\n');
		line++;
	}
	if (close(fd))
		return vtf_error_set(err, VTF_EXIT_MISSING, "%s: the rules are refused: %s", path,
				     strerror(errno));
	return *at ? -1 : 0;
}
