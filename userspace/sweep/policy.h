/* SPDX-License-Identifier: GPL-2.0 */
/* IMA's policy: filling in a file system's UUID, loading, advice. */
#ifndef VTF_POLICY_H
#define VTF_POLICY_H

#include "lib/error.h"

#define POLICY_FSUUID "@FSUUID@"
#define POLICY_MAX_BYTES 65536

/**
 * policy_fill() - replace every @FSUUID@
 * @text:   policy
 * @fsuuid: "" if not known
 *
 * Return: new text, to be freed; NULL with errno EINVAL if the policy wants a
 * UUID and there is none, ENOMEM.
 */
char *policy_fill(const char *text, const char *fsuuid);

/**
 * policy_read() - a policy file
 *
 * Return: its text, to be freed; NULL with @err set (VTF_EXIT_USAGE).
 */
char *policy_read(const char *path, struct vtf_error *err);

/**
 * policy_load() - hand a policy to IMA
 * @text: rules, one a line
 * @path: IMA's policy file, NULL for the usual one
 *
 * The rules take effect together or not at all, and stay until the next boot.
 *
 * Return: 0, -1 with @err set: VTF_EXIT_MISSING if this kernel takes none (any
 * more), VTF_EXIT_USAGE with the line if it refuses one.
 */
int policy_load(const char *text, const char *path, struct vtf_error *err);

#endif
