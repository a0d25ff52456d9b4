/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A client of a TPM: one connection over which extends go. All kinds of
 * transport look the same to the measuring loop, so their figures compare.
 *
 * A client belongs to one thread. Nothing of it is ever shared: an ESYS
 * context that two threads use deadlocks or mixes up its sequences.
 */
#ifndef VTF_CLIENT_H
#define VTF_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "pcr.h"
#include "tpm_raw.h"

#define CLIENT_TARGET_BYTES 512

struct client;

struct client_ops {
	const char *transport; /* "raw", "esapi", ... as in results */

	/* Connects. Return: 0, negative; @err says why. */
	int (*open)(struct client *c, struct vtf_error *err);
	void (*close)(struct client *c);

	/* Banks that have the client's PCR. Return: 0, negative; @err says why. */
	int (*banks)(struct client *c, struct pcr_banks *banks, struct vtf_error *err);

	/* Builds the extend from c->digests: 0, negative errno. */
	int (*prepare)(struct client *c);

	/*
	 * One extend command. Return: 0 done; > 0 the TPM_RC with which the TPM
	 * refused, so nothing was extended; < 0 negative errno, and it is not
	 * known whether it was.
	 */
	int (*extend)(struct client *c);

	/* Value of the client's PCR. Return: 0, negative; @err says why. */
	int (*pcr_read)(struct client *c, const struct pcr_bank *bank,
			uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err);

	/* Only for transports that carry raw commands: as tpm_fd_transmit(). */
	ssize_t (*transmit)(struct client *c, const struct tpm_command *cmd, uint8_t *response,
			    size_t size);
};

/* Where a client connects to. */
struct client_target {
	const struct client_ops *ops;
	char name[CLIENT_TARGET_BYTES]; /* device node, TCTI configuration or state directory */
};

struct client {
	const struct client_target *target;
	unsigned int pcr;
	unsigned int digest_count;
	struct tpm_digest digests[TPM_MAX_DIGESTS];
	pid_t tpm_pid; /* TPM process that this client started; 0: none */

	/* for transports only */
	int fd;
	void *state;
	struct tpm_command extend;
	uint8_t response[TPM_MAX_BYTES];
};

/* Raw commands on a device node; the name is the node. */
extern const struct client_ops client_device;
/* TSS2 ESAPI; the name is a configuration for Tss2_TctiLdr_Initialize(). */
extern const struct client_ops client_esapi;
/* libtpms in this process, state in memory; at most one at a time in a process. */
extern const struct client_ops client_libtpms;
/* A swtpm of its own on a socketpair; the name is its state directory, which must exist. */
extern const struct client_ops client_pingpong;

/*
 * The operations that every transport with a transmit() has in common.
 */
int client_raw_banks(struct client *c, struct pcr_banks *banks, struct vtf_error *err);
int client_raw_prepare(struct client *c);
int client_raw_extend(struct client *c);
int client_raw_pcr_read(struct client *c, const struct pcr_bank *bank,
			uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err);
/* TPM2_Startup(CLEAR); a TPM that is already started is fine. */
int client_raw_startup(struct client *c, struct vtf_error *err);

/**
 * client_open_node() - open a TPM device node
 * @node: path
 * @err:  says why not, with advice: VTF_EXIT_MISSING if it is not there or not
 *        allowed, VTF_EXIT_TPM if it is busy or broken
 *
 * Return: file descriptor, negative errno.
 */
int client_open_node(const char *node, struct vtf_error *err);

/* Whether it can be opened now: 0, negative errno with @err as above. */
int client_check_node(const char *node, struct vtf_error *err);

#endif
