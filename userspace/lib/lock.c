// SPDX-License-Identifier: GPL-2.0
#include "lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sha256.h"

int lock_tpm(const char *name, struct vtf_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char hex[SHA256_HEX_BYTES];
	socklen_t len;
	int fd, reason, n;

	if (sha256_hex(name, strlen(name), hex))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL has no SHA-256");
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "socket: %s", strerror(errno));
	/* sun_path[0] stays 0: unix(7), abstract */
	n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "vtpmfast-%s", hex);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	if (!bind(fd, (struct sockaddr *)&address, len))
		return fd;
	reason = errno;
	close(fd);
	if (reason == EADDRINUSE)
		return vtf_error_set(err, VTF_EXIT_TPM,
				     "another vtpmfast is measuring %s right now: wait for it", name);
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "bind: %s", strerror(reason));
}
