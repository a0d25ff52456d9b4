/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sysfs says about TPM chips. A stock kernel lacks the completion files:
 * that is -ENOENT here, never an error for the user by itself.
 *
 * Environment VTPMFAST_SYSFS replaces "/sys" (tests).
 */
#ifndef VTF_SYSFS_H
#define VTF_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define SYSFS_CHIP_BYTES 16
#define SYSFS_MODE_BYTES 16

/* Counters of completion_stats since the chip was registered. */
struct sysfs_stats {
	uint64_t commands, looks, sleeps, wakeups, timeouts, cancels;
};

/* "/sys", or what VTPMFAST_SYSFS says. */
const char *sysfs_root(void);

/**
 * sysfs_read() - first line of a file under sysfs, without the newline
 * @value: buffer of @size bytes
 * @fmt:   path below sysfs_root(), e.g. "class/tpm/%s/virtual"
 *
 * Return: 0, negative errno (-ENOENT: there is no such file).
 */
int sysfs_read(char *value, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * sysfs_chips() - names of the registered chips, lowest number first
 * @chips: array of @max names
 *
 * Return: number of chips found (at most @max), negative errno.
 */
int sysfs_chips(char (*chips)[SYSFS_CHIP_BYTES], size_t max);

/**
 * sysfs_chip_of_node() - which chip a device node belongs to
 * @node: "/dev/tpm0", "/dev/tpmrm0"
 * @chip: receives "tpm0"
 *
 * Return: 0, -EINVAL if the name is not one of the kernel's TPM nodes.
 */
int sysfs_chip_of_node(const char *node, char chip[SYSFS_CHIP_BYTES]);

/**
 * sysfs_chip_driver() - the driver behind a chip
 * @chip:   "tpm0"
 * @driver: receives "vtpm_proxy", "tpm_crb", "tpm_tis", ...
 * @size:   bytes at @driver
 *
 * A chip without a parent device is a vtpm_proxy chip: no other driver makes one.
 *
 * Return: 0, negative errno.
 */
int sysfs_chip_driver(const char *chip, char *driver, size_t size);

/**
 * sysfs_chip_banks() - banks with PCR files, joined with '+': "sha1+sha256"
 *
 * Return: number of banks, negative errno.
 */
int sysfs_chip_banks(const char *chip, char *banks, size_t size);

/* completion_mode, completion_mode_effective: 0, -ENOENT on a stock kernel, other negative errno. */
int sysfs_mode_get(const char *chip, char mode[SYSFS_MODE_BYTES]);
int sysfs_mode_effective(const char *chip, char mode[SYSFS_MODE_BYTES]);

/**
 * sysfs_mode_set() - switch the completion mode
 * @chip: "tpm0"
 * @mode: stock, usleep, adaptive, event, auto
 * @err:  says why not: VTF_EXIT_MISSING for a stock kernel, no permission or a mode that the chip cannot do
 *
 * Return: 0, negative errno.
 */
int sysfs_mode_set(const char *chip, const char *mode, struct vtf_error *err);

/* True for the words that completion_mode knows. */
bool sysfs_mode_valid(const char *mode);

/* completion_stats: 0, -ENOENT on a stock kernel, other negative errno. */
int sysfs_stats_get(const char *chip, struct sysfs_stats *stats);

#endif
