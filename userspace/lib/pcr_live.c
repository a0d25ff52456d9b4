// SPDX-License-Identifier: GPL-2.0
#include "pcr_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"

/* Together some seconds, for a machine that measures without pause. */
#define ATTEMPTS 400
#define PAUSE_NS (5 * NS_PER_MS)

struct reading {
	uint8_t value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
};

static int choose_banks(struct client *c, const struct pcr_banks *asked, struct pcr_banks *banks,
			struct vtf_error *err)
{
	struct pcr_banks active = { .count = 0 };

	if (c->target->ops->banks(c, &active, err))
		return -1;
	*banks = asked->count ? *asked : active;
	for (unsigned int i = 0; i < banks->count; i++)
		if (!pcr_banks_have(&active, banks->bank[i]))
			return vtf_error_set(err, VTF_EXIT_VERIFY,
					     "nothing to compare: %s has no PCR %u in bank %s",
					     c->target->name, c->pcr, banks->bank[i]->name);
	return 0;
}

/* Return: 1 if all values are of one moment, 0 if not, -1. */
static int read_once(struct client *c, const struct pcr_banks *banks, struct reading *r,
		     struct vtf_error *err)
{
	uint8_t again[PCR_MAX_DIGEST_BYTES];

	for (unsigned int i = 0; i < banks->count; i++)
		if (c->target->ops->pcr_read(c, banks->bank[i], r->value[i], err))
			return -1;
	if (banks->count < 2)
		return 1;
	if (c->target->ops->pcr_read(c, banks->bank[0], again, err))
		return -1;
	return !memcmp(again, r->value[0], banks->bank[0]->size);
}

static int read_all(struct client *c, const struct pcr_banks *asked, struct pcr_table *t,
		    struct vtf_error *err)
{
	struct pcr_banks banks;
	struct reading r;
	int rc = 0;

	if (choose_banks(c, asked, &banks, err))
		return -1;
	for (int i = 0; !rc && i < ATTEMPTS; i++) {
		if (i)
			clock_sleep_until(clock_now_ns() + PAUSE_NS);
		rc = read_once(c, &banks, &r, err);
	}
	if (!rc)
		return vtf_error_set(err, VTF_EXIT_TPM,
				     "PCR %u on %s changes too fast to read %u banks at one moment; "
				     "name one with --banks", c->pcr, c->target->name, banks.count);
	for (unsigned int i = 0; rc > 0 && i < banks.count; i++)
		pcr_table_set(t, banks.bank[i], c->pcr, r.value[i]);
	return rc < 0 ? -1 : 0;
}

int pcr_live_read(const char *device, const char *tcti, unsigned int pcr,
		  const struct pcr_banks *banks, struct pcr_table *t, struct vtf_error *err)
{
	struct client_target target = { .ops = device || !tcti ? &client_device : &client_esapi };
	const char *name = device ? device : tcti;
	struct client *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	if (!name)
		name = access("/dev/tpmrm0", F_OK) && !access("/dev/tpm0", F_OK) ? "/dev/tpm0" :
										   "/dev/tpmrm0";
	if (strlen(name) >= sizeof(target.name)) {
		free(c);
		return vtf_error_set(err, VTF_EXIT_USAGE, "name of the TPM too long");
	}
	snprintf(target.name, sizeof(target.name), "%s", name);
	c->target = &target;
	c->pcr = pcr;
	c->fd = -1;
	rc = target.ops->open(c, err);
	if (!rc) {
		rc = read_all(c, banks, t, err);
		target.ops->close(c);
	}
	free(c);
	return rc;
}
