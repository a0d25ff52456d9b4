// SPDX-License-Identifier: GPL-2.0
#include "ima_missing.h"

#include <stdlib.h>
#include <string.h>

/* What an entry did to one bank. */
struct step {
	uint8_t before[PCR_MAX_DIGEST_BYTES];
	uint8_t digest[PCR_MAX_DIGEST_BYTES];
};

struct ima_missing {
	struct pcr_banks banks;
	uint64_t noted; /* entries, of which the ring below has the newest */
	struct {
		uint64_t number, offset;
	} entry[IMA_MISSING_ENTRIES];
	struct step step[]; /* of the first slot in each bank, of the second, ... */
};

static size_t slot(uint64_t i)
{
	return i % IMA_MISSING_ENTRIES;
}

/* What the noted entry @i, counted from 0, did to @bank. */
static const struct step *step(const struct ima_missing *m, uint64_t i, unsigned int bank)
{
	return &m->step[slot(i) * m->banks.count + bank];
}

struct ima_missing *ima_missing_new(const struct pcr_banks *banks)
{
	struct ima_missing *m = calloc(1, sizeof(*m) + sizeof(struct step) * banks->count *
						  IMA_MISSING_ENTRIES);

	if (m)
		m->banks = *banks;
	return m;
}

void ima_missing_free(struct ima_missing *m)
{
	free(m);
}

void ima_missing_note(struct ima_missing *m, const struct ima_replay *replay,
		      const struct ima_entry *entry)
{
	struct step *to = &m->step[slot(m->noted) * m->banks.count];

	for (unsigned int i = 0; i < m->banks.count; i++) {
		memcpy(to[i].before, ima_replay_before(replay, i), PCR_MAX_DIGEST_BYTES);
		memcpy(to[i].digest, ima_replay_digest(replay, i), PCR_MAX_DIGEST_BYTES);
	}
	m->entry[slot(m->noted)].number = entry->number;
	m->entry[slot(m->noted)].offset = entry->offset;
	m->noted++;
}

/*
 * Replays @bank without entry @left_out. Return: the entry, before @end, after
 * which the value is @expected; @end if there is none.
 */
static uint64_t replay_without(const struct ima_missing *m, struct ima_replay *replay,
			       unsigned int bank, uint64_t left_out, uint64_t end,
			       const uint8_t *expected)
{
	unsigned int size = m->banks.bank[bank]->size;
	uint8_t value[PCR_MAX_DIGEST_BYTES];

	memcpy(value, step(m, left_out, bank)->before, size);
	for (uint64_t i = left_out + 1; i < end; i++) {
		if (!ima_replay_step(replay, bank, value, step(m, i, bank)->digest))
			break;
		if (!memcmp(value, expected, size))
			return i;
	}
	return end;
}

static bool all_banks(const struct ima_missing *m, struct ima_replay *replay, uint64_t left_out,
		      uint64_t until, uint8_t expected[][PCR_MAX_DIGEST_BYTES])
{
	for (unsigned int i = 1; i < m->banks.count; i++)
		if (replay_without(m, replay, i, left_out, until + 1, expected[i]) != until)
			return false;
	return true;
}

bool ima_missing_find(const struct ima_missing *m, struct ima_replay *replay,
		      uint8_t expected[][PCR_MAX_DIGEST_BYTES], struct ima_missing_found *found)
{
	uint64_t oldest = m->noted > IMA_MISSING_ENTRIES ? m->noted - IMA_MISSING_ENTRIES : 0;

	/* without the last one the list is only shorter, and was compared so */
	for (uint64_t i = m->noted; i-- > oldest;) {
		uint64_t until = replay_without(m, replay, 0, i, m->noted, expected[0]);

		if (until == m->noted || !all_banks(m, replay, i, until, expected))
			continue;
		found->number = m->entry[slot(i)].number;
		found->offset = m->entry[slot(i)].offset;
		found->until = m->entry[slot(until)].number;
		return true;
	}
	return false;
}
