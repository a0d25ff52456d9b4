/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a measurement list belongs to the values of a PCR.
 *
 * The kernel appends to the list first and extends the PCR second, so values
 * that were read before the list are what some first part of it leads to, the
 * same part in every bank. What follows is the tail.
 */
#ifndef VTF_IMA_VERIFY_H
#define VTF_IMA_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "ima_list.h"
#include "ima_missing.h"
#include "pcr_table.h"

struct ima_verify_opts {
	int fd; /* the list */
	enum ima_list_format format;
	const struct pcr_bank *algo; /* of the digests in the list */
	unsigned int pcr;
	struct pcr_banks banks; /* to compare, at least one */
	unsigned int padded;	/* as in ima_replay_new() */
	const struct pcr_table *expected;
	uint64_t max_tail; /* entries of the PCR */
	bool strict;	   /* the first entry must have a known name */
};

struct ima_verify_result {
	enum ima_list_format format;
	uint64_t entries, of_pcr, violations, bytes; /* violations of the PCR */
	char first_name[64]; /* printable; "" if the list is empty */
	bool first_known;
	uint64_t boot_aggregates; /* more than one: carried over kexec */
	bool replayed;		  /* the whole list was read */
	bool matched;		  /* all banks, after the same entry */
	uint64_t matched_number, matched_of_pcr;
	uint64_t tail; /* of the PCR, after the matched entry */
	uint64_t bank_matched[PCR_MAX_BANKS]; /* entry after which this bank matched; 0: none */
	uint8_t value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES]; /* where all that was read leads to */
	/* one entry that the values lack, if that explains them; number 0: nothing does */
	struct ima_missing_found missing;
	uint64_t bad_number, bad_offset; /* entry that is at fault; 0: none in particular */
};

/**
 * ima_verify() - read a list and compare
 * @opts:   what with what
 * @result: receives what was found, also on failure
 * @err:    VTF_EXIT_VERIFY: what is wrong, and where; VTF_EXIT_INTERNAL
 *
 * Return: 0 if the list belongs to the values, else -1.
 */
int ima_verify(const struct ima_verify_opts *opts, struct ima_verify_result *result,
	       struct vtf_error *err);

/*
 * Names of a list's first entry: "boot_aggregate"; "boot_aggregate_late" of
 * kernels that may start IMA at late_initcall_sync; "tpm_attach_aggregate",
 * with which our series marks a TPM that came after IMA had started.
 */
bool ima_verify_first_known(const char *name);

#endif
