// SPDX-License-Identifier: GPL-2.0
#include "ima_verify.h"

#include <stdio.h>
#include <string.h>

#include "ima_replay.h"

struct run {
	const struct ima_verify_opts *opts;
	struct ima_verify_result *result;
	uint8_t expected[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	/* first entry of the PCR after the match */
	uint64_t tail_number, tail_offset;
	bool began_without_tpm;
	uint64_t attached_number; /* entry that says that one came late; 0: none */
	struct ima_missing *missing;
};

bool ima_verify_first_known(const char *name)
{
	static const char *const known[] = { "boot_aggregate", "boot_aggregate_late",
					     "tpm_attach_aggregate" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i], name))
			return true;
	return false;
}

static bool is_zero(const uint8_t *value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (value[i])
			return false;
	return true;
}

/* Whether the digest of the file, or of what stands for it, is zeros. */
static bool zero_file_digest(const struct ima_entry *e)
{
	for (unsigned int i = 0; i < e->template->count; i++) {
		enum ima_field_form form = e->template->field[i]->form;
		const uint8_t *data = e->field[i].data, *nul;
		size_t len = e->field[i].len;

		if (form == IMA_FORM_DIGEST)
			return is_zero(data, len);
		if (form != IMA_FORM_ALGO_DIGEST && form != IMA_FORM_TYPE_DIGEST)
			continue;
		nul = memchr(data, '\0', len);
		return nul && is_zero(nul, len - (size_t)(nul - data));
	}
	return false;
}

/* How IMA came to its TPM: a boot aggregate of zeros says that there was none at first. */
static void note_tpm(struct run *run, const struct ima_entry *e)
{
	if (e->number == 1)
		run->began_without_tpm = !strcmp(e->event_name, "boot_aggregate") &&
					 zero_file_digest(e);
	if (!run->attached_number && !strcmp(e->event_name, "tpm_attach_aggregate"))
		run->attached_number = e->number;
}

static void note_name(struct ima_verify_result *r, const struct ima_entry *e)
{
	if (!strcmp(e->event_name, "boot_aggregate") ||
	    !strcmp(e->event_name, "boot_aggregate_late"))
		r->boot_aggregates++;
	if (r->entries)
		return;
	r->first_known = ima_verify_first_known(e->event_name);
	snprintf(r->first_name, sizeof(r->first_name), "%s",
		 *e->event_name ? e->event_name : "(no name)");
	/* a name of garbage would garble the terminal */
	for (char *c = r->first_name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static int find_expected(struct run *run, struct vtf_error *err)
{
	const struct ima_verify_opts *o = run->opts;

	if (!o->banks.count)
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "nothing to compare: no value of PCR %u in any bank", o->pcr);
	for (unsigned int i = 0; i < o->banks.count; i++) {
		const struct pcr_bank *bank = o->banks.bank[i];

		const uint8_t *value = pcr_table_get(o->expected, bank, o->pcr);

		if (!value)
			return vtf_error_set(err, VTF_EXIT_VERIFY,
					     "nothing to compare: no value of PCR %u in bank %s",
					     o->pcr, bank->name);
		if (is_zero(value, bank->size))
			return vtf_error_set(err, VTF_EXIT_VERIFY,
					     "nothing to compare: PCR %u in bank %s still has its "
					     "reset value", o->pcr, bank->name);
		memcpy(run->expected[i], value, bank->size);
	}
	return 0;
}

/* Compares after an entry of the PCR. */
static void compare(struct run *run, const struct ima_replay *replay, const struct ima_entry *e)
{
	struct ima_verify_result *r = run->result;
	unsigned int same = 0;

	if (r->matched && !run->tail_number) {
		run->tail_number = e->number;
		run->tail_offset = e->offset;
	}
	for (unsigned int i = 0; i < run->opts->banks.count; i++) {
		if (memcmp(ima_replay_value(replay, i), run->expected[i],
			   run->opts->banks.bank[i]->size) != 0)
			continue;
		r->bank_matched[i] = e->number;
		same++;
	}
	if (same < run->opts->banks.count)
		return;
	r->matched = true;
	r->matched_number = e->number;
	r->matched_of_pcr = r->of_pcr;
	run->tail_number = 0;
}

static int read_list(struct run *run, struct ima_list *list, struct ima_replay *replay,
		     struct vtf_error *err)
{
	struct ima_verify_result *r = run->result;
	struct ima_entry entry;
	int rc;

	while ((rc = ima_list_next(list, &entry, err)) > 0) {
		bool ours = entry.pcr == run->opts->pcr;

		if (ima_replay_entry(replay, &entry, ours, err)) {
			rc = -1;
			break;
		}
		note_name(r, &entry);
		note_tpm(run, &entry);
		r->entries++;
		if (!ours)
			continue;
		ima_missing_note(run->missing, replay, &entry);
		r->of_pcr++;
		r->violations += entry.violation;
		compare(run, replay, &entry);
	}
	r->format = ima_list_format(list);
	r->bytes = ima_list_bytes(list);
	if (rc < 0) {
		r->bad_number = r->entries + 1;
		r->bad_offset = ima_list_entry_offset(list);
	}
	r->replayed = !rc;
	for (unsigned int i = 0; i < run->opts->banks.count; i++)
		memcpy(r->value[i], ima_replay_value(replay, i), PCR_MAX_DIGEST_BYTES);
	r->tail = r->of_pcr - r->matched_of_pcr;
	return rc;
}

/* The values are those of no first part of the list. One entry that they lack may explain it. */
static int judge_unknown(struct run *run, unsigned int bank, struct ima_replay *replay,
			 struct vtf_error *err)
{
	struct ima_verify_result *r = run->result;
	const struct pcr_bank *b = run->opts->banks.bank[bank];
	char hex[2 * PCR_MAX_DIGEST_BYTES + 1];

	pcr_format_hex(run->expected[bank], b->size, hex);
	if (ima_missing_find(run->missing, replay, run->expected, &r->missing))
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "PCR %u in bank %s is %s: as after entry %llu, but entry %llu "
				     "at byte %llu was never extended",
				     run->opts->pcr, b->name, hex,
				     (unsigned long long)r->missing.until,
				     (unsigned long long)r->missing.number,
				     (unsigned long long)r->missing.offset);
	return vtf_error_set(err, VTF_EXIT_VERIFY,
			     "PCR %u in bank %s is %s: none of the %llu entries leads to it",
			     run->opts->pcr, b->name, hex, (unsigned long long)r->of_pcr);
}

/* Says which banks match after which entry, since they do not agree. */
static int judge_mismatch(struct run *run, struct ima_replay *replay, struct vtf_error *err)
{
	const struct pcr_banks *banks = &run->opts->banks;
	const struct ima_verify_result *r = run->result;

	for (unsigned int i = 0; i < banks->count; i++)
		if (!r->bank_matched[i])
			return judge_unknown(run, i, replay, err);
	for (unsigned int i = 1; i < banks->count; i++)
		if (r->bank_matched[i] != r->bank_matched[0])
			return vtf_error_set(
				err, VTF_EXIT_VERIFY,
				"PCR %u: bank %s is as after entry %llu, bank %s as after entry %llu",
				run->opts->pcr, banks->bank[0]->name,
				(unsigned long long)r->bank_matched[0], banks->bank[i]->name,
				(unsigned long long)r->bank_matched[i]);
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "banks match, and yet they do not");
}

static int judge(struct run *run, struct ima_replay *replay, struct vtf_error *err)
{
	struct ima_verify_result *r = run->result;

	if (!r->entries)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "nothing to compare: the list is empty");
	if (!r->of_pcr)
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "nothing to compare: none of the %llu entries is of PCR %u",
				     (unsigned long long)r->entries, run->opts->pcr);
	if (!r->matched)
		return judge_mismatch(run, replay, err);
	if (run->began_without_tpm &&
	    (!run->attached_number || run->attached_number > r->matched_number)) {
		/* while a TPM that comes late catches up, its PCR is that of a shorter list */
		r->bad_number = 1;
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "list entry 1 at byte 0: IMA had no TPM then, and no entry "
				     "tpm_attach_aggregate is in PCR %u, so the list may be part of a "
				     "longer one", run->opts->pcr);
	}
	if (r->tail > run->opts->max_tail) {
		r->bad_number = run->tail_number;
		r->bad_offset = run->tail_offset;
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "list entry %llu at byte %llu: first of %llu entries that are "
				     "not in PCR %u; %llu are allowed",
				     (unsigned long long)run->tail_number,
				     (unsigned long long)run->tail_offset,
				     (unsigned long long)r->tail, run->opts->pcr,
				     (unsigned long long)run->opts->max_tail);
	}
	if (run->opts->strict && !r->first_known) {
		r->bad_number = 1;
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "list entry 1 at byte 0: `%s` is no known name of a first entry",
				     r->first_name);
	}
	return 0;
}

int ima_verify(const struct ima_verify_opts *opts, struct ima_verify_result *result,
	       struct vtf_error *err)
{
	struct run run = { .opts = opts, .result = result };
	struct ima_replay *replay;
	struct ima_list *list;
	int rc = -1;

	memset(result, 0, sizeof(*result));
	if (find_expected(&run, err))
		return -1;
	list = ima_list_new(opts->fd, opts->format, opts->algo);
	replay = ima_replay_new(&opts->banks, opts->padded, opts->algo, err);
	run.missing = ima_missing_new(&opts->banks);
	if (!list || !run.missing)
		vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	if (list && replay && run.missing)
		rc = read_list(&run, list, replay, err);
	if (!rc)
		rc = judge(&run, replay, err);
	ima_list_free(list);
	ima_replay_free(replay);
	ima_missing_free(run.missing);
	return rc;
}
