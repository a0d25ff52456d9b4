// SPDX-License-Identifier: GPL-2.0
/*
 * vtpmfast verify: whether an IMA measurement list belongs to a PCR. It fails
 * closed: what cannot be compared is not verified.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "lib/ima_follow.h"
#include "lib/ima_tpm.h"
#include "lib/ima_verify.h"
#include "lib/measure.h"
#include "lib/output.h"
#include "lib/pcr_live.h"
#include "lib/quote.h"

#define NAME "verify"

enum {
	KEY_DEVICE = 0x300,
	KEY_TCTI,
	KEY_PCRS,
	KEY_QUOTE,
	KEY_SIGNATURE,
	KEY_KEY,
	KEY_QUOTE_PCRS,
	KEY_NONCE,
	KEY_PCR,
	KEY_BANKS,
	KEY_PADDED,
	KEY_ASCII,
	KEY_BINARY,
	KEY_LIST_ALGO,
	KEY_MAX_TAIL,
	KEY_STRICT,
};

struct verify {
	const char *path; /* "-": standard input */
	bool named;	  /* on the command line */
	const char *device, *tcti, *pcrs;
	struct quote_files quote;
	struct pcr_banks banks, padded;
	bool json;
	const char *output;
	struct ima_verify_opts opts;
	/* found out */
	struct pcr_table values;
	const char *source; /* "tpm", "file", "quote" */
	struct ima_verify_result result;
	uint64_t lost, first_lost; /* what IMA itself counts; 0: not asked, or nothing */
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "PCR values to compare with (default: the TPM of this machine):", 1 },
	{ "device", KEY_DEVICE, "PATH", 0, "a TPM's node (/dev/tpmrm0, else /dev/tpm0)", 1 },
	{ "tcti", KEY_TCTI, "CONF", 0, "a TPM through TSS2, e.g. swtpm:path=SOCKET", 1 },
	{ "pcrs", KEY_PCRS, "FILE", 0,
	  "lines `BANK:PCR:HEX`, or what tpm2_pcrread prints", 1 },
	{ "quote", KEY_QUOTE, "FILE", 0, "a quote (tpm2_quote -m); takes the next two", 1 },
	{ "signature", KEY_SIGNATURE, "FILE", 0, "its signature (tpm2_quote -s)", 1 },
	{ "key", KEY_KEY, "FILE", 0, "public key that must have signed it, PEM", 1 },
	{ "quote-pcrs", KEY_QUOTE_PCRS, "FILE", 0,
	  "the quoted values (tpm2_quote -o, -F values or serialized); else --pcrs", 1 },
	{ "nonce", KEY_NONCE, "HEX", 0, "what the quote must be about (tpm2_quote -q)", 1 },
	{ NULL, 0, NULL, 0, "What is compared:", 2 },
	{ "pcr", KEY_PCR, "N", 0, "the PCR (10)", 2 },
	{ "banks", KEY_BANKS, "LIST", 0, "its banks (default: all that have a value)", 2 },
	{ "padded", KEY_PADDED, "LIST", 0,
	  "banks whose algorithm the kernel lacks: they get the sha1, padded with zeros", 2 },
	{ "max-tail", KEY_MAX_TAIL, "N", 0,
	  "newest entries that need not be in the PCR yet (0)", 2 },
	{ "strict", KEY_STRICT, NULL, 0, "the first entry must have a known name", 2 },
	{ NULL, 0, NULL, 0, "The list:", 3 },
	{ "ascii", KEY_ASCII, NULL, 0, "it is an ascii list (default: look)", 3 },
	{ "binary", KEY_BINARY, NULL, 0, "it is a binary list", 3 },
	{ "list-algo", KEY_LIST_ALGO, "NAME", 0,
	  "algorithm of the digests in it (default: the suffix of its name, else sha1)", 3 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "json", 'j', NULL, 0, "print JSON", 4 },
	{ "output", 'o', "FILE", 0, "write the JSON to FILE as well", 4 },
	{ 0 },
};

static void parse_banks(const char *arg, const char *option, struct pcr_banks *banks,
			struct argp_state *state)
{
	if (pcr_banks_parse(arg, banks))
		argp_error(state, "--%s: `%s` is no list of banks such as sha256,sha1", option, arg);
}

static void check_sources(struct verify *v, struct argp_state *state)
{
	const struct quote_files *q = &v->quote;
	bool quote = q->message || q->signature || q->key || q->values || q->nonce;

	if (!!v->device + !!v->tcti + (v->pcrs || quote) > 1)
		argp_error(state, "--device, --tcti and --pcrs or --quote exclude each other");
	if (quote && (!q->message || !q->signature || !q->key))
		argp_error(state, "--quote, --signature and --key belong together");
	if (quote && !q->values == !v->pcrs)
		argp_error(state, "--quote needs the quoted values: --quote-pcrs or --pcrs");
	for (unsigned int i = 0; v->banks.count && i < v->padded.count; i++)
		if (!pcr_banks_have(&v->banks, v->padded.bank[i]))
			argp_error(state, "--padded: %s is not in --banks", v->padded.bank[i]->name);
}

/* "binary_runtime_measurements_sha256" says what is in it. */
static void find_algo(struct verify *v)
{
	const char *suffix = strrchr(v->path, '_');

	if (!v->opts.algo && suffix)
		v->opts.algo = pcr_bank_by_name(suffix + 1);
	if (!v->opts.algo)
		v->opts.algo = pcr_bank_by_name("sha1");
}

static error_t parse_list_option(struct verify *v, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_ASCII:
	case KEY_BINARY:
		v->opts.format = key == KEY_ASCII ? IMA_LIST_ASCII : IMA_LIST_BINARY;
		break;
	case KEY_LIST_ALGO:
		v->opts.algo = pcr_bank_by_name(arg);
		if (!v->opts.algo)
			argp_error(state, "--list-algo: unknown algorithm `%s`", arg);
		break;
	case KEY_PCR:
		v->opts.pcr = (unsigned int)measure_parse_count(arg, "pcr", 0, IMA_PCR_COUNT - 1,
								state);
		break;
	case KEY_BANKS:
		parse_banks(arg, "banks", &v->banks, state);
		break;
	case KEY_PADDED:
		parse_banks(arg, "padded", &v->padded, state);
		break;
	case KEY_MAX_TAIL:
		v->opts.max_tail = measure_parse_count(arg, "max-tail", 0, UINT64_MAX / 2, state);
		break;
	case KEY_STRICT:
		v->opts.strict = true;
		break;
	case 'j':
		v->json = true;
		break;
	case 'o':
		v->output = measure_parse_output(arg, "output", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct verify *v = state->input;

	switch (key) {
	case KEY_DEVICE:
		v->device = arg;
		break;
	case KEY_TCTI:
		v->tcti = arg;
		break;
	case KEY_PCRS:
		v->pcrs = arg;
		break;
	case KEY_QUOTE:
		v->quote.message = arg;
		break;
	case KEY_SIGNATURE:
		v->quote.signature = arg;
		break;
	case KEY_KEY:
		v->quote.key = arg;
		break;
	case KEY_QUOTE_PCRS:
		v->quote.values = arg;
		break;
	case KEY_NONCE:
		v->quote.nonce = arg;
		break;
	case ARGP_KEY_ARG:
		if (v->named)
			argp_error(state, "one list only, but `%s` follows", arg);
		v->path = arg;
		v->named = true;
		break;
	case ARGP_KEY_SUCCESS:
		check_sources(v, state);
		find_algo(v);
		break;
	default:
		return parse_list_option(v, key, arg, state);
	}
	return 0;
}

static int get_values(struct verify *v, struct vtf_error *err)
{
	struct pcr_table given = { .banks.count = 0 };

	if (v->pcrs && pcr_table_load(v->pcrs, v->quote.message ? &given : &v->values, err))
		return -1;
	if (v->quote.message) {
		v->source = "quote";
		return quote_check(&v->quote, &given, &v->values, err);
	}
	if (v->pcrs) {
		v->source = "file";
		return 0;
	}
	v->source = "tpm";
	return pcr_live_read(v->device, v->tcti, v->opts.pcr, &v->banks, &v->values, err);
}

/* Without --banks: all that have a value of the PCR. */
static int choose_banks(struct verify *v, struct vtf_error *err)
{
	struct pcr_banks *to = &v->opts.banks;

	*to = v->banks;
	for (unsigned int i = 0; !v->banks.count && i < v->values.banks.count; i++)
		if (pcr_table_get(&v->values, v->values.banks.bank[i], v->opts.pcr))
			to->bank[to->count++] = v->values.banks.bank[i];
	for (unsigned int i = 0; i < v->padded.count; i++) {
		unsigned int j = 0;

		while (j < to->count && to->bank[j] != v->padded.bank[i])
			j++;
		if (j == to->count)
			return vtf_error_set(err, VTF_EXIT_VERIFY,
					     "nothing to compare: no value of PCR %u in bank %s",
					     v->opts.pcr, v->padded.bank[i]->name);
		v->opts.padded |= 1U << j;
	}
	return 0;
}

static int open_list(struct verify *v, struct vtf_error *err)
{
	struct stat st;

	if (!strcmp(v->path, "-")) {
		v->opts.fd = STDIN_FILENO;
		return 0;
	}
	v->opts.fd = open(v->path, O_RDONLY | O_CLOEXEC);
	if (v->opts.fd >= 0 && (fstat(v->opts.fd, &st) || !S_ISDIR(st.st_mode)))
		return 0;
	if (v->opts.fd >= 0) {
		close(v->opts.fd);
		errno = EISDIR;
	}
	return vtf_error_set(err, v->named ? VTF_EXIT_USAGE : VTF_EXIT_MISSING, "open %s: %s%s",
			     v->path, strerror(errno),
			     v->named || errno != ENOENT ? "" :
				     ": no IMA here, or securityfs is not mounted");
}

/* IMA's own word is about its own list and the TPM of this machine, nothing else. */
static bool is_live(const struct verify *v)
{
	char ours[PATH_MAX];
	size_t len;

	len = (size_t)snprintf(ours, sizeof(ours), "%s/kernel/security/ima/", sysfs_root());
	return !strcmp(v->source, "tpm") && v->opts.pcr == IMA_DEFAULT_PCR &&
	       !strncmp(v->path, ours, len);
}

/* When list and PCR do not agree: whether IMA knows of extends that are missing. It changes no verdict. */
static void ask_ima(struct verify *v)
{
	const struct ima_verify_result *r = &v->result;
	struct ima_tpm tpm;

	if (!r->replayed || (r->matched && r->tail <= v->opts.max_tail) || !is_live(v) ||
	    ima_tpm_read(&tpm) || !tpm.counter[IMA_TPM_LOST] || !tpm.counter[IMA_TPM_FIRST_LOST])
		return;
	v->lost = tpm.counter[IMA_TPM_LOST];
	v->first_lost = tpm.counter[IMA_TPM_FIRST_LOST];
	fprintf(stderr, "vtpmfast %s: IMA counts %llu lost extends, the first at entry %llu\n", NAME,
		(unsigned long long)v->lost, (unsigned long long)v->first_lost);
}

/* ---- the result ---- */

static struct json_object *bank_json(const struct verify *v, unsigned int i)
{
	const struct pcr_bank *bank = v->opts.banks.bank[i];
	const uint8_t *value = pcr_table_get(&v->values, bank, v->opts.pcr);
	struct json_object *to = json_object_new_object();
	char hex[2 * PCR_MAX_DIGEST_BYTES + 1];

	output_add_str(to, "bank", bank->name);
	if (value) {
		pcr_format_hex(value, bank->size, hex);
		output_add_str(to, "value", hex);
	}
	if (v->result.of_pcr) {
		pcr_format_hex(v->result.value[i], bank->size, hex);
		output_add_str(to, "replayed", hex);
	}
	if (v->opts.padded >> i & 1)
		output_add_bool(to, "padded", true);
	if (v->result.bank_matched[i])
		output_add_u64(to, "matched_entry", v->result.bank_matched[i]);
	return to;
}

static struct json_object *list_json(const struct verify *v)
{
	const struct ima_verify_result *r = &v->result;
	struct json_object *to = json_object_new_object();

	output_add_str(to, "path", v->path);
	output_add_str(to, "digest_algorithm", v->opts.algo->name);
	if (!r->entries)
		return to;
	output_add_str(to, "format", r->format == IMA_LIST_ASCII ? "ascii" : "binary");
	output_add_bool(to, "whole", r->replayed);
	output_add_u64(to, "entries", r->entries);
	output_add_u64(to, "entries_of_pcr", r->of_pcr);
	output_add_u64(to, "violations", r->violations);
	output_add_u64(to, "bytes", r->bytes);
	output_add_str(to, "first_entry", r->first_name);
	output_add_bool(to, "first_entry_known", r->first_known);
	output_add_u64(to, "boot_aggregates", r->boot_aggregates);
	return to;
}

static void add_at_fault(struct json_object *doc, const struct verify *v)
{
	const struct ima_verify_result *r = &v->result;
	struct json_object *to;

	if (r->bad_number) {
		to = json_object_new_object();
		output_add_u64(to, "entry", r->bad_number);
		output_add_u64(to, "byte", r->bad_offset);
		json_object_object_add(doc, "bad_entry", to);
	}
	if (r->missing.number) {
		to = json_object_new_object();
		output_add_u64(to, "entry", r->missing.number);
		output_add_u64(to, "byte", r->missing.offset);
		output_add_u64(to, "matched_entry", r->missing.until);
		json_object_object_add(doc, "missing_entry", to);
	}
	if (v->lost) {
		to = json_object_new_object();
		output_add_u64(to, "lost", v->lost);
		output_add_u64(to, "first_entry", v->first_lost);
		json_object_object_add(doc, "ima_lost", to);
	}
}

static struct json_object *new_document(const struct verify *v, const struct vtf_error *err)
{
	const struct ima_verify_result *r = &v->result;
	struct json_object *doc = json_object_new_object(), *array;

	output_add_u64(doc, "schema", VTF_SCHEMA);
	output_add_str(doc, "kind", NAME);
	output_add_str(doc, "tool_version", VTF_VERSION);
	output_add_bool(doc, "verified", err->code == VTF_EXIT_DONE);
	output_add_str(doc, "reason", err->text);
	output_add_u64(doc, "pcr", v->opts.pcr);
	output_add_str(doc, "values_from", v->source);
	json_object_object_add(doc, "list", list_json(v));
	array = json_object_new_array();
	for (unsigned int i = 0; i < v->opts.banks.count; i++)
		json_object_array_add(array, bank_json(v, i));
	json_object_object_add(doc, "banks", array);
	if (r->matched) {
		output_add_u64(doc, "matched_entry", r->matched_number);
		output_add_u64(doc, "matched_entries_of_pcr", r->matched_of_pcr);
		output_add_u64(doc, "tail_entries", r->tail);
	}
	output_add_u64(doc, "max_tail", v->opts.max_tail);
	add_at_fault(doc, v);
	return doc;
}

static void print_list(const struct verify *v)
{
	const struct ima_verify_result *r = &v->result;

	printf("list      %s, %s, %s digests\n", v->path,
	       r->format == IMA_LIST_ASCII ? "ascii" : "binary", v->opts.algo->name);
	printf("entries   %llu%s, %llu of PCR %u, %llu violations, %llu bytes\n",
	       (unsigned long long)r->entries, r->replayed ? "" : " before the fault",
	       (unsigned long long)r->of_pcr, v->opts.pcr, (unsigned long long)r->violations,
	       (unsigned long long)r->bytes);
	if (*r->first_name)
		printf("first     %s%s\n", r->first_name, r->first_known ? "" : " (unknown)");
	if (r->boot_aggregates > 1)
		printf("kexec     %llu boot aggregates: carried over from earlier kernels\n",
		       (unsigned long long)r->boot_aggregates);
}

static void print_banks(const struct verify *v)
{
	char hex[2 * PCR_MAX_DIGEST_BYTES + 1];

	for (unsigned int i = 0; i < v->opts.banks.count; i++) {
		const struct pcr_bank *bank = v->opts.banks.bank[i];
		const uint8_t *value = pcr_table_get(&v->values, bank, v->opts.pcr);

		if (!value)
			continue;
		pcr_format_hex(value, bank->size, hex);
		printf("%-9s PCR %u from %s: %s ", bank->name, v->opts.pcr, v->source, hex);
		if (v->result.bank_matched[i])
			printf("after entry %llu\n", (unsigned long long)v->result.bank_matched[i]);
		else
			puts(v->result.replayed ? "matches nothing" : "not found before the fault");
	}
}

static void print_text(const struct verify *v, bool verified)
{
	const struct ima_verify_result *r = &v->result;

	/* without values the list is not read */
	if (r->entries || r->bad_number)
		print_list(v);
	else
		printf("list      %s\n", v->path);
	print_banks(v);
	if (r->matched)
		printf("tail      %llu entries\n", (unsigned long long)r->tail);
	printf("verified  %s\n", verified ? "yes" : "no");
}

static enum vtf_exit deliver(const struct verify *v, const struct vtf_error *err)
{
	struct json_object *doc = new_document(v, err);
	int rc = 0;

	if (v->output)
		rc = output_write_json(v->output, doc);
	if (!rc && v->json)
		rc = output_write_json(NULL, doc);
	else if (!rc)
		print_text(v, err->code == VTF_EXIT_DONE);
	json_object_put(doc);
	if (!rc)
		return VTF_EXIT_DONE;
	fprintf(stderr, "vtpmfast %s: write %s: %s\n", NAME, v->output ? v->output : "the result",
		strerror(-rc));
	return VTF_EXIT_INTERNAL;
}

static enum vtf_exit run(struct verify *v)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	enum vtf_exit code;

	/* values first: the list is ahead of the PCR, never the other way round */
	if (!get_values(v, &err) && !choose_banks(v, &err) && !open_list(v, &err)) {
		ima_verify(&v->opts, &v->result, &err);
		if (v->opts.fd != STDIN_FILENO)
			close(v->opts.fd);
	}
	code = vtf_error_print(NAME, &err);
	if (code != VTF_EXIT_DONE && code != VTF_EXIT_VERIFY)
		return code;
	ask_ima(v);
	if (v->result.entries && !v->result.first_known && !v->opts.strict)
		fprintf(stderr,
			"vtpmfast %s: the first entry is `%s`, no known beginning of a list: it may "
			"have been staged or cut\n", NAME, v->result.first_name);
	return vtf_exit_worse(code, deliver(v, &err));
}

int cmd_verify(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[LIST]",
		.doc = "Replays an IMA measurement list (default: that of this machine; - is standard "
		       "input) and compares with the values of a PCR, all banks by default. Exit code "
		       "5 and the position if they do not belong together, or if there is nothing to "
		       "compare.",
	};
	struct verify *v = calloc(1, sizeof(*v));
	enum vtf_exit code = VTF_EXIT_INTERNAL;

	if (!v)
		return VTF_EXIT_INTERNAL;
	setenv("TSS2_LOG", "all+none", 0);
	v->path = IMA_BINARY_LIST;
	v->opts.pcr = IMA_DEFAULT_PCR;
	v->opts.expected = &v->values;
	if (!argp_parse(&argp, argc, argv, 0, NULL, v))
		code = run(v);
	free(v);
	return code;
}
