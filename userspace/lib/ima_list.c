// SPDX-License-Identifier: GPL-2.0
#include "ima_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ima_list_internal.h"

struct ima_list *ima_list_new(int fd, enum ima_list_format format, const struct pcr_bank *algo)
{
	struct ima_list *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->in.fd = fd;
	l->format = format;
	l->algo = algo;
	return l;
}

void ima_list_free(struct ima_list *l)
{
	if (!l)
		return;
	free(l->in.bytes);
	free(l->scratch);
	free(l);
}

uint64_t ima_list_bytes(const struct ima_list *l)
{
	return l->in.offset;
}

uint64_t ima_list_entry_offset(const struct ima_list *l)
{
	return l->offset;
}

enum ima_list_format ima_list_format(const struct ima_list *l)
{
	return l->format;
}

int ima_list_fault(const struct ima_list *l, struct vtf_error *err, const char *what,
		   const char *reason)
{
	return vtf_error_set(err, VTF_EXIT_VERIFY, "list entry %llu at byte %llu: %s: %s",
			     (unsigned long long)l->entries + 1, (unsigned long long)l->offset,
			     what, reason);
}

int ima_list_scratch(struct ima_list *l, size_t len, struct vtf_error *err)
{
	uint8_t *bytes;

	if (len <= l->scratch_size)
		return 0;
	bytes = realloc(l->scratch, len);
	if (!bytes)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "measurement list: out of memory");
	l->scratch = bytes;
	l->scratch_size = len;
	return 0;
}

static int read_fault(int rc, struct vtf_error *err)
{
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "read measurement list: %s", strerror(-rc));
}

int ima_list_need(struct ima_list *l, size_t len, struct vtf_error *err)
{
	int rc = ima_buffer_need(&l->in, len);

	if (rc < 0)
		return read_fault(rc, err);
	return rc ? 0 : ima_list_fault(l, err, "truncated", "the list ends inside of this entry");
}

int ima_list_template(struct ima_list *l, const char *name, size_t len, struct vtf_error *err)
{
	char what[IMA_MAX_NAME_BYTES + 16] = "template";
	const char *reason;

	if (len <= IMA_MAX_NAME_BYTES && strlen(l->template.name) == len && len &&
	    !memcmp(l->template.name, name, len))
		return 0;
	reason = ima_template_find(name, len, &l->template);
	if (!reason)
		return 0;
	/* a name of garbage would garble the terminal */
	for (size_t i = 0; i < len && i < 64; i++) {
		if (name[i] <= ' ' || name[i] > '~')
			return ima_list_fault(l, err, "template", reason);
		what[8] = ' ';
		what[9 + i] = name[i];
		what[10 + i] = '\0';
	}
	return ima_list_fault(l, err, what, reason);
}

int ima_list_field_fault(const struct ima_list *l, struct vtf_error *err, unsigned int i,
			 const char *reason)
{
	char what[IMA_MAX_FIELD_ID_BYTES + 8];

	snprintf(what, sizeof(what), "field %s", l->template.field[i]->id);
	return ima_list_fault(l, err, what, reason);
}

/* Digest and name of "ima", which stand in @e->data with the name padded. */
static void split_legacy(struct ima_entry *e)
{
	const uint8_t *name = e->data + IMA_LEGACY_DIGEST_BYTES;

	e->field[0] = (struct ima_field){ e->data, IMA_LEGACY_DIGEST_BYTES };
	e->field[1] = (struct ima_field){ name, strlen((const char *)name) + 1 };
}

static int split(const struct ima_list *l, struct ima_entry *e, struct vtf_error *err)
{
	const uint8_t *at = e->data, *end = e->data + e->data_len;

	for (unsigned int i = 0; i < l->template.count; i++) {
		size_t len;

		if (end - at < 4)
			return ima_list_field_fault(l, err, i, "the template data ends before it");
		len = ima_le32(at);
		at += 4;
		if (len > (size_t)(end - at))
			return ima_list_field_fault(l, err, i, "reaches beyond the template data");
		e->field[i] = (struct ima_field){ at, len };
		at += len;
	}
	if (at != end)
		return ima_list_fault(l, err, "template data", "bytes after the last field");
	return 0;
}

int ima_list_fields(const struct ima_list *l, struct ima_entry *e, struct vtf_error *err)
{
	const struct ima_template *t = &l->template;

	if (t->legacy)
		split_legacy(e);
	else if (split(l, e, err))
		return -1;
	e->template = t;
	e->event_name = "";
	for (unsigned int i = 0; i < t->count; i++) {
		const char *reason = ima_field_check(t->field[i], e->field[i].data,
						     e->field[i].len, e->violation);

		if (reason)
			return ima_list_field_fault(l, err, i, reason);
		if (t->field[i]->form == IMA_FORM_NAME || t->field[i]->form == IMA_FORM_PATH)
			e->event_name = (const char *)e->field[i].data;
	}
	return 0;
}

/* Digest and name as they are in the list into what is hashed. */
static int read_legacy(struct ima_list *l, struct ima_entry *e, size_t head, struct vtf_error *err)
{
	const uint8_t *at;
	size_t len;

	if (ima_list_need(l, head + IMA_LEGACY_DIGEST_BYTES + 4, err))
		return -1;
	len = ima_le32(ima_buffer_at(&l->in) + head + IMA_LEGACY_DIGEST_BYTES);
	if (len >= IMA_EVENT_NAME_BYTES)
		return ima_list_fault(l, err, "field n", "longer than the kernel makes it");
	if (ima_list_need(l, head + IMA_LEGACY_DIGEST_BYTES + 4 + len, err) ||
	    ima_list_scratch(l, IMA_LEGACY_DATA_BYTES, err))
		return -1;
	at = ima_buffer_at(&l->in) + head;
	memset(l->scratch, 0, IMA_LEGACY_DATA_BYTES);
	memcpy(l->scratch, at, IMA_LEGACY_DIGEST_BYTES);
	at += IMA_LEGACY_DIGEST_BYTES + 4;
	if (memchr(at, '\0', len))
		return ima_list_fault(l, err, "field n", "string with a NUL inside");
	memcpy(l->scratch + IMA_LEGACY_DIGEST_BYTES, at, len);
	e->data = l->scratch;
	e->data_len = IMA_LEGACY_DATA_BYTES;
	e->digest = ima_buffer_at(&l->in) + 4;
	ima_buffer_skip(&l->in, head + IMA_LEGACY_DIGEST_BYTES + 4 + len);
	return 0;
}

static int read_data(struct ima_list *l, struct ima_entry *e, size_t head, struct vtf_error *err)
{
	size_t len;

	if (ima_list_need(l, head + 4, err))
		return -1;
	len = ima_le32(ima_buffer_at(&l->in) + head);
	if (len > IMA_MAX_DATA_BYTES)
		return ima_list_fault(l, err, "template data", "longer than the kernel makes it");
	if (ima_list_need(l, head + 4 + len, err))
		return -1;
	e->data = ima_buffer_at(&l->in) + head + 4;
	e->data_len = len;
	e->digest = ima_buffer_at(&l->in) + 4;
	ima_buffer_skip(&l->in, head + 4 + len);
	return 0;
}

static int binary_entry(struct ima_list *l, struct ima_entry *e, struct vtf_error *err)
{
	size_t head = 4 + l->algo->size + 4, name_len;
	const uint8_t *at;

	if (ima_list_need(l, head, err))
		return -1;
	at = ima_buffer_at(&l->in);
	e->pcr = ima_le32(at);
	name_len = ima_le32(at + head - 4);
	if (!name_len || name_len > IMA_MAX_NAME_BYTES)
		return ima_list_fault(l, err, "template", "impossible length of its name");
	if (ima_list_need(l, head + name_len, err) ||
	    ima_list_template(l, (const char *)ima_buffer_at(&l->in) + head, name_len, err))
		return -1;
	head += name_len;
	return l->template.legacy ? read_legacy(l, e, head, err) : read_data(l, e, head, err);
}

/* A binary list begins with the low byte of a PCR's number, an ascii list with a blank or a digit. */
static void find_format(struct ima_list *l)
{
	if (l->format == IMA_LIST_AUTO)
		l->format = *ima_buffer_at(&l->in) < ' ' ? IMA_LIST_BINARY : IMA_LIST_ASCII;
}

int ima_list_next(struct ima_list *l, struct ima_entry *e, struct vtf_error *err)
{
	int rc = ima_buffer_need(&l->in, 1);

	if (rc < 0)
		return read_fault(rc, err);
	if (!rc)
		return 0;
	find_format(l);
	l->offset = l->in.offset;
	rc = l->format == IMA_LIST_ASCII ? ima_ascii_entry(l, e, err) : binary_entry(l, e, err);
	if (rc)
		return -1;
	if (e->pcr >= IMA_PCR_COUNT)
		return ima_list_fault(l, err, "PCR", "there is none with this number");
	e->number = l->entries + 1;
	e->offset = l->offset;
	e->violation = true;
	for (unsigned int i = 0; i < l->algo->size && e->violation; i++)
		e->violation = !e->digest[i];
	if (ima_list_fields(l, e, err))
		return -1;
	l->entries++;
	return 1;
}
