// SPDX-License-Identifier: GPL-2.0
#include "client.h"
#include "tpm_esys.h"

static int esapi_open(struct client *c, struct vtf_error *err)
{
	c->state = tpm_esys_open(c->target->name, err);
	return c->state ? 0 : -1;
}

static void esapi_close(struct client *c)
{
	tpm_esys_close(c->state);
	c->state = NULL;
}

static int esapi_banks(struct client *c, struct pcr_banks *banks, struct vtf_error *err)
{
	return tpm_esys_banks(c->state, c->pcr, banks, err);
}

static int esapi_prepare(struct client *c)
{
	return tpm_esys_prepare(c->state, c->pcr, c->digests, c->digest_count);
}

static int esapi_extend(struct client *c)
{
	return tpm_esys_extend(c->state);
}

static int esapi_pcr_read(struct client *c, const struct pcr_bank *bank,
			  uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err)
{
	return tpm_esys_pcr_read(c->state, c->pcr, bank, value, err);
}

const struct client_ops client_esapi = {
	.transport = "esapi",
	.open = esapi_open,
	.close = esapi_close,
	.banks = esapi_banks,
	.prepare = esapi_prepare,
	.extend = esapi_extend,
	.pcr_read = esapi_pcr_read,
};
