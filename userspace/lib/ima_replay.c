// SPDX-License-Identifier: GPL-2.0
#include "ima_replay.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SHA1_BYTES 20U

struct bank_state {
	const struct pcr_bank *bank;
	bool padded;
	uint8_t value[PCR_MAX_DIGEST_BYTES];
	/* of the last entry that was extended */
	uint8_t before[PCR_MAX_DIGEST_BYTES];
	uint8_t digest[PCR_MAX_DIGEST_BYTES];
	EVP_MD *md;
	/* a context of its own: giving one another algorithm costs more than the hash */
	EVP_MD_CTX *ctx;
};

struct ima_replay {
	unsigned int count;
	unsigned int need_sha1; /* a padded bank does */
	struct bank_state list; /* for the digests in the list */
	struct bank_state sha1; /* for padded banks */
	struct bank_state banks[PCR_MAX_BANKS];
};

static int bank_init(struct bank_state *s, const struct pcr_bank *bank, struct vtf_error *err)
{
	s->bank = bank;
	s->md = EVP_MD_fetch(NULL, bank->openssl_name, NULL);
	s->ctx = EVP_MD_CTX_new();
	if (s->md && s->ctx)
		return 0;
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL has no %s", bank->name);
}

static void bank_end(struct bank_state *s)
{
	EVP_MD_CTX_free(s->ctx);
	EVP_MD_free(s->md);
}

/* Hash of @a, then @b. Return: whether OpenSSL could do it. */
static bool hash(struct bank_state *s, const void *a, size_t a_len, const void *b, size_t b_len,
		 uint8_t *digest)
{
	return EVP_DigestInit_ex2(s->ctx, s->md, NULL) && EVP_DigestUpdate(s->ctx, a, a_len) &&
	       (!b_len || EVP_DigestUpdate(s->ctx, b, b_len)) &&
	       EVP_DigestFinal_ex(s->ctx, digest, NULL);
}

struct ima_replay *ima_replay_new(const struct pcr_banks *banks, unsigned int padded,
				  const struct pcr_bank *list, struct vtf_error *err)
{
	struct ima_replay *r = calloc(1, sizeof(*r));
	int rc;

	if (!r) {
		vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
		return NULL;
	}
	r->count = banks->count;
	r->need_sha1 = padded;
	rc = bank_init(&r->list, list, err);
	if (!rc && padded)
		rc = bank_init(&r->sha1, pcr_bank_by_name("sha1"), err);
	for (unsigned int i = 0; !rc && i < r->count; i++) {
		r->banks[i].padded = padded >> i & 1;
		rc = bank_init(&r->banks[i], banks->bank[i], err);
	}
	if (!rc)
		return r;
	ima_replay_free(r);
	return NULL;
}

void ima_replay_free(struct ima_replay *r)
{
	if (!r)
		return;
	bank_end(&r->list);
	bank_end(&r->sha1);
	for (unsigned int i = 0; i < r->count; i++)
		bank_end(&r->banks[i]);
	free(r);
}

static int openssl_fault(const struct ima_entry *e, struct vtf_error *err)
{
	return vtf_error_set(err, VTF_EXIT_INTERNAL, "OpenSSL cannot hash entry %llu",
			     (unsigned long long)e->number);
}

static int digest_fault(const struct ima_replay *r, const struct ima_entry *e,
			struct vtf_error *err)
{
	return vtf_error_set(err, VTF_EXIT_VERIFY,
			     "list entry %llu at byte %llu: template digest is not the %s of the "
			     "template data",
			     (unsigned long long)e->number, (unsigned long long)e->offset,
			     r->list.bank->name);
}

/* What bank @s is extended with. */
static bool bank_digest(struct ima_replay *r, struct bank_state *s, const struct ima_entry *e,
			const uint8_t *sha1, uint8_t digest[PCR_MAX_DIGEST_BYTES])
{
	unsigned int used = s->padded ? SHA1_BYTES : s->bank->size;

	if (e->violation) {
		memset(digest, 0xff, used);
	} else if (s->padded) {
		memcpy(digest, sha1, used);
	} else if (s->bank == r->list.bank) {
		/* checked: it is that hash */
		memcpy(digest, e->digest, used);
		return true;
	} else {
		return hash(s, e->data, e->data_len, NULL, 0, digest);
	}
	memset(digest + used, 0, PCR_MAX_DIGEST_BYTES - used);
	return true;
}

int ima_replay_entry(struct ima_replay *r, const struct ima_entry *e, bool extend,
		     struct vtf_error *err)
{
	uint8_t digest[PCR_MAX_DIGEST_BYTES], sha1[PCR_MAX_DIGEST_BYTES] = { 0 };

	if (!e->violation) {
		if (!hash(&r->list, e->data, e->data_len, NULL, 0, digest) ||
		    (r->need_sha1 && !hash(&r->sha1, e->data, e->data_len, NULL, 0, sha1)))
			return openssl_fault(e, err);
		if (memcmp(digest, e->digest, r->list.bank->size) != 0)
			return digest_fault(r, e, err);
	}
	for (unsigned int i = 0; extend && i < r->count; i++) {
		struct bank_state *s = &r->banks[i];

		memcpy(s->before, s->value, sizeof(s->before));
		if (!bank_digest(r, s, e, sha1, s->digest) ||
		    !ima_replay_step(r, i, s->value, s->digest))
			return openssl_fault(e, err);
	}
	return 0;
}

const uint8_t *ima_replay_value(const struct ima_replay *r, unsigned int bank)
{
	return r->banks[bank].value;
}

const uint8_t *ima_replay_before(const struct ima_replay *r, unsigned int bank)
{
	return r->banks[bank].before;
}

const uint8_t *ima_replay_digest(const struct ima_replay *r, unsigned int bank)
{
	return r->banks[bank].digest;
}

bool ima_replay_step(struct ima_replay *r, unsigned int bank, uint8_t *value, const uint8_t *digest)
{
	struct bank_state *s = &r->banks[bank];

	return hash(s, value, s->bank->size, digest, s->bank->size, value);
}
