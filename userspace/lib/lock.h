/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_LOCK_H
#define VTF_LOCK_H

#include "error.h"

/**
 * lock_tpm() - make sure that no other vtpmfast measures the same TPM
 * @name: chip or target
 * @err:  VTF_EXIT_TPM if another one does
 *
 * Two at once would spoil each other's figures, and each other's PCR check.
 * The lock is a socket in Linux's abstract name space, so it ends with this
 * process however it ends, needs no file, and does not wait.
 *
 * Return: a descriptor to close at the end, negative.
 */
int lock_tpm(const char *name, struct vtf_error *err);

#endif
