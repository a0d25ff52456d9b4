// SPDX-License-Identifier: GPL-2.0
#include "tpm.h"

#include <errno.h>
#include <libtpms/tpm_error.h>
#include <libtpms/tpm_library.h>
#include <libtpms/tpm_memory.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NVRAM_ENTRIES = 4, NVRAM_NAME_BYTES = 32 };

static struct {
	char name[NVRAM_NAME_BYTES];
	unsigned char *data;
	uint32_t length;
} nvram[NVRAM_ENTRIES];

static uint8_t current_locality;

static int nvram_find(const char *name)
{
	for (int i = 0; i < NVRAM_ENTRIES; i++)
		if (!strcmp(nvram[i].name, name))
			return i;
	return -1;
}

static TPM_RESULT nvram_init(void)
{
	return TPM_SUCCESS;
}

static TPM_RESULT nvram_load(unsigned char **data, uint32_t *length,
			     uint32_t tpm_number, const char *name)
{
	int i = nvram_find(name);

	(void)tpm_number;
	if (i < 0)
		return TPM_RETRY; /* libtpms' word for 'there is none' */
	if (TPM_Malloc(data, nvram[i].length))
		return TPM_FAIL;
	memcpy(*data, nvram[i].data, nvram[i].length);
	*length = nvram[i].length;
	return TPM_SUCCESS;
}

static TPM_RESULT nvram_store(const unsigned char *data, uint32_t length,
			      uint32_t tpm_number, const char *name)
{
	int i = nvram_find(name);
	unsigned char *copy;

	(void)tpm_number;
	if (i < 0)
		i = nvram_find("");
	if (i < 0 || strlen(name) >= NVRAM_NAME_BYTES)
		return TPM_FAIL;
	copy = malloc(length);
	if (!copy)
		return TPM_FAIL;
	memcpy(copy, data, length);
	free(nvram[i].data);
	nvram[i].data = copy;
	nvram[i].length = length;
	memcpy(nvram[i].name, name, strlen(name) + 1);
	return TPM_SUCCESS;
}

static TPM_RESULT nvram_delete(uint32_t tpm_number, const char *name,
			       TPM_BOOL must_exist)
{
	int i = nvram_find(name);

	(void)tpm_number;
	if (i < 0)
		return must_exist ? TPM_FAIL : TPM_SUCCESS;
	free(nvram[i].data);
	memset(&nvram[i], 0, sizeof(nvram[i]));
	return TPM_SUCCESS;
}

static TPM_RESULT io_init(void)
{
	return TPM_SUCCESS;
}

static TPM_RESULT io_locality(TPM_MODIFIER_INDICATOR *locality,
			      uint32_t tpm_number)
{
	(void)tpm_number;
	*locality = current_locality;
	return TPM_SUCCESS;
}

static TPM_RESULT io_presence(TPM_BOOL *present, uint32_t tpm_number)
{
	(void)tpm_number;
	*present = false;
	return TPM_SUCCESS;
}

static struct libtpms_callbacks callbacks = {
	.sizeOfStruct = sizeof(callbacks),
	.tpm_nvram_init = nvram_init,
	.tpm_nvram_loaddata = nvram_load,
	.tpm_nvram_storedata = nvram_store,
	.tpm_nvram_deletename = nvram_delete,
	.tpm_io_init = io_init,
	.tpm_io_getlocality = io_locality,
	.tpm_io_getphysicalpresence = io_presence,
};

void tpm_set_locality(uint8_t locality)
{
	current_locality = locality;
}

size_t tpm_bare_response(uint8_t *response, uint32_t rc)
{
	response[0] = 0x80; /* TPM_ST_NO_SESSIONS */
	response[1] = 0x01;
	be32_write(response + 2, TPM_HEADER_BYTES);
	be32_write(response + 6, rc);
	return TPM_HEADER_BYTES;
}

int tpm_execute(const uint8_t *command, size_t command_bytes, uint8_t *response)
{
	/* libtpms allocates this once and keeps it */
	static unsigned char *buffer;
	static uint32_t buffer_bytes;
	static uint8_t copy[TPM_BUFFER_BYTES];
	uint32_t response_bytes = 0;

	if (command_bytes > sizeof(copy))
		return -EIO;
	memcpy(copy, command, command_bytes);
	if (TPMLIB_Process(&buffer, &response_bytes, &buffer_bytes, copy,
			   (uint32_t)command_bytes) ||
	    response_bytes > TPM_BUFFER_BYTES)
		return -EIO;
	memcpy(response, buffer, response_bytes);
	return (int)response_bytes;
}

static const struct {
	const char *name;
	uint16_t alg;
} bank_table[] = {
	{ "sha1", 0x0004 },
	{ "sha256", 0x000b },
	{ "sha384", 0x000c },
	{ "sha512", 0x000d },
};

enum { BANKS = sizeof(bank_table) / sizeof(bank_table[0]) };

/* A bit for each bank of bank_table named in @banks */
static int parse_banks(const char *banks, unsigned int *mask)
{
	*mask = 0;
	while (*banks) {
		size_t len = strcspn(banks, ",");
		unsigned int i;

		for (i = 0; i < BANKS; i++)
			if (strlen(bank_table[i].name) == len &&
			    strncmp(banks, bank_table[i].name, len) == 0)
				break;
		if (i == BANKS)
			return -EINVAL;
		*mask |= 1u << i;
		banks += len;
		if (*banks)
			banks++;
	}
	return *mask ? 0 : -EINVAL;
}

/* Part 3, 22.5: TPM2_PCR_Allocate, authorised by the platform's empty password */
static int allocate_banks(unsigned int mask)
{
	static const uint8_t head[] = {
		0x80, 0x02, 0, 0, 0, 0, 0, 0, 0x01, 0x2b,
		0x40, 0, 0, 0x0c, /* TPM_RH_PLATFORM */
		0, 0, 0, 9, 0x40, 0, 0, 0x09, 0, 0, 0, 0, 0, /* TPM_RS_PW */
		0, 0, 0, BANKS,
	};
	/* where its success byte is: header, parameter size, TPMI_YES_NO */
	enum { ALLOCATION_SUCCESS = TPM_HEADER_BYTES + 4 };
	uint8_t command[sizeof(head) + (size_t)BANKS * 6], response[TPM_BUFFER_BYTES];
	uint8_t *p = command + sizeof(head);
	int size;

	memcpy(command, head, sizeof(head));
	for (unsigned int i = 0; i < BANKS; i++) {
		*p++ = (uint8_t)(bank_table[i].alg >> 8);
		*p++ = (uint8_t)bank_table[i].alg;
		*p++ = 3;
		memset(p, mask >> i & 1 ? 0xff : 0, 3);
		p += 3;
	}
	be32_write(command + 2, sizeof(command));
	size = tpm_execute(command, sizeof(command), response);
	if (size <= ALLOCATION_SUCCESS || be32_read(response + 6) ||
	    !response[ALLOCATION_SUCCESS])
		return -EIO;
	return 0;
}

static int startup_or_shutdown(uint8_t code)
{
	/* both with TPM_SU_CLEAR */
	const uint8_t command[] = { 0x80, 0x01, 0, 0, 0, 12, 0, 0, 1, code, 0, 0 };
	uint8_t response[TPM_BUFFER_BYTES];
	int size = tpm_execute(command, sizeof(command), response);

	return size < TPM_HEADER_BYTES || be32_read(response + 6) ? -EIO : 0;
}

int tpm_start_up(void)
{
	static const uint8_t self_test[] = { 0x80, 0x01, 0, 0, 0, 11,
					     0, 0, 0x01, 0x43, 1 };
	uint8_t response[TPM_BUFFER_BYTES];
	int size, rc = startup_or_shutdown(0x44);

	if (rc)
		return rc;
	size = tpm_execute(self_test, sizeof(self_test), response);
	return size < TPM_HEADER_BYTES || be32_read(response + 6) ? -EIO : 0;
}

int tpm_make(const char *banks)
{
	unsigned int mask;
	int rc = parse_banks(banks, &mask);

	if (rc)
		return rc;
	if (TPMLIB_ChooseTPMVersion(TPMLIB_TPM_VERSION_2) ||
	    TPMLIB_RegisterCallbacks(&callbacks) || TPMLIB_MainInit())
		return -EIO;
	/* an allocation counts from the next power-on */
	rc = startup_or_shutdown(0x44);
	if (!rc)
		rc = allocate_banks(mask);
	if (!rc)
		rc = startup_or_shutdown(0x45);
	if (rc)
		return rc;
	TPMLIB_Terminate();
	return TPMLIB_MainInit() ? -EIO : 0;
}
