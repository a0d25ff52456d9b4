// SPDX-License-Identifier: GPL-2.0
#include "quote.h"

#include <endian.h>
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_mu.h>

#include "quote_signature.h"

/* Larger than any attestation, signature or set of values. */
#define FILE_BYTES 65536

struct quote {
	const struct quote_files *files;
	TPMS_ATTEST attest;
	TPMT_SIGNATURE signature;
	uint8_t message[FILE_BYTES];
	size_t message_len;
};

/* Reads a small file whole: 0, -1. */
static int load(const char *path, uint8_t *bytes, size_t *len, struct vtf_error *err)
{
	FILE *from = fopen(path, "re");
	int rc = 0;

	if (!from)
		return vtf_error_set(err, VTF_EXIT_USAGE, "open %s: %s", path, strerror(errno));
	*len = fread(bytes, 1, FILE_BYTES, from);
	if (ferror(from))
		rc = vtf_error_set(err, VTF_EXIT_USAGE, "read %s: %s", path, strerror(errno));
	else if (*len == FILE_BYTES)
		rc = vtf_error_set(err, VTF_EXIT_VERIFY, "%s: longer than any part of a quote",
				   path);
	fclose(from);
	return rc;
}

static int load_message(struct quote *q, struct vtf_error *err)
{
	const char *path = q->files->message;
	size_t offset = 0;

	if (load(path, q->message, &q->message_len, err))
		return -1;
	if (Tss2_MU_TPMS_ATTEST_Unmarshal(q->message, q->message_len, &offset, &q->attest) ||
	    offset != q->message_len)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: no TPMS_ATTEST", path);
	if (q->attest.magic != TPM2_GENERATED_VALUE)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: no TPM made it: magic is 0x%08x",
				     path, q->attest.magic);
	if (q->attest.type != TPM2_ST_ATTEST_QUOTE)
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "%s: an attestation of type 0x%04x, not a quote", path,
				     q->attest.type);
	return 0;
}

static int load_signature(struct quote *q, struct vtf_error *err)
{
	const char *path = q->files->signature;
	uint8_t bytes[FILE_BYTES];
	size_t offset = 0, len = 0;

	if (load(path, bytes, &len, err))
		return -1;
	if (Tss2_MU_TPMT_SIGNATURE_Unmarshal(bytes, len, &offset, &q->signature) || offset != len)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: no TPMT_SIGNATURE", path);
	return 0;
}

static int check_signature(struct quote *q, const struct pcr_bank **hash, struct vtf_error *err)
{
	uint8_t bytes[FILE_BYTES];
	const char *reason;
	EVP_PKEY *key = NULL;
	size_t len = 0;
	BIO *from;

	if (load(q->files->key, bytes, &len, err))
		return -1;
	from = BIO_new_mem_buf(bytes, (int)len);
	if (from)
		key = PEM_read_bio_PUBKEY(from, NULL, NULL, NULL);
	BIO_free(from);
	if (!key)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: no public key in PEM",
				     q->files->key);
	reason = quote_signature_check(&q->signature, key, q->message, q->message_len, hash);
	EVP_PKEY_free(key);
	if (reason)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s on %s: %s", q->files->signature,
				     q->files->message, reason);
	return 0;
}

static int check_nonce(const struct quote *q, struct vtf_error *err)
{
	const TPM2B_DATA *extra = &q->attest.extraData;
	uint8_t nonce[sizeof(extra->buffer)];
	int len;

	if (!q->files->nonce)
		return 0;
	len = pcr_parse_hex(q->files->nonce, nonce, sizeof(nonce));
	if (len < 0)
		return vtf_error_set(err, VTF_EXIT_USAGE, "--nonce: `%s` is no hex", q->files->nonce);
	if (len != extra->size || memcmp(nonce, extra->buffer, extra->size) != 0)
		return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: the quote is about another nonce",
				     q->files->message);
	return 0;
}

/* ---- the values ---- */

/* One after the other, in the order of the quote's selection. */
struct values {
	size_t len;
	uint8_t bytes[FILE_BYTES];
};

/*
 * tpm2_quote -F serialized (tpm2-tools, lib/pcr.c): TPML_PCR_SELECTION, a
 * count, and as many TPML_DIGEST, as C structures with little-endian numbers.
 * Return: whether @v, which holds that, could be made plain values.
 */
static bool unwrap_serialized(struct values *v)
{
	size_t at = sizeof(TPML_PCR_SELECTION), used = 0;
	uint32_t lists, count;
	TPML_DIGEST digests;

	if (v->len < at + sizeof(lists))
		return false;
	memcpy(&lists, v->bytes + at, sizeof(lists));
	lists = le32toh(lists);
	at += sizeof(lists);
	if (lists > FILE_BYTES / sizeof(digests) || v->len != at + lists * sizeof(digests))
		return false;
	/* digests are shorter than what they are wrapped in, so the plain ones never overtake */
	for (uint32_t i = 0; i < lists; i++, at += sizeof(digests)) {
		memcpy(&digests, v->bytes + at, sizeof(digests));
		count = le32toh(digests.count);
		if (count > sizeof(digests.digests) / sizeof(digests.digests[0]))
			return false;
		for (uint32_t j = 0; j < count; j++) {
			size_t size = le16toh(digests.digests[j].size);

			if (size > sizeof(digests.digests[j].buffer))
				return false;
			memcpy(v->bytes + used, digests.digests[j].buffer, size);
			used += size;
		}
	}
	v->len = used;
	return true;
}

typedef int (*on_selected)(void *arg, const struct pcr_bank *bank, unsigned int pcr,
			   struct vtf_error *err);

/* Calls @fn for each PCR of the selection, in the order in which values are hashed. */
static int for_selected(const struct quote *q, on_selected fn, void *arg, struct vtf_error *err)
{
	const TPML_PCR_SELECTION *selection = &q->attest.attested.quote.pcrSelect;

	for (uint32_t i = 0; i < selection->count; i++) {
		const TPMS_PCR_SELECTION *s = &selection->pcrSelections[i];
		const struct pcr_bank *bank = pcr_bank_by_alg(s->hash);

		if (!bank)
			return vtf_error_set(err, VTF_EXIT_VERIFY, "%s: unknown bank 0x%04x",
					     q->files->message, s->hash);
		for (unsigned int pcr = 0; pcr < 8U * s->sizeofSelect; pcr++)
			if (s->pcrSelect[pcr / 8] >> (pcr % 8) & 1 && fn(arg, bank, pcr, err))
				return -1;
	}
	return 0;
}

struct collect {
	const struct quote *q;
	const struct pcr_table *given; /* where from, if not from @plain */
	struct values *plain;
	size_t used;
	struct pcr_table *to;
	EVP_MD_CTX *ctx;
};

static int add_size(void *arg, const struct pcr_bank *bank, unsigned int pcr, struct vtf_error *err)
{
	size_t *sum = arg;

	(void)pcr;
	(void)err;
	*sum += bank->size;
	return 0;
}

static int collect_value(void *arg, const struct pcr_bank *bank, unsigned int pcr,
			 struct vtf_error *err)
{
	struct collect *c = arg;
	const uint8_t *value;

	if (c->plain) {
		value = c->plain->bytes + c->used; /* the length was checked */
		c->used += bank->size;
	} else {
		value = pcr_table_get(c->given, bank, pcr);
	}
	if (!value)
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "%s: about PCR %u in bank %s too, whose value is not given",
				     c->q->files->message, pcr, bank->name);
	if (pcr_table_set(c->to, bank, pcr, value))
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "%s: impossible selection: PCR %u in bank %s",
				     c->q->files->message, pcr, bank->name);
	if (!EVP_DigestUpdate(c->ctx, value, bank->size))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL cannot hash PCR values");
	return 0;
}

static int load_values(const struct quote *q, struct values *v, struct vtf_error *err)
{
	size_t expected = 0;

	if (load(q->files->values, v->bytes, &v->len, err) ||
	    for_selected(q, add_size, &expected, err))
		return -1;
	if (v->len != expected && (!unwrap_serialized(v) || v->len != expected))
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "%s: not the values of the quoted PCRs (tpm2_quote -o, with -F "
				     "values or serialized)", q->files->values);
	return 0;
}

static int hash_values(struct collect *c, const struct pcr_bank *hash, struct vtf_error *err)
{
	const TPM2B_DIGEST *quoted = &c->q->attest.attested.quote.pcrDigest;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned int len;

	if (!hash || !EVP_DigestInit_ex(c->ctx, EVP_get_digestbyname(hash->openssl_name), NULL))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL lacks the quote's hash");
	if (for_selected(c->q, collect_value, c, err))
		return -1;
	if (!EVP_DigestFinal_ex(c->ctx, digest, &len))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL cannot hash PCR values");
	if (len != quoted->size || memcmp(digest, quoted->buffer, len) != 0)
		return vtf_error_set(err, VTF_EXIT_VERIFY,
				     "%s: the values given are not those that were quoted",
				     c->q->files->message);
	return 0;
}

static int check_values(const struct quote *q, const struct pcr_bank *hash,
			const struct pcr_table *given, struct pcr_table *t, struct vtf_error *err)
{
	struct collect c = { .q = q, .given = given, .to = t };
	int rc = 0;

	c.ctx = EVP_MD_CTX_new();
	if (q->files->values)
		c.plain = calloc(1, sizeof(*c.plain));
	if (!c.ctx || (q->files->values && !c.plain))
		rc = vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	if (!rc && c.plain)
		rc = load_values(q, c.plain, err);
	if (!rc)
		rc = hash_values(&c, hash, err);
	free(c.plain);
	EVP_MD_CTX_free(c.ctx);
	return rc;
}

int quote_check(const struct quote_files *files, const struct pcr_table *given,
		struct pcr_table *t, struct vtf_error *err)
{
	struct quote *q = calloc(1, sizeof(*q));
	const struct pcr_bank *hash = NULL;
	int rc;

	if (!q)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	q->files = files;
	rc = load_message(q, err);
	if (!rc)
		rc = load_signature(q, err);
	if (!rc)
		rc = check_signature(q, &hash, err);
	if (!rc)
		rc = check_nonce(q, err);
	if (!rc)
		rc = check_values(q, hash, given, t, err);
	free(q);
	return rc;
}
