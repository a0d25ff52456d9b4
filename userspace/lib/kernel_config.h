/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_KERNEL_CONFIG_H
#define VTF_KERNEL_CONFIG_H

#include <stddef.h>

#define KERNEL_CONFIG_MAX (4UL << 20)

/**
 * kernel_config_text() - configuration of the running kernel, uncompressed
 * @text: receives a NUL-terminated text, which stays valid; not to be freed
 * @len:  bytes without the NUL
 *
 * From /proc/config.gz, else /boot/config-RELEASE; read once. Not for threads.
 *
 * Return: 0, -ENOENT if neither is there, -ENOMEM, -EIO.
 */
int kernel_config_text(const char **text, size_t *len);

#endif
