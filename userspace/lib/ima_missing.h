/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which entry of a list is not in the PCR: if one extend was lost, the PCR is
 * what the list leads to with that entry left out. Only the newest entries are
 * kept, since every one that is tried costs a replay of those after it.
 */
#ifndef VTF_IMA_MISSING_H
#define VTF_IMA_MISSING_H

#include "ima_replay.h"

#define IMA_MISSING_ENTRIES 4096U

struct ima_missing;

struct ima_missing_found {
	uint64_t number, offset; /* of the entry that was left out */
	uint64_t until; /* number of the entry after which the values are the PCR's */
};

/* For a replay of @banks. Return: NULL without memory. */
struct ima_missing *ima_missing_new(const struct pcr_banks *banks);
/* NULL is fine. */
void ima_missing_free(struct ima_missing *m);

/* After ima_replay_entry() has extended @entry. */
void ima_missing_note(struct ima_missing *m, const struct ima_replay *replay,
		      const struct ima_entry *entry);

/**
 * ima_missing_find() - leave one entry out, the newest first
 * @m:        all entries of the PCR were noted
 * @replay:   lends its hashes
 * @expected: values of the PCR, one for each bank
 * @found:    the only such entry; of several equal ones in a row (violations) the last
 *
 * Eight million extends in one bank at worst: seconds.
 *
 * Return: whether all banks are as after some entry with that one left out.
 */
bool ima_missing_find(const struct ima_missing *m, struct ima_replay *replay,
		      uint8_t expected[][PCR_MAX_DIGEST_BYTES], struct ima_missing_found *found);

#endif
