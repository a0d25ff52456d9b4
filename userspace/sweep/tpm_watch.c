// SPDX-License-Identifier: GPL-2.0
#include "tpm_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/client.h"
#include "lib/clock.h"
#include "lib/crew.h"
#include "lib/signals.h"
#include "lib/tpm_raw.h"

/* Other users of the TPM may extend between the reads of two banks. */
#define ATTEMPTS 50
#define END_NS (500 * NS_PER_MS)

struct answer {
	struct vtf_error err;
	struct pcr_banks banks;
	struct tpm_reading reading;
};

struct tpm_watch {
	struct crew crew;
	int ours, theirs; /* ends of a socket pair: a byte asks, a struct answer answers */
	char node[64];
	unsigned int pcr;
	double limit_s;
	struct answer last;
};

static int ask_tpm(int fd, const struct tpm_watch *w, const struct tpm_command *cmd,
		   uint8_t *response, struct vtf_error *err)
{
	ssize_t n = tpm_fd_transmit(fd, cmd, response, TPM_MAX_BYTES);
	int64_t code;

	if (n < 0)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: no answer: %s", w->node,
				     strerror((int)-n));
	code = tpm_response_code(response, (size_t)n);
	if (code)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: the TPM refuses to show PCR %u: 0x%llx",
				     w->node, w->pcr, (unsigned long long)code);
	return (int)n;
}

static int find_banks(int fd, const struct tpm_watch *w, struct answer *a)
{
	uint8_t response[TPM_MAX_BYTES];
	struct tpm_command cmd;
	int n;

	tpm_encode_get_banks(&cmd);
	n = ask_tpm(fd, w, &cmd, response, &a->err);
	if (n < 0)
		return -1;
	if (tpm_decode_banks(response, (size_t)n, w->pcr, &a->banks) || !a->banks.count)
		return vtf_error_set(&a->err, VTF_EXIT_TPM, "%s: PCR %u is in no active bank",
				     w->node, w->pcr);
	return 0;
}

/* Return: 1 if the values are of one moment, 0 if not, -1. */
static int read_once(int fd, const struct tpm_watch *w, struct answer *a)
{
	uint8_t response[TPM_MAX_BYTES];
	struct tpm_command cmd;
	uint32_t updates;

	for (unsigned int i = 0; i < a->banks.count; i++) {
		int n;

		tpm_encode_pcr_read(&cmd, w->pcr, a->banks.bank[i]);
		n = ask_tpm(fd, w, &cmd, response, &a->err);
		if (n < 0)
			return -1;
		if (tpm_decode_pcr_read(response, (size_t)n, a->banks.bank[i],
					a->reading.value[i], &updates))
			return vtf_error_set(&a->err, VTF_EXIT_TPM,
					     "%s: PCR %u in bank %s is not readable", w->node,
					     w->pcr, a->banks.bank[i]->name);
		if (i && updates != a->reading.updates)
			return 0;
		a->reading.updates = updates;
	}
	return 1;
}

static void read_all(int fd, const struct tpm_watch *w, struct answer *a)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < ATTEMPTS; i++)
		rc = read_once(fd, w, a);
	if (!rc)
		vtf_error_set(&a->err, VTF_EXIT_TPM,
			      "%s: PCRs change faster than %u banks can be read", w->node,
			      a->banks.count);
}

/* Life of the process that talks to the TPM. */
static void watch(void *context, unsigned int index)
{
	struct tpm_watch *w = context;
	struct answer *a = &w->last;
	int fd = client_open_node(w->node, &a->err);
	char byte;

	(void)index;
	close(w->ours);
	if (fd >= 0 && !find_banks(fd, w, a))
		read_all(fd, w, a);
	while (send(w->theirs, a, sizeof(*a), MSG_NOSIGNAL) > 0 && a->err.code == VTF_EXIT_DONE &&
	       recv(w->theirs, &byte, 1, 0) == 1)
		read_all(fd, w, a);
}

static int receive(struct tpm_watch *w, struct vtf_error *err)
{
	uint64_t limit_ns = clock_now_ns() + clock_s_to_ns(w->limit_s);
	struct pollfd p = { .fd = w->ours, .events = POLLIN };

	while (!poll(&p, 1, 10) || !p.revents) {
		if (signals_pending())
			return vtf_error_set(err, VTF_EXIT_INCOMPLETE, "interrupted by signal %d",
					     signals_pending());
		if (clock_now_ns() > limit_ns)
			return vtf_error_set(err, VTF_EXIT_TPM, "no answer from %s for %.1f s",
					     w->node, w->limit_s);
	}
	if (recv(w->ours, &w->last, sizeof(w->last), 0) != (ssize_t)sizeof(w->last))
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: the process that reads it has ended",
				     w->node);
	if (w->last.err.code != VTF_EXIT_DONE)
		return vtf_error_set(err, w->last.err.code, "%s", w->last.err.text);
	return 0;
}

struct tpm_watch *tpm_watch_start(const char *node, unsigned int pcr, double limit_s,
				  struct vtf_error *err)
{
	struct tpm_watch *w = calloc(1, sizeof(*w));
	int ends[2];

	if (!w || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		vtf_error_set(err, VTF_EXIT_INTERNAL, "socketpair: %s", strerror(errno));
		free(w);
		return NULL;
	}
	w->ours = ends[0];
	w->theirs = ends[1];
	w->pcr = pcr;
	w->limit_s = limit_s;
	snprintf(w->node, sizeof(w->node), "%s", node);
	w->crew.workers = 1;
	w->crew.work = watch;
	w->crew.context = w;
	if (crew_start(&w->crew, err) || receive(w, err)) {
		tpm_watch_end(w);
		return NULL;
	}
	return w;
}

void tpm_watch_end(struct tpm_watch *w)
{
	if (!w)
		return;
	/* both: the other process sees the end only when no one holds our end */
	close(w->ours);
	close(w->theirs);
	crew_kill(&w->crew, END_NS);
	free(w);
}

const struct pcr_banks *tpm_watch_banks(const struct tpm_watch *w)
{
	return &w->last.banks;
}

int tpm_watch_read(struct tpm_watch *w, struct tpm_reading *reading, struct vtf_error *err)
{
	if (send(w->ours, "r", 1, MSG_NOSIGNAL) != 1)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: the process that reads it has ended",
				     w->node);
	if (receive(w, err))
		return -1;
	*reading = w->last.reading;
	return 0;
}
