// SPDX-License-Identifier: GPL-2.0
#include "ima_template.h"

#include <string.h>

static const struct ima_field_type types[] = {
	{ "d", IMA_FORM_DIGEST, false },
	{ "n", IMA_FORM_NAME, false },
	{ "d-ng", IMA_FORM_ALGO_DIGEST, false },
	{ "d-ngv2", IMA_FORM_TYPE_DIGEST, false },
	{ "n-ng", IMA_FORM_PATH, false },
	{ "sig", IMA_FORM_BYTES, true },
	{ "buf", IMA_FORM_BYTES, true },
	{ "d-modsig", IMA_FORM_ALGO_DIGEST, true },
	{ "modsig", IMA_FORM_BYTES, true },
	{ "evmsig", IMA_FORM_BYTES, true },
	{ "iuid", IMA_FORM_U32, true },
	{ "igid", IMA_FORM_U32, true },
	{ "imode", IMA_FORM_U16, true },
	{ "xattrnames", IMA_FORM_STRING, true },
	{ "xattrlengths", IMA_FORM_U32_LIST, true },
	{ "xattrvalues", IMA_FORM_BYTES, true },
};

static const struct {
	const char *name, *format;
} named[] = {
	{ "ima", "d|n" },
	{ "ima-ng", "d-ng|n-ng" },
	{ "ima-sig", "d-ng|n-ng|sig" },
	{ "ima-ngv2", "d-ngv2|n-ng" },
	{ "ima-sigv2", "d-ngv2|n-ng|sig" },
	{ "ima-buf", "d-ng|n-ng|buf" },
	{ "ima-modsig", "d-ng|n-ng|sig|d-modsig|modsig" },
	{ "evm-sig", "d-ng|n-ng|evmsig|xattrnames|xattrlengths|xattrvalues|iuid|igid|imode" },
};

/* crypto/hash_info.c: hash_algo_name and hash_digest_size */
static const struct {
	const char *name;
	size_t bytes;
} hashes[] = {
	{ "sha256", 32 },	{ "sha1", 20 },	       { "sha384", 48 },      { "sha512", 64 },
	{ "sha224", 28 },	{ "md4", 16 },	       { "md5", 16 },	      { "rmd128", 16 },
	{ "rmd160", 20 },	{ "rmd256", 32 },      { "rmd320", 40 },      { "wp256", 32 },
	{ "wp384", 48 },	{ "wp512", 64 },       { "tgr128", 16 },      { "tgr160", 20 },
	{ "tgr192", 24 },	{ "sm3", 32 },	       { "streebog256", 32 }, { "streebog512", 64 },
	{ "sha3-256", 32 },	{ "sha3-384", 48 },    { "sha3-512", 64 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool same(const char *text, const char *part, size_t len)
{
	return strlen(text) == len && !memcmp(text, part, len);
}

static const struct ima_field_type *find_type(const char *id, size_t len)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (same(types[i].id, id, len))
			return &types[i];
	return NULL;
}

/* A custom format: the kernel has a list that holds no name but the format. */
static const char *parse_format(const char *format, struct ima_template *t)
{
	for (;;) {
		size_t len = strcspn(format, "|");

		if (t->count == IMA_MAX_FIELDS)
			return "more fields than the kernel allows";
		t->field[t->count] = find_type(format, len);
		if (!t->field[t->count])
			return "unknown template or field";
		t->count++;
		if (!format[len])
			return NULL;
		format += len + 1;
	}
}

const char *ima_template_find(const char *name, size_t len, struct ima_template *t)
{
	const char *format = t->name;

	if (!len || len > IMA_MAX_NAME_BYTES)
		return "impossible length of the template's name";
	if (memchr(name, '\0', len))
		return "NUL in the template's name";
	memcpy(t->name, name, len);
	t->name[len] = '\0';
	t->count = 0;
	t->legacy = !strcmp(t->name, "ima");
	for (size_t i = 0; i < COUNT(named); i++)
		if (!strcmp(named[i].name, t->name))
			format = named[i].format;
	return parse_format(format, t);
}

size_t ima_hash_bytes(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(hashes); i++)
		if (same(hashes[i].name, name, len))
			return hashes[i].bytes;
	return 0;
}

static bool all_zero(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i])
			return false;
	return true;
}

/* [TYPE ':'] ALGO ':' NUL DIGEST */
static const char *check_digest(const uint8_t *data, size_t len, bool with_type, bool violation)
{
	const char *text = (const char *)data;
	const uint8_t *nul = memchr(data, '\0', len);
	size_t head, digest, expected;

	if (!nul)
		return "no algorithm before the digest";
	head = (size_t)(nul - data);
	digest = len - head - 1;
	if (with_type) {
		size_t type = strcspn(text, ":");

		if (!same("ima", text, type) && !same("verity", text, type))
			return "digest of an unknown type";
		if (type == head)
			return "no algorithm before the digest";
		text += type + 1;
		head -= type + 1;
	}
	if (!head || text[head - 1] != ':')
		return "no ':' after the algorithm";
	expected = ima_hash_bytes(text, head - 1);
	if (!expected)
		return "unknown hash algorithm";
	/* older kernels left room for a sha1 in violations, whatever the algorithm */
	if (digest != expected && !(violation && digest == IMA_LEGACY_DIGEST_BYTES))
		return "length of the digest does not fit its algorithm";
	if (violation && !all_zero(nul + 1, digest))
		return "violation with a file digest";
	return NULL;
}

static const char *check_string(const uint8_t *data, size_t len, size_t max)
{
	const uint8_t *nul = memchr(data, '\0', len);

	if (!nul)
		return "string without its NUL";
	if (nul != data + len - 1)
		return "string with a NUL inside";
	return len > max ? "longer than the kernel makes it" : NULL;
}

/* A size that is given only once is a number. */
static const char *check_number(size_t len, size_t size, bool list)
{
	if (list ? len % size : len != size)
		return "wrong size for a number";
	return NULL;
}

const char *ima_field_check(const struct ima_field_type *type, const uint8_t *data, size_t len,
			    bool violation)
{
	if (!len)
		return type->may_be_empty ? NULL : "empty";
	if (len > IMA_MAX_FIELD_BYTES)
		return "longer than the kernel makes it";
	switch (type->form) {
	case IMA_FORM_DIGEST:
		/* sha1, or md5 */
		if (len != IMA_LEGACY_DIGEST_BYTES && len != 16)
			return "length is that of neither sha1 nor md5";
		return violation && !all_zero(data, len) ? "violation with a file digest" : NULL;
	case IMA_FORM_ALGO_DIGEST:
		return check_digest(data, len, false, violation);
	case IMA_FORM_TYPE_DIGEST:
		return check_digest(data, len, true, violation);
	case IMA_FORM_NAME:
		return check_string(data, len, IMA_EVENT_NAME_BYTES);
	case IMA_FORM_PATH:
		return check_string(data, len, IMA_MAX_PATH_BYTES);
	case IMA_FORM_STRING:
		return check_string(data, len, IMA_MAX_FIELD_BYTES);
	case IMA_FORM_U16:
		return check_number(len, sizeof(uint16_t), false);
	case IMA_FORM_U32:
		return check_number(len, sizeof(uint32_t), false);
	case IMA_FORM_U32_LIST:
		return check_number(len, sizeof(uint32_t), true);
	case IMA_FORM_BYTES:
		return NULL;
	}
	return "unknown form";
}
