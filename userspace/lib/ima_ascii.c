// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of an ascii list, turned into what stands in a binary one. Nothing of
 * an entry is lost in print: the kernel replaces blanks in names before it
 * hashes them. A name with a line break in it cannot be told from two lines,
 * and is malformed here; the binary list has no such trouble.
 */
#include <string.h>

#include "ima_list_internal.h"

/* Every byte of data takes two characters at most; the head needs far less than a page. */
#define MAX_LINE_BYTES (2 * (size_t)IMA_MAX_DATA_BYTES + 4096)

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower-case hex as the kernel writes it: 0, -1. */
static int unhex(const char *text, size_t len, uint8_t *bytes)
{
	if (len % 2)
		return -1;
	for (size_t i = 0; i < len; i += 2) {
		int high = nibble(text[i]), low = nibble(text[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

/* Decimal digits: 0, -1 if it is none or larger than @max. */
static int number(const char *text, size_t len, uint32_t max, uint32_t *value)
{
	uint64_t v = 0;

	if (!len || len > 10)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		v = 10 * v + (uint64_t)(text[i] - '0');
	}
	*value = (uint32_t)v;
	return v > max ? -1 : 0;
}

/* "sha256:HEX" or "ima:sha256:HEX": the text up to the last ':' stays, a NUL follows. */
static int digest_with_algo(const char *text, size_t len, uint8_t *to, size_t *to_len)
{
	const char *colon = memrchr(text, ':', len);
	size_t head;

	if (!colon)
		return -1;
	head = (size_t)(colon - text) + 1;
	memcpy(to, text, head);
	to[head] = '\0';
	*to_len = head + 1 + (len - head) / 2;
	return unhex(text + head, len - head, to + head + 1);
}

static int as_number(const char *text, size_t len, size_t size, uint8_t *to, size_t *to_len)
{
	uint32_t value;

	if (number(text, len, size == 2 ? UINT16_MAX : UINT32_MAX, &value))
		return -1;
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> (8 * i));
	*to_len = size;
	return 0;
}

/* One printed field into its bytes: 0, -1 if it is not printed so. @to has room for len + 2. */
static int decode(const struct ima_field_type *type, const char *text, size_t len, uint8_t *to,
		  size_t *to_len)
{
	*to_len = 0;
	/* only a name is printed as nothing without being nothing */
	if (!len && type->form != IMA_FORM_NAME && type->form != IMA_FORM_PATH)
		return 0;
	switch (type->form) {
	case IMA_FORM_NAME:
	case IMA_FORM_PATH:
	case IMA_FORM_STRING:
		memcpy(to, text, len);
		to[len] = '\0';
		*to_len = len + 1;
		return 0;
	case IMA_FORM_ALGO_DIGEST:
	case IMA_FORM_TYPE_DIGEST:
		return digest_with_algo(text, len, to, to_len);
	case IMA_FORM_U16:
		return as_number(text, len, sizeof(uint16_t), to, to_len);
	case IMA_FORM_U32:
		return as_number(text, len, sizeof(uint32_t), to, to_len);
	default:
		*to_len = len / 2;
		return unhex(text, len, to);
	}
}

/* The part up to the next blank, and moves on behind it; false if there is no more. */
static bool next_word(const char **at, const char *end, const char **word, size_t *len)
{
	const char *blank;

	if (!*at)
		return false;
	*word = *at;
	blank = memchr(*at, ' ', (size_t)(end - *at));
	*len = (size_t)((blank ? blank : end) - *at);
	*at = blank ? blank + 1 : NULL;
	return true;
}

/* Digest and name, padded. */
static int legacy_data(struct ima_list *l, const char *at, const char *end, struct ima_entry *e,
		       struct vtf_error *err)
{
	const char *word;
	size_t len;

	memset(l->scratch, 0, IMA_LEGACY_DATA_BYTES);
	if (!next_word(&at, end, &word, &len) || len != 2 * (size_t)IMA_LEGACY_DIGEST_BYTES ||
	    unhex(word, len, l->scratch))
		return ima_list_fault(l, err, "field d", "no digest of 20 bytes");
	if (!next_word(&at, end, &word, &len) || len >= IMA_EVENT_NAME_BYTES ||
	    memchr(word, '\0', len))
		return ima_list_fault(l, err, "field n", "no name that the kernel makes");
	if (at)
		return ima_list_fault(l, err, "line", "text after the last field");
	memcpy(l->scratch + IMA_LEGACY_DIGEST_BYTES, word, len);
	e->data_len = IMA_LEGACY_DATA_BYTES;
	return 0;
}

static int fields_data(struct ima_list *l, const char *at, const char *end, struct ima_entry *e,
		       struct vtf_error *err)
{
	const struct ima_template *t = &l->template;
	uint8_t *to = l->scratch;

	for (unsigned int i = 0; i < t->count; i++) {
		const char *word;
		size_t len, to_len;

		if (!next_word(&at, end, &word, &len))
			return ima_list_field_fault(l, err, i, "the line ends before it");
		if (decode(t->field[i], word, len, to + 4, &to_len))
			return ima_list_field_fault(l, err, i, "not as the kernel prints it");
		ima_put_le32(to, (uint32_t)to_len);
		to += 4 + to_len;
	}
	if (at)
		return ima_list_fault(l, err, "line", "text after the last field");
	e->data_len = (size_t)(to - l->scratch);
	return 0;
}

/* Has the whole line in the buffer; @line receives its length without the line break: 0, -1. */
static int find_line(struct ima_list *l, size_t *line, struct vtf_error *err)
{
	size_t looked = 0;

	for (;;) {
		const uint8_t *at = ima_buffer_at(&l->in), *nl = NULL;
		size_t have = l->in.end - l->in.begin;

		if (have > looked)
			nl = memchr(at + looked, '\n', have - looked);
		if (nl) {
			*line = (size_t)(nl - at);
			return 0;
		}
		if (have > MAX_LINE_BYTES)
			return ima_list_fault(l, err, "line", "longer than the kernel makes it");
		looked = have;
		if (ima_list_need(l, have + 1, err))
			return -1;
	}
}

int ima_ascii_entry(struct ima_list *l, struct ima_entry *e, struct vtf_error *err)
{
	const char *at, *end, *word;
	size_t line = 0, len;
	int rc;

	if (find_line(l, &line, err))
		return -1;
	/* per field 4 bytes of length and a NUL beside what is printed */
	if (ima_list_scratch(l, line + IMA_LEGACY_DATA_BYTES + 8 * (size_t)IMA_MAX_FIELDS, err))
		return -1;
	at = (const char *)ima_buffer_at(&l->in);
	end = at + line;
	/* the number is two characters wide */
	if (line && *at == ' ')
		at++;
	if (!next_word(&at, end, &word, &len) || number(word, len, UINT32_MAX, &e->pcr))
		return ima_list_fault(l, err, "PCR", "no number at the start of the line");
	if (!next_word(&at, end, &word, &len) || len != 2 * (size_t)l->algo->size ||
	    unhex(word, len, l->digest))
		return ima_list_fault(l, err, "template digest",
				      "not the hex digits of the list's algorithm");
	if (!next_word(&at, end, &word, &len))
		return ima_list_fault(l, err, "template", "the line ends before it");
	if (ima_list_template(l, word, len, err))
		return -1;
	rc = l->template.legacy ? legacy_data(l, at, end, e, err) : fields_data(l, at, end, e, err);
	if (rc)
		return -1;
	e->digest = l->digest;
	e->data = l->scratch;
	ima_buffer_skip(&l->in, line + 1);
	return 0;
}
