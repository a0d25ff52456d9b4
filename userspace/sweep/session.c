// SPDX-License-Identifier: GPL-2.0
/* Beginning and end of a sweep: chip, list, files, policy. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/sysfs.h"
#include "sweep/policy.h"
#include "sweep/sweep.h"

#define MAX_CHIPS 64

static int choose_chip(struct sweep *s, struct vtf_error *err)
{
	char chips[MAX_CHIPS][SYSFS_CHIP_BYTES];
	int n = sysfs_chips(chips, MAX_CHIPS);

	for (int i = 0; i < n; i++) {
		if (s->chip_asked && strcmp(chips[i], s->chip_asked) != 0)
			continue;
		memcpy(s->chip, chips[i], sizeof(s->chip));
		if (sysfs_chip_driver(s->chip, s->driver, sizeof(s->driver)))
			s->driver[0] = '\0';
		return 0;
	}
	if (s->no_tpm && !s->chip_asked)
		return 0;
	if (s->chip_asked)
		return vtf_error_set(err, VTF_EXIT_MISSING, "--chip: no TPM %s", s->chip_asked);
	return vtf_error_set(err, VTF_EXIT_MISSING,
			     "no TPM on this machine; --no-tpm measures IMA without one");
}

int sweep_check(struct sweep *s, struct vtf_error *err)
{
	uint64_t entries;
	int rc;

	if (geteuid())
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "only root can read IMA's list and mount; run it as root");
	for (unsigned int i = 0; i < s->workload_count; i++) {
		const struct workload *w = s->workload[i];
		const char *why = w->unable ? w->unable() : NULL;

		if (why)
			return vtf_error_set(err, VTF_EXIT_MISSING, "workload %s: %s", w->name, why);
	}
	if (choose_chip(s, err))
		return -1;
	rc = point_list_entries(&entries);
	if (rc)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "%s/kernel/security/ima: %s: this kernel has no IMA, or "
				     "securityfs is not mounted", sysfs_root(), strerror(-rc));
	return 0;
}

static bool is_reset(const struct tpm_watch *tpm, const struct tpm_reading *reading)
{
	static const uint8_t zeros[PCR_MAX_DIGEST_BYTES];
	const struct pcr_banks *banks = tpm_watch_banks(tpm);

	for (unsigned int i = 0; i < banks->count; i++)
		if (memcmp(reading->value[i], zeros, banks->bank[i]->size) != 0)
			return false;
	return true;
}

static int open_follow(struct sweep *s, struct vtf_error *err)
{
	char path[PATH_MAX];
	struct pcr_banks only = { .count = 1, .bank = { pcr_bank_by_name("sha256") } };

	snprintf(path, sizeof(path), "%s/kernel/security/ima/binary_runtime_measurements",
		 sysfs_root());
	s->follow = ima_follow_open(path, IMA_DEFAULT_PCR,
				    s->tpm ? tpm_watch_banks(s->tpm) : &only, err);
	return s->follow ? ima_follow_update(s->follow, err) : -1;
}

/*
 * A kernel does not say whether its IMA uses a TPM. One that does has extended
 * boot_aggregate, its first entry, so PCR 10 is not at its reset value any more.
 */
static int open_tpm(struct sweep *s, struct vtf_error *err)
{
	struct tpm_reading reading;
	char node[32];
	bool reset;

	if (!s->chip[0])
		return 0;
	snprintf(node, sizeof(node), "/dev/tpmrm%s", s->chip + strlen("tpm"));
	s->tpm = tpm_watch_start(node, IMA_DEFAULT_PCR, s->measure.limit_s, err);
	if (!s->tpm || tpm_watch_read(s->tpm, &reading, err))
		return -1;
	reset = is_reset(s->tpm, &reading);
	if (s->no_tpm && !reset)
		return vtf_error_set(err, VTF_EXIT_USAGE,
				     "--no-tpm: PCR %d of %s is in use, so IMA has a TPM: leave "
				     "--no-tpm away", IMA_DEFAULT_PCR, s->chip);
	if (s->no_tpm) {
		tpm_watch_end(s->tpm);
		s->tpm = NULL;
		s->chip[0] = '\0';
		return 0;
	}
	if (reset)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "PCR %d of %s was never extended: IMA does not use it (it "
				     "found no TPM when it started, or another one); --no-tpm "
				     "measures IMA without a TPM", IMA_DEFAULT_PCR, s->chip);
	return 0;
}

/* Loading cannot be undone before the next boot, so it is never done unasked, and said. */
static int load_policy(const struct sweep *s, const char *text, struct vtf_error *err)
{
	char *filled = policy_fill(text, s->place.fsuuid);
	int rc;

	if (!filled)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "--policy: %s has %s in it, and the UUID of %s is not to be had: "
				     "%s", s->policy, POLICY_FSUUID, s->place.path,
				     errno == EINVAL ? "this kernel or file system does not tell it" :
						       strerror(errno));
	fprintf(stderr, "vtpmfast %s: loading %s into IMA; it stays until the next boot\n",
		SWEEP_NAME, s->policy);
	rc = policy_load(filled, NULL, err);
	free(filled);
	return rc;
}

static int make_nonce(struct sweep *s, struct vtf_error *err)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "getrandom: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(s->nonce + 2 * i, sizeof(s->nonce) - 2 * i, "%02x", bytes[i]);
	return 0;
}

int sweep_open(struct sweep *s, struct vtf_error *err)
{
	struct tpm_reading reading;
	char *text = NULL;
	int rc = -1;

	if (make_nonce(s, err) || open_tpm(s, err) || open_follow(s, err))
		return -1;
	/* what differs now is none of our doing, and would be blamed on the first point */
	if (s->tpm && point_agree(s->tpm, s->follow, &reading, err))
		return -1;
	if (s->policy) {
		/* the mount may hide the file */
		text = policy_read(s->policy, err);
		if (!text)
			return -1;
	}
	if (s->dir ? place_in_directory(&s->place, s->dir, err) : place_mount(&s->place, err))
		goto out;
	if (!text || !load_policy(s, text, err))
		rc = 0;
out:
	free(text);
	return rc;
}

void sweep_close(struct sweep *s)
{
	ima_follow_close(s->follow);
	s->follow = NULL;
	tpm_watch_end(s->tpm);
	s->tpm = NULL;
	place_leave(&s->place);
}
