// SPDX-License-Identifier: GPL-2.0
#include "listgen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POOL_BYTES 65536U

static void *must(void *p)
{
	if (!p) {
		perror("listgen");
		exit(1);
	}
	return p;
}

void listgen_init(struct listgen *g, const struct pcr_bank *algo, const struct pcr_banks *banks)
{
	memset(g, 0, sizeof(*g));
	g->algo = algo;
	g->banks = *banks;
	g->pcr = 10;
}

void listgen_end(struct listgen *g)
{
	free(g->pool);
	free(g->data);
}

static const char *format_of(const char *template)
{
	static const char *const known[][2] = {
		{ "ima", "d|n" },
		{ "ima-ng", "d-ng|n-ng" },
		{ "ima-sig", "d-ng|n-ng|sig" },
		{ "ima-ngv2", "d-ngv2|n-ng" },
		{ "ima-sigv2", "d-ngv2|n-ng|sig" },
		{ "ima-buf", "d-ng|n-ng|buf" },
		{ "ima-modsig", "d-ng|n-ng|sig|d-modsig|modsig" },
		{ "evm-sig",
		  "d-ng|n-ng|evmsig|xattrnames|xattrlengths|xattrvalues|iuid|igid|imode" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i][0], template))
			return known[i][1];
	return template;
}

static void put(struct listgen *g, struct listgen_field *f, const void *bytes, size_t len)
{
	memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
	g->pool_used += len;
}

/* Bytes that differ from seed to seed; a xorshift, so that lists are the same every time. */
static void put_noise(struct listgen *g, struct listgen_field *f, uint64_t seed, size_t len)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + 1;

	while (len) {
		size_t n = len < sizeof(x) ? len : sizeof(x);

		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		put(g, f, &x, n);
		len -= n;
	}
}

static void put_digest(struct listgen *g, struct listgen_field *f, const char *head, size_t len,
		       uint64_t seed, bool zero)
{
	static const uint8_t zeros[64];

	if (*head)
		put(g, f, head, strlen(head) + 1);
	if (zero)
		put(g, f, zeros, len);
	else
		put_noise(g, f, seed, len);
}

static void put_name(struct listgen *g, struct listgen_field *f, const char *name, uint64_t seed)
{
	char path[64];

	if (!name) {
		snprintf(path, sizeof(path), "/usr/lib/measured/file-%08" PRIu64, seed);
		name = path;
	}
	put(g, f, name, strlen(name) + 1);
}

static int fill_field(struct listgen *g, struct listgen_field *f, uint64_t seed, const char *name,
		      bool violation)
{
	static const uint32_t lengths[] = { 12, 20 };
	const uint32_t id = (uint32_t)seed % 70000;
	const uint16_t mode = 0100755;
	bool every_third = seed % 3 == 0;

	if (!strcmp(f->id, "d"))
		put_digest(g, f, "", 20, seed, violation);
	else if (!strcmp(f->id, "d-ng"))
		put_digest(g, f, "sha256:", 32, seed, violation);
	else if (!strcmp(f->id, "d-ngv2"))
		put_digest(g, f, every_third ? "verity:sha512:" : "ima:sha256:",
			   every_third ? 64 : 32, seed, violation);
	else if (!strcmp(f->id, "n") || !strcmp(f->id, "n-ng"))
		put_name(g, f, name, seed);
	else if (!strcmp(f->id, "d-modsig") && !every_third)
		put_digest(g, f, "sha1:", 20, seed + 1, violation);
	else if (!strcmp(f->id, "sig") || !strcmp(f->id, "buf") || !strcmp(f->id, "evmsig"))
		put_noise(g, f, seed + 2, every_third ? 0 : 5 + seed % 7 + g->extra_bytes);
	else if (!strcmp(f->id, "modsig") && !every_third)
		put_noise(g, f, seed + 3, 40);
	else if (!strcmp(f->id, "iuid") || !strcmp(f->id, "igid"))
		put(g, f, &id, sizeof(id));
	else if (!strcmp(f->id, "imode"))
		put(g, f, &mode, sizeof(mode));
	else if (!strcmp(f->id, "xattrnames"))
		put(g, f, "security.ima|security.selinux", 30);
	else if (!strcmp(f->id, "xattrlengths"))
		put(g, f, lengths, sizeof(lengths));
	else if (!strcmp(f->id, "xattrvalues"))
		put_noise(g, f, seed + 4, 32);
	else if (strcmp(f->id, "d-modsig") != 0 && strcmp(f->id, "modsig") != 0)
		return -1;
	return 0;
}

int listgen_fill(struct listgen *g, struct listgen_entry *e, const char *template, uint64_t seed,
		 const char *name, bool violation)
{
	size_t size = POOL_BYTES + LISTGEN_MAX_FIELDS * g->extra_bytes;
	const char *format = format_of(template);

	if (g->pool_size < size) {
		g->pool = must(realloc(g->pool, size));
		g->pool_size = size;
	}
	g->pool_used = 0;
	memset(e, 0, sizeof(*e));
	e->pcr = g->pcr;
	e->template = template;
	e->violation = violation;
	while (*format && e->field_count < LISTGEN_MAX_FIELDS) {
		struct listgen_field *f = &e->field[e->field_count++];
		size_t len = strcspn(format, "|");

		if (len >= sizeof(f->id))
			return -1;
		memcpy(f->id, format, len);
		f->bytes = g->pool + g->pool_used;
		if (fill_field(g, f, seed, name, violation))
			return -1;
		format += len + (format[len] == '|');
	}
	return 0;
}

static void add_data(struct listgen *g, const void *bytes, size_t len)
{
	if (g->data_len + len > g->data_size) {
		g->data_size = 2 * (g->data_len + len);
		g->data = must(realloc(g->data, g->data_size));
	}
	if (len)
		memcpy(g->data + g->data_len, bytes, len);
	g->data_len += len;
}

static void collect_data(struct listgen *g, const struct listgen_entry *e, bool legacy)
{
	g->data_len = 0;
	for (unsigned int i = 0; i < e->field_count; i++) {
		uint32_t len = (uint32_t)e->field[i].len;
		char name[256] = "";

		if (legacy && !strcmp(e->field[i].id, "n")) {
			memcpy(name, e->field[i].bytes, len);
			add_data(g, name, sizeof(name));
			continue;
		}
		if (!legacy)
			add_data(g, &len, sizeof(len));
		add_data(g, e->field[i].bytes, len);
	}
}

static void extend(struct listgen *g, const struct listgen_entry *e)
{
	uint8_t digest[PCR_MAX_DIGEST_BYTES];

	g->next_used |= e->pcr == g->pcr + 1;
	for (unsigned int i = 0; i < g->banks.count && e->pcr - g->pcr < 2; i++) {
		const struct pcr_bank *bank = g->banks.bank[i];
		uint8_t *value = e->pcr == g->pcr ? g->value[i] : g->next_value[i];

		memset(digest, 0xff, sizeof(digest));
		if ((!e->violation && pcr_hash(bank, g->data, g->data_len, digest)) ||
		    pcr_replay(bank, value, digest, 1))
			abort();
	}
}

static void write_u32(FILE *to, uint32_t v)
{
	fwrite(&v, sizeof(v), 1, to);
}

static void write_binary(const struct listgen *g, const struct listgen_entry *e,
			 const uint8_t *digest, bool legacy, FILE *to)
{
	write_u32(to, e->pcr);
	fwrite(digest, 1, g->algo->size, to);
	write_u32(to, (uint32_t)strlen(e->template));
	fputs(e->template, to);
	if (!legacy) {
		write_u32(to, (uint32_t)g->data_len);
		fwrite(g->data, 1, g->data_len, to);
		return;
	}
	fwrite(e->field[0].bytes, 1, e->field[0].len, to);
	write_u32(to, (uint32_t)e->field[1].len - 1);
	fwrite(e->field[1].bytes, 1, e->field[1].len - 1, to);
}

static void write_hex(FILE *to, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		putc(digits[bytes[i] >> 4], to);
		putc(digits[bytes[i] & 15], to);
	}
}

static void write_field(FILE *to, const struct listgen_field *f)
{
	const char *text = (const char *)f->bytes;
	uint32_t number = 0;

	putc(' ', to);
	if (!f->len)
		return;
	if (f->id[0] == 'n' || !strcmp(f->id, "xattrnames")) {
		fputs(text, to);
	} else if (f->id[0] == 'i') {
		memcpy(&number, f->bytes, f->len);
		fprintf(to, "%" PRIu32, number);
	} else if (f->id[0] == 'd' && f->id[1]) {
		fputs(text, to);
		write_hex(to, f->bytes + strlen(text) + 1, f->len - strlen(text) - 1);
	} else {
		write_hex(to, f->bytes, f->len);
	}
}

void listgen_write(struct listgen *g, const struct listgen_entry *e, FILE *binary, FILE *ascii)
{
	bool legacy = !strcmp(e->template, "ima");
	uint8_t digest[PCR_MAX_DIGEST_BYTES] = { 0 };

	collect_data(g, e, legacy);
	if (!e->violation && pcr_hash(g->algo, g->data, g->data_len, digest))
		abort();
	extend(g, e);
	g->entries++;
	if (binary)
		write_binary(g, e, digest, legacy, binary);
	if (!ascii)
		return;
	fprintf(ascii, "%2u ", e->pcr);
	write_hex(ascii, digest, g->algo->size);
	fprintf(ascii, " %s", e->template);
	for (unsigned int i = 0; i < e->field_count; i++)
		write_field(ascii, &e->field[i]);
	putc('\n', ascii);
}

void listgen_pcrs(const struct listgen *g, FILE *to)
{
	for (unsigned int i = 0; i < g->banks.count; i++) {
		fprintf(to, "%s:%u:", g->banks.bank[i]->name, g->pcr);
		write_hex(to, g->value[i], g->banks.bank[i]->size);
		putc('\n', to);
		if (!g->next_used)
			continue;
		fprintf(to, "%s:%u:", g->banks.bank[i]->name, g->pcr + 1);
		write_hex(to, g->next_value[i], g->banks.bank[i]->size);
		putc('\n', to);
	}
}
