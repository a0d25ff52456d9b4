/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows a growing measurement list and replays it, entry by entry, in every
 * bank of a PCR, so that "does the PCR hold what the list says" costs only the
 * entries that are new since the last look.
 */
#ifndef VTF_IMA_FOLLOW_H
#define VTF_IMA_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "pcr.h"

#define IMA_BINARY_LIST "/sys/kernel/security/ima/binary_runtime_measurements"
#define IMA_DEFAULT_PCR 10

struct ima_follow;

/**
 * ima_follow_open() - start at the head of a binary measurement list
 * @path:  IMA_BINARY_LIST, or a regular file that may grow
 * @pcr:   entries of other PCRs are counted, but not replayed
 * @banks: banks to replay, at least one
 * @err:   says why not: VTF_EXIT_MISSING if the list is not there or not allowed
 *
 * Return: the follower, NULL on failure.
 */
struct ima_follow *ima_follow_open(const char *path, unsigned int pcr,
				   const struct pcr_banks *banks, struct vtf_error *err);
void ima_follow_close(struct ima_follow *f);

/**
 * ima_follow_update() - read and replay what was appended since the last call
 * @f:   follower
 * @err: VTF_EXIT_VERIFY with entry and byte offset if the list is malformed or
 *       ends inside an entry, VTF_EXIT_INTERNAL if it cannot be read
 *
 * Return: 0, -1; afterwards nothing but closing is possible.
 */
int ima_follow_update(struct ima_follow *f, struct vtf_error *err);

struct ima_follow_counts {
	uint64_t entries;    /* all that were read, of any PCR */
	uint64_t of_pcr;     /* of them for the followed PCR */
	uint64_t violations; /* of them with a zero digest */
	uint64_t bytes;
};

void ima_follow_counts(const struct ima_follow *f, struct ima_follow_counts *counts);

/**
 * ima_follow_value() - the PCR that all entries read so far lead to
 * @f:    follower
 * @bank: index into the banks given to ima_follow_open()
 *
 * Return: banks[bank]->size bytes, valid until the next update.
 */
const uint8_t *ima_follow_value(const struct ima_follow *f, unsigned int bank);

#endif
