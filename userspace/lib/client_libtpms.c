// SPDX-License-Identifier: GPL-2.0
/*
 * libtpms in this process: what the TPM itself costs, without any transport.
 * Its non-volatile state is kept in memory and goes with the process.
 */
#include <errno.h>
#include <libtpms/tpm_error.h>
#include <libtpms/tpm_library.h>
#include <libtpms/tpm_nvfilename.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

#define MAX_BLOBS 8

/* libtpms has one TPM per process and callbacks without a context: hence static. */
static struct blob {
	char name[64];
	unsigned char *data;
	uint32_t len;
} blobs[MAX_BLOBS];

static struct blob *find_blob(const char *name)
{
	for (size_t i = 0; i < MAX_BLOBS; i++)
		if (!strcmp(blobs[i].name, name))
			return &blobs[i];
	return NULL;
}

static TPM_RESULT nothing_to_do(void)
{
	return TPM_SUCCESS;
}

/* TPM_RETRY is libtpms' word for "no such data", after which it makes a new TPM. */
static TPM_RESULT load(unsigned char **data, uint32_t *length, uint32_t tpm_number,
		       const char *name)
{
	const struct blob *b = find_blob(name);

	(void)tpm_number;
	if (!b || !b->data)
		return TPM_RETRY;
	*data = malloc(b->len); /* libtpms frees it */
	if (!*data)
		return TPM_FAIL;
	memcpy(*data, b->data, b->len);
	*length = b->len;
	return TPM_SUCCESS;
}

static TPM_RESULT store(const unsigned char *data, uint32_t length, uint32_t tpm_number,
			const char *name)
{
	struct blob *b = find_blob(name);
	unsigned char *copy;

	(void)tpm_number;
	if (!b)
		b = find_blob("");
	if (!b || strlen(name) >= sizeof(b->name))
		return TPM_FAIL;
	copy = malloc(length ? length : 1);
	if (!copy)
		return TPM_FAIL;
	memcpy(copy, data, length);
	free(b->data);
	b->data = copy;
	b->len = length;
	strcpy(b->name, name); // NOLINT(clang-analyzer-security.insecureAPI.strcpy): length checked
	return TPM_SUCCESS;
}

static TPM_RESULT delete_name(uint32_t tpm_number, const char *name, TPM_BOOL must_exist)
{
	struct blob *b = find_blob(name);

	(void)tpm_number;
	if (!b || !*name)
		return must_exist ? TPM_FAIL : TPM_SUCCESS;
	free(b->data);
	memset(b, 0, sizeof(*b));
	return TPM_SUCCESS;
}

static TPM_RESULT locality(TPM_MODIFIER_INDICATOR *value, uint32_t tpm_number)
{
	(void)tpm_number;
	*value = 0;
	return TPM_SUCCESS;
}

static TPM_RESULT physical_presence(TPM_BOOL *value, uint32_t tpm_number)
{
	(void)tpm_number;
	*value = 0;
	return TPM_SUCCESS;
}

/* The response buffer that TPMLIB_Process() grows as it needs. */
struct process_buffer {
	unsigned char *bytes;
	uint32_t size; /* of the response */
	uint32_t room;
};

static int libtpms_open(struct client *c, struct vtf_error *err)
{
	struct libtpms_callbacks callbacks = {
		.sizeOfStruct = sizeof(callbacks),
		.tpm_nvram_init = nothing_to_do,
		.tpm_nvram_loaddata = load,
		.tpm_nvram_storedata = store,
		.tpm_nvram_deletename = delete_name,
		.tpm_io_init = nothing_to_do,
		.tpm_io_getlocality = locality,
		.tpm_io_getphysicalpresence = physical_presence,
	};
	TPM_RESULT rc;

	c->state = calloc(1, sizeof(struct process_buffer));
	if (!c->state)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	rc = TPMLIB_ChooseTPMVersion(TPMLIB_TPM_VERSION_2);
	if (!rc)
		rc = TPMLIB_RegisterCallbacks(&callbacks);
	if (!rc)
		rc = TPMLIB_MainInit();
	if (rc)
		return vtf_error_set(err, VTF_EXIT_TPM, "libtpms does not start: 0x%x", rc);
	c->fd = 0; /* no descriptor: says that MainInit was done */
	return client_raw_startup(c, err);
}

static void libtpms_close(struct client *c)
{
	struct process_buffer *b = c->state;

	if (c->fd >= 0)
		TPMLIB_Terminate();
	c->fd = -1;
	if (b)
		free(b->bytes);
	free(b);
	c->state = NULL;
	for (size_t i = 0; i < MAX_BLOBS; i++)
		free(blobs[i].data);
	memset(blobs, 0, sizeof(blobs));
}

static ssize_t libtpms_transmit(struct client *c, const struct tpm_command *cmd, uint8_t *response,
				size_t size)
{
	struct process_buffer *b = c->state;
	/* the parameter lacks a const, but the command is only read */
	const union {
		const uint8_t *ours;
		unsigned char *theirs;
	} bytes = { .ours = cmd->bytes };

	b->size = 0;
	if (TPMLIB_Process(&b->bytes, &b->size, &b->room, bytes.theirs, (uint32_t)cmd->len))
		return -EIO;
	if (b->size > size)
		return -EPROTO;
	memcpy(response, b->bytes, b->size);
	return (ssize_t)b->size;
}

const struct client_ops client_libtpms = {
	.transport = "in-process",
	.open = libtpms_open,
	.close = libtpms_close,
	.banks = client_raw_banks,
	.prepare = client_raw_prepare,
	.extend = client_raw_extend,
	.pcr_read = client_raw_pcr_read,
	.transmit = libtpms_transmit,
};
