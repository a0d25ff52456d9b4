// SPDX-License-Identifier: GPL-2.0
/*
 * ima_listgen: writes a measurement list and the PCR values that belong to it.
 *
 *   --binary FILE, --ascii FILE   where the list goes
 *   --pcrs FILE                   `BANK:PCR:HEX` lines for the whole list
 *   --pcrs-after N                ... for its first N entries instead
 *   --lost N                      entry N, from 1, is in the list and never extended (0: none)
 *   --entries N                   how many (10)
 *   --templates LIST              names or formats, taken in turn (ima-ng)
 *   --banks LIST                  (sha1,sha256)
 *   --algo NAME                   of the digests in the list (sha1)
 *   --violations N                every N-th entry is one (0: none)
 *   --other-pcr N                 every N-th entry is of PCR 11 (0: none)
 *   --boots N                     boot_aggregate again after every N entries (0: never)
 *   --first NAME                  of the first entry (boot_aggregate)
 *   --attach N                    the boot aggregate is zeros, and entry N (from 1; 0: none)
 *                                 is tpm_attach_aggregate
 *   --extra N                     bytes more in each signature and buffer (0)
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/list.h"
#include "listgen.h"

#define MAX_TEMPLATES 16

struct options {
	const char *binary, *ascii, *pcrs, *first;
	const char *templates[MAX_TEMPLATES];
	int template_count;
	struct pcr_banks banks;
	const struct pcr_bank *algo;
	uint64_t entries, pcrs_after, lost, violations, other_pcr, boots, attach, extra;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "ima_listgen: %s: %s\n", what, why);
	exit(2);
}

static uint64_t count(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	if (!*text || *end)
		fail(text, "no number");
	return v;
}

static FILE *open_file(const char *path)
{
	FILE *to = path ? fopen(path, "w") : NULL;

	if (path && !to)
		fail(path, "cannot be written");
	return to;
}

static void close_file(FILE *to, const char *path)
{
	if (to && (ferror(to) || fclose(to)))
		fail(path, "cannot be written");
}

static void set(struct options *o, const char *name, char *value)
{
	if (!strcmp(name, "binary"))
		o->binary = value;
	else if (!strcmp(name, "ascii"))
		o->ascii = value;
	else if (!strcmp(name, "pcrs"))
		o->pcrs = value;
	else if (!strcmp(name, "first"))
		o->first = value;
	else if (!strcmp(name, "templates"))
		o->template_count = list_split(value, o->templates, MAX_TEMPLATES);
	else if (!strcmp(name, "banks") && pcr_banks_parse(value, &o->banks))
		fail(value, "no list of banks");
	else if (!strcmp(name, "algo"))
		o->algo = pcr_bank_by_name(value);
	else if (!strcmp(name, "entries"))
		o->entries = count(value);
	else if (!strcmp(name, "pcrs-after"))
		o->pcrs_after = count(value);
	else if (!strcmp(name, "lost"))
		o->lost = count(value);
	else if (!strcmp(name, "violations"))
		o->violations = count(value);
	else if (!strcmp(name, "other-pcr"))
		o->other_pcr = count(value);
	else if (!strcmp(name, "boots"))
		o->boots = count(value);
	else if (!strcmp(name, "attach"))
		o->attach = count(value);
	else if (!strcmp(name, "extra"))
		o->extra = count(value);
	if (o->template_count < 1 || !o->algo)
		fail(value, "not understood");
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option known[] = {
		{ "binary", 1, NULL, 0 },     { "ascii", 1, NULL, 0 },	    { "pcrs", 1, NULL, 0 },
		{ "pcrs-after", 1, NULL, 0 }, { "entries", 1, NULL, 0 },    { "templates", 1, NULL, 0 },
		{ "banks", 1, NULL, 0 },      { "algo", 1, NULL, 0 },	    { "violations", 1, NULL, 0 },
		{ "other-pcr", 1, NULL, 0 },  { "boots", 1, NULL, 0 },	    { "first", 1, NULL, 0 },
		{ "extra", 1, NULL, 0 },      { "lost", 1, NULL, 0 },	    { "attach", 1, NULL, 0 },
		{ 0 },
	};
	int index, c;

	o->first = "boot_aggregate";
	o->templates[0] = "ima-ng";
	o->template_count = 1;
	o->algo = pcr_bank_by_name("sha1");
	o->entries = 10;
	o->pcrs_after = UINT64_MAX;
	o->attach = UINT64_MAX;
	pcr_banks_parse("sha1,sha256", &o->banks);
	while ((c = getopt_long(argc, argv, "", known, &index)) != -1) {
		if (c)
			exit(2);
		set(o, known[index].name, optarg);
	}
	if (optind < argc)
		fail(argv[optind], "no argument is expected");
}

static bool every(uint64_t n, uint64_t i)
{
	return n && i && i % n == 0;
}

/* In the list, but the TPM never got it. */
static void write_lost(struct listgen *g, const struct listgen_entry *e, FILE *binary, FILE *ascii)
{
	struct listgen before = *g;

	listgen_write(g, e, binary, ascii);
	memcpy(g->value, before.value, sizeof(g->value));
	memcpy(g->next_value, before.next_value, sizeof(g->next_value));
}

/* The file's digest, in the first field, as of a boot aggregate without a TPM */
static void zero_digest(struct listgen_entry *e)
{
	struct listgen_field *f = &e->field[0];
	uint8_t *nul = memchr(f->bytes, '\0', f->len);
	uint8_t *digest = !strcmp(f->id, "d") || !nul ? f->bytes : nul + 1;

	memset(digest, 0, (size_t)(f->bytes + f->len - digest));
}

static void write_list(const struct options *o, struct listgen *g, FILE *binary, FILE *ascii,
		       FILE *pcrs)
{
	struct listgen_entry e;

	for (uint64_t i = 0; i < o->entries; i++) {
		const char *template = o->templates[i % (uint64_t)o->template_count];
		const char *name = every(o->boots, i) ? "boot_aggregate" : i ? NULL : o->first;

		if (i + 1 == o->attach)
			name = "tpm_attach_aggregate";
		if (pcrs && i == o->pcrs_after)
			listgen_pcrs(g, pcrs);
		if (listgen_fill(g, &e, template, i, name, every(o->violations, i)))
			fail(template, "unknown field");
		if (!i && o->attach != UINT64_MAX)
			zero_digest(&e);
		if (every(o->other_pcr, i))
			e.pcr = 11;
		if (i + 1 == o->lost)
			write_lost(g, &e, binary, ascii);
		else
			listgen_write(g, &e, binary, ascii);
	}
	if (pcrs && o->pcrs_after >= o->entries)
		listgen_pcrs(g, pcrs);
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	FILE *binary, *ascii, *pcrs;
	struct listgen g;

	parse(&o, argc, argv);
	listgen_init(&g, o.algo, &o.banks);
	g.extra_bytes = o.extra;
	binary = open_file(o.binary);
	ascii = open_file(o.ascii);
	pcrs = open_file(o.pcrs);
	write_list(&o, &g, binary, ascii, pcrs);
	close_file(binary, o.binary);
	close_file(ascii, o.ascii);
	close_file(pcrs, o.pcrs);
	listgen_end(&g);
	return 0;
}
