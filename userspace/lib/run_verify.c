// SPDX-License-Identifier: GPL-2.0
/*
 * A PCR against the replay of the extends that were counted. All clients
 * extend the same digest, so the value does not depend on their order.
 */
#include <string.h>

#include "run_shared.h"

struct tally {
	uint64_t extends;    /* certainly in the PCR */
	uint64_t unanswered; /* commands that may be in it */
	unsigned int per_command;
};

/* Return: how many unanswered commands the value shows (0 as a rule), -1 if it fits none. */
static int64_t match_bank(const struct pcr_bank *bank, const uint8_t *before, const uint8_t *after,
			  const struct tally *tally)
{
	uint8_t value[PCR_MAX_DIGEST_BYTES], digest[PCR_MAX_DIGEST_BYTES];

	memcpy(value, before, bank->size);
	if (pcr_hash(bank, RUN_EXTEND_TEXT, strlen(RUN_EXTEND_TEXT), digest) ||
	    pcr_replay(bank, value, digest, tally->extends))
		return -1;
	for (uint64_t k = 0; k <= tally->unanswered; k++) {
		if (!memcmp(value, after, bank->size))
			return (int64_t)k;
		if (pcr_replay(bank, value, digest, tally->per_command))
			return -1;
	}
	return -1;
}

static enum run_verdict verify_target(struct run_shared *sh, unsigned int target,
				      uint64_t *despite_error)
{
	const struct run_slot *first = &sh->slot[target];
	struct tally tally = { .per_command = 1 };
	int64_t common = -1;

	if (!first->have_before || !first->have_after || !first->banks.count)
		return RUN_UNVERIFIED;
	if (sh->spec->digests_per_bank)
		tally.per_command = sh->spec->digests_per_bank;
	for (unsigned int i = target; i < sh->spec->clients; i += sh->spec->target_count) {
		tally.extends += sh->slot[i].all * tally.per_command;
		tally.unanswered += sh->slot[i].unanswered;
	}
	for (unsigned int b = 0; b < first->banks.count; b++) {
		int64_t k = match_bank(first->banks.bank[b], first->before[b], first->after[b],
				       &tally);

		/* one command extends all banks, so they must agree on what happened */
		if (k < 0 || (b && k != common))
			return RUN_MISMATCH;
		common = k;
	}
	*despite_error += (uint64_t)common;
	return RUN_VERIFIED;
}

void run_verify(struct run_shared *sh, struct run_result *result)
{
	unsigned int targets = sh->spec->target_count;
	bool all = true;

	if (targets > sh->spec->clients)
		targets = sh->spec->clients;
	result->despite_error = 0;
	for (unsigned int t = 0; t < targets; t++) {
		enum run_verdict v = verify_target(sh, t, &result->despite_error);

		if (v == RUN_MISMATCH) {
			result->verdict = RUN_MISMATCH;
			/* more important than the failed commands before it */
			result->error.code = VTF_EXIT_DONE;
			vtf_error_set(&result->error, VTF_EXIT_VERIFY,
				      "%s: PCR %u is not what the counted extends make of it; does "
				      "another program extend it too?",
				      sh->spec->targets[t].name, sh->spec->pcr);
			return;
		}
		all = all && v == RUN_VERIFIED;
	}
	result->verdict = all ? RUN_VERIFIED : RUN_UNVERIFIED;
}
