// SPDX-License-Identifier: GPL-2.0
/* Raw commands: what transports with a transmit() share, and the device node. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

/* Sends a command whose failure ends the client. Return: length of the response, negative. */
static ssize_t transmit_checked(struct client *c, const struct tpm_command *cmd, const char *what,
				struct vtf_error *err)
{
	ssize_t len = c->target->ops->transmit(c, cmd, c->response, sizeof(c->response));
	int64_t code;

	if (len < 0)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s on %s: no answer: %s", what,
				     c->target->name, strerror((int)-len));
	code = tpm_response_code(c->response, (size_t)len);
	if (code < 0)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s on %s: not an answer of a TPM 2.0",
				     what, c->target->name);
	if (code)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s on %s: the TPM refuses with 0x%03x",
				     what, c->target->name, (unsigned int)code);
	return len;
}

int client_raw_banks(struct client *c, struct pcr_banks *banks, struct vtf_error *err)
{
	struct tpm_command cmd;
	ssize_t len;

	tpm_encode_get_banks(&cmd);
	len = transmit_checked(c, &cmd, "TPM2_GetCapability", err);
	if (len < 0)
		return -1;
	if (tpm_decode_banks(c->response, (size_t)len, c->pcr, banks))
		return vtf_error_set(err, VTF_EXIT_TPM,
				     "TPM2_GetCapability on %s: malformed list of banks",
				     c->target->name);
	return 0;
}

int client_raw_prepare(struct client *c)
{
	if (!c->digest_count || c->digest_count > TPM_MAX_DIGESTS)
		return -EINVAL;
	tpm_encode_pcr_extend(&c->extend, c->pcr, c->digests, c->digest_count);
	return 0;
}

int client_raw_extend(struct client *c)
{
	ssize_t len = c->target->ops->transmit(c, &c->extend, c->response, sizeof(c->response));

	if (len < 0)
		return (int)len;
	return (int)tpm_response_code(c->response, (size_t)len);
}

int client_raw_pcr_read(struct client *c, const struct pcr_bank *bank,
			uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err)
{
	struct tpm_command cmd;
	ssize_t len;

	tpm_encode_pcr_read(&cmd, c->pcr, bank);
	len = transmit_checked(c, &cmd, "TPM2_PCR_Read", err);
	if (len < 0)
		return -1;
	if (tpm_decode_pcr_read(c->response, (size_t)len, bank, value, NULL))
		return vtf_error_set(err, VTF_EXIT_TPM,
				     "TPM2_PCR_Read on %s: no value of PCR %u in bank %s",
				     c->target->name, c->pcr, bank->name);
	return 0;
}

int client_raw_startup(struct client *c, struct vtf_error *err)
{
	struct tpm_command cmd;
	int64_t code;
	ssize_t len;

	tpm_encode_startup(&cmd);
	len = c->target->ops->transmit(c, &cmd, c->response, sizeof(c->response));
	if (len < 0)
		return vtf_error_set(err, VTF_EXIT_TPM, "TPM2_Startup on %s: no answer: %s",
				     c->target->name, strerror((int)-len));
	code = tpm_response_code(c->response, (size_t)len);
	/* Part 3, 9.3: TPM_RC_INITIALIZE means that it has been started before */
	if (!code || code == TPM_RC_INITIALIZE)
		return 0;
	return vtf_error_set(err, VTF_EXIT_TPM, "TPM2_Startup on %s: the TPM refuses with 0x%03x",
			     c->target->name, (unsigned int)code);
}

int client_open_node(const char *node, struct vtf_error *err)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);
	int reason = errno;

	if (fd >= 0)
		return fd;
	switch (reason) {
	case EBUSY:
		vtf_error_set(err, VTF_EXIT_TPM,
			      "open %s: %s: another program has it, and only one can; use "
			      "/dev/tpmrm0 (any number of clients), or end that program",
			      node, strerror(reason));
		break;
	case ENOENT:
	case ENODEV:
	case ENXIO:
		vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s: there is no such TPM here", node,
			      strerror(reason));
		break;
	case EACCES:
	case EPERM:
		vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s: be root or in the group tss",
			      node, strerror(reason));
		break;
	default:
		vtf_error_set(err, VTF_EXIT_TPM, "open %s: %s", node, strerror(reason));
	}
	return -reason;
}

int client_check_node(const char *node, struct vtf_error *err)
{
	int fd = client_open_node(node, err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int device_open(struct client *c, struct vtf_error *err)
{
	c->fd = client_open_node(c->target->name, err);
	return c->fd < 0 ? -1 : 0;
}

static void device_close(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static ssize_t device_transmit(struct client *c, const struct tpm_command *cmd, uint8_t *response,
			       size_t size)
{
	return tpm_fd_transmit(c->fd, cmd, response, size);
}

const struct client_ops client_device = {
	.transport = "raw",
	.open = device_open,
	.close = device_close,
	.banks = client_raw_banks,
	.prepare = client_raw_prepare,
	.extend = client_raw_extend,
	.pcr_read = client_raw_pcr_read,
	.transmit = device_transmit,
};
