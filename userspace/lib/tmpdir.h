/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_TMPDIR_H
#define VTF_TMPDIR_H

#include <stddef.h>

/**
 * tmpdir_make() - a private directory (mode 0700) below $TMPDIR, else /tmp
 * @path: receives its path
 * @size: bytes at @path
 *
 * Return: 0, negative errno.
 */
int tmpdir_make(char *path, size_t size);

/* Removes it with the files in it; it has no directories below. */
void tmpdir_remove(const char *path);

#endif
