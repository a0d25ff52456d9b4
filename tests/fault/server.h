/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_SERVER_H
#define FAULT_SERVER_H

#include <stdio.h>

#include "plan.h"

/*
 * Creates a vtpm_proxy device pair.
 * @tpm_num: receives N of /dev/tpmN
 * Returns the TPM's end, a file descriptor, or a negative errno of open() or
 * ioctl() on /dev/vtpmx.
 */
int server_open(unsigned int *tpm_num);

/*
 * Serves the TPM of this process on @fd until the kernel or @stop ends it.
 * @log: receives a line per command (see scripted-tpm --help), NULL for none
 * @notify_fd: receives a byte when a command is dropped, -1 for none
 * @stop: an int that a signal handler sets; NULL for none
 * Returns 0 when stopped, -EPIPE when the kernel hung up, or a negative errno.
 */
int server_run(int fd, struct fault_plan *plan, FILE *log, int notify_fd,
	       const volatile int *stop);

#endif
