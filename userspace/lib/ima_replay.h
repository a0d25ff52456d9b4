/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the entries of a measurement list make of a PCR, in several banks, one
 * entry after the other.
 *
 * Source: Linux 6.12, ima_calc_field_array_hash() and ima_add_template_entry():
 * a bank is extended with the hash of the entry's data in the bank's own
 * algorithm, and with ones for a violation. If the kernel lacks the algorithm,
 * it is the sha1, padded with zeros, and twenty bytes of ones.
 */
#ifndef VTF_IMA_REPLAY_H
#define VTF_IMA_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "ima_list.h"
#include "pcr.h"

struct ima_replay;

/**
 * ima_replay_new() - a PCR at its reset value
 * @banks:  banks to replay; 0 is fine, then only digests are checked
 * @padded: bit i: banks->bank[i] gets the padded sha1
 * @list:   algorithm of the template digests in the list
 * @err:    VTF_EXIT_INTERNAL if OpenSSL lacks an algorithm or memory
 *
 * Return: the replay, NULL on failure.
 */
struct ima_replay *ima_replay_new(const struct pcr_banks *banks, unsigned int padded,
				  const struct pcr_bank *list, struct vtf_error *err);
void ima_replay_free(struct ima_replay *r);

/**
 * ima_replay_entry() - check the digest of an entry, and extend
 * @r:      replay
 * @entry:  from ima_list_next()
 * @extend: false: only check; the entry is of another PCR
 * @err:    VTF_EXIT_VERIFY with the entry's position if its digest is not the
 *          hash of its data; VTF_EXIT_INTERNAL if OpenSSL fails
 *
 * Return: 0, -1.
 */
int ima_replay_entry(struct ima_replay *r, const struct ima_entry *entry, bool extend,
		     struct vtf_error *err);

/* The PCR's present value in bank @bank: banks->bank[bank]->size bytes. */
const uint8_t *ima_replay_value(const struct ima_replay *r, unsigned int bank);
/* Its value before the last entry that was extended, and the digest of that. */
const uint8_t *ima_replay_before(const struct ima_replay *r, unsigned int bank);
const uint8_t *ima_replay_digest(const struct ima_replay *r, unsigned int bank);

/* One extend in the algorithm of bank @bank that leaves the replay as it is. Return: whether it worked. */
bool ima_replay_step(struct ima_replay *r, unsigned int bank, uint8_t *value,
		     const uint8_t *digest);

#endif
