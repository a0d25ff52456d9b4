// SPDX-License-Identifier: GPL-2.0
#include "tpm_esys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_rc.h>
#include <tss2/tss2_tctildr.h>

#include "client.h"

struct tpm_esys {
	ESYS_CONTEXT *esys;
	TSS2_TCTI_CONTEXT *tcti;
	ESYS_TR pcr;
	TPML_DIGEST_VALUES digests;
	const char *conf; /* for messages */
};

static int open_tcti(struct tpm_esys *t, struct vtf_error *err)
{
	static const char device[] = "device:";
	TSS2_RC rc;

	/* the device TCTI would only say "I/O error" */
	if (!strncmp(t->conf, device, strlen(device)) &&
	    client_check_node(t->conf + strlen(device), err))
		return -1;
	rc = Tss2_TctiLdr_Initialize(t->conf, &t->tcti);
	if (!rc)
		return 0;
	/* the loader's code for "no library of that name can be opened" */
	if ((rc & 0xffff) == TSS2_BASE_RC_NOT_SUPPORTED)
		return vtf_error_set(err, VTF_EXIT_MISSING, "TCTI %s: no such TCTI library: %s",
				     t->conf, Tss2_RC_Decode(rc));
	return vtf_error_set(err, VTF_EXIT_TPM, "TCTI %s: cannot connect: %s", t->conf,
			     Tss2_RC_Decode(rc));
}

struct tpm_esys *tpm_esys_open(const char *conf, struct vtf_error *err)
{
	struct tpm_esys *t = calloc(1, sizeof(*t));
	TSS2_RC rc;

	if (!t) {
		vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
		return NULL;
	}
	t->conf = conf;
	if (open_tcti(t, err))
		goto fail;
	rc = Esys_Initialize(&t->esys, t->tcti, NULL);
	if (rc) {
		vtf_error_set(err, VTF_EXIT_TPM, "Esys_Initialize on %s: %s", conf,
			      Tss2_RC_Decode(rc));
		goto fail;
	}
	return t;
fail:
	tpm_esys_close(t);
	return NULL;
}

void tpm_esys_close(struct tpm_esys *t)
{
	if (!t)
		return;
	if (t->esys)
		Esys_Finalize(&t->esys);
	if (t->tcti)
		Tss2_TctiLdr_Finalize(&t->tcti);
	free(t);
}

/* TPML_PCR_SELECTION of one bank to whether it has the PCR. */
static int is_selected(const TPMS_PCR_SELECTION *s, unsigned int pcr)
{
	return pcr / 8 < s->sizeofSelect && (s->pcrSelect[pcr / 8] >> (pcr % 8) & 1);
}

int tpm_esys_banks(struct tpm_esys *t, unsigned int pcr, struct pcr_banks *banks,
		   struct vtf_error *err)
{
	TPMS_CAPABILITY_DATA *data = NULL;
	const TPML_PCR_SELECTION *list;
	TSS2_RC rc;

	rc = Esys_GetCapability(t->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CAP_PCRS,
				0, 1, NULL, &data);
	if (rc)
		return vtf_error_set(err, VTF_EXIT_TPM, "Esys_GetCapability on %s: %s", t->conf,
				     Tss2_RC_Decode(rc));
	list = &data->data.assignedPCR;
	banks->count = 0;
	for (UINT32 i = 0; i < list->count; i++) {
		const TPMS_PCR_SELECTION *s = &list->pcrSelections[i];
		const struct pcr_bank *bank = pcr_bank_by_alg(s->hash);

		if (bank && is_selected(s, pcr) && banks->count < PCR_MAX_BANKS)
			banks->bank[banks->count++] = bank;
	}
	Esys_Free(data);
	return 0;
}

int tpm_esys_prepare(struct tpm_esys *t, unsigned int pcr, const struct tpm_digest *digests,
		     unsigned int count)
{
	if (!count || count > TPM2_NUM_PCR_BANKS || pcr > 31)
		return -EINVAL;
	t->pcr = ESYS_TR_PCR0 + pcr;
	t->digests.count = count;
	for (unsigned int i = 0; i < count; i++) {
		t->digests.digests[i].hashAlg = digests[i].bank->alg;
		memcpy(&t->digests.digests[i].digest, digests[i].bytes, digests[i].bank->size);
	}
	return 0;
}

/* TSS2_RC, tss2_common.h: bits 16..23 name the layer; TPM and resource manager pass TPM_RCs on. */
static int is_tpm_rc(TSS2_RC rc)
{
	TSS2_RC layer = rc & TSS2_RC_LAYER_MASK;

	return layer == TSS2_TPM_RC_LAYER || layer == TSS2_RESMGR_TPM_RC_LAYER;
}

int tpm_esys_extend(struct tpm_esys *t)
{
	TSS2_RC rc = Esys_PCR_Extend(t->esys, t->pcr, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
				     &t->digests);

	if (!rc)
		return 0;
	return is_tpm_rc(rc) ? (int)(rc & 0xffff) : -EIO;
}

int tpm_esys_pcr_read(struct tpm_esys *t, unsigned int pcr, const struct pcr_bank *bank,
		      uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err)
{
	TPML_PCR_SELECTION select = {
		.count = 1,
		.pcrSelections[0] = { .hash = bank->alg, .sizeofSelect = 3 },
	};
	TPML_DIGEST *values = NULL;
	TSS2_RC rc;
	int ret = 0;

	select.pcrSelections[0].pcrSelect[pcr / 8] = (BYTE)(1U << (pcr % 8));
	rc = Esys_PCR_Read(t->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &select, NULL, NULL,
			   &values);
	if (rc)
		return vtf_error_set(err, VTF_EXIT_TPM, "Esys_PCR_Read on %s: %s", t->conf,
				     Tss2_RC_Decode(rc));
	if (values->count == 1 && values->digests[0].size == bank->size)
		memcpy(value, values->digests[0].buffer, bank->size);
	else
		ret = vtf_error_set(err, VTF_EXIT_TPM,
				    "Esys_PCR_Read on %s: no value of PCR %u in bank %s", t->conf,
				    pcr, bank->name);
	Esys_Free(values);
	return ret;
}
