// SPDX-License-Identifier: GPL-2.0
#include "ima_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ima_replay.h"

struct ima_follow {
	int fd; /* stays open: securityfs goes on behind the last entry that it gave */
	unsigned int pcr;
	struct ima_list *list;
	struct ima_replay *replay;
	struct ima_follow_counts counts;
};

static int open_list(const char *path, struct vtf_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s%s", path, strerror(errno),
			      errno == ENOENT ? ": no IMA, or securityfs is not mounted" : "");
	return fd;
}

struct ima_follow *ima_follow_open(const char *path, unsigned int pcr,
				   const struct pcr_banks *banks, struct vtf_error *err)
{
	/* the file without a suffix has sha1 in it whatever banks there are */
	const struct pcr_bank *algo = pcr_bank_by_name("sha1");
	struct ima_follow *f = calloc(1, sizeof(*f));

	if (!f) {
		vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
		return NULL;
	}
	f->pcr = pcr;
	f->fd = open_list(path, err);
	if (f->fd < 0)
		goto fail;
	f->list = ima_list_new(f->fd, IMA_LIST_BINARY, algo);
	if (!f->list) {
		vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
		goto fail;
	}
	f->replay = ima_replay_new(banks, 0, algo, err);
	if (f->replay)
		return f;
fail:
	ima_follow_close(f);
	return NULL;
}

void ima_follow_close(struct ima_follow *f)
{
	if (!f)
		return;
	ima_list_free(f->list);
	ima_replay_free(f->replay);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

int ima_follow_update(struct ima_follow *f, struct vtf_error *err)
{
	struct ima_entry entry;
	int rc;

	for (;;) {
		bool ours;

		rc = ima_list_next(f->list, &entry, err);
		if (rc <= 0)
			break;
		ours = entry.pcr == f->pcr;
		if (ima_replay_entry(f->replay, &entry, ours, err))
			return -1;
		f->counts.entries++;
		f->counts.of_pcr += ours;
		f->counts.violations += ours && entry.violation;
	}
	f->counts.bytes = ima_list_bytes(f->list);
	return rc;
}

void ima_follow_counts(const struct ima_follow *f, struct ima_follow_counts *counts)
{
	*counts = f->counts;
}

const uint8_t *ima_follow_value(const struct ima_follow *f, unsigned int bank)
{
	return ima_replay_value(f->replay, bank);
}
