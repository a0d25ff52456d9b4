// SPDX-License-Identifier: GPL-2.0
/*
 * Measurement lists of any bytes. The first byte chooses how the rest is read:
 * bits 0..1 the format (2 and 3: from its first byte), bit 2 sha256 digests.
 * Whatever is accepted must be what a writer would write: a binary entry is
 * written again and compared with the bytes that it came from.
 *
 * With VTPMFAST_FUZZ_PLANT in the environment the first good entry counts as a
 * fault, which shows that faults are found and that good entries are reached.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/ima_replay.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_u32(uint8_t **to, size_t v)
{
	for (int i = 0; i < 4; i++)
		*(*to)++ = (uint8_t)(v >> (8 * i));
}

static void put(uint8_t **to, const void *bytes, size_t len)
{
	memcpy(*to, bytes, len);
	*to += len;
}

/* As the kernel would write it. Return: bytes. */
static size_t rewrite(const struct ima_entry *e, size_t digest_len, uint8_t *to)
{
	const struct ima_template *t = e->template;
	size_t name_len = strlen(t->name);
	uint8_t *at = to;

	put_u32(&at, e->pcr);
	put(&at, e->digest, digest_len);
	put_u32(&at, name_len);
	put(&at, t->name, name_len);
	if (!t->legacy)
		put_u32(&at, e->data_len);
	for (unsigned int i = 0; i < t->count; i++) {
		bool is_name = t->field[i]->form == IMA_FORM_NAME;
		size_t len = e->field[i].len - (t->legacy && is_name);

		if (!t->legacy || is_name)
			put_u32(&at, len);
		put(&at, e->field[i].data, len);
	}
	return (size_t)(at - to);
}

static void check_entry(const struct ima_entry *e, const struct ima_list *list, size_t digest_len,
			const uint8_t *data, size_t size)
{
	uint64_t end = ima_list_bytes(list);
	uint8_t *again;

	CHECK(e->pcr < IMA_PCR_COUNT && end <= size && e->offset < end);
	CHECK(strlen(e->event_name) < IMA_MAX_PATH_BYTES);
	CHECK(!getenv("VTPMFAST_FUZZ_PLANT"));
	if (ima_list_format(list) == IMA_LIST_ASCII)
		return;
	/* an entry cannot be longer than what it was read from */
	again = malloc(size + 16);
	CHECK(again);
	CHECK(rewrite(e, digest_len, again) == end - e->offset);
	CHECK(!memcmp(again, data + e->offset, end - e->offset));
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum ima_list_format formats[] = { IMA_LIST_BINARY, IMA_LIST_ASCII,
							IMA_LIST_AUTO, IMA_LIST_AUTO };
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	const struct pcr_bank *algo;
	struct ima_replay *replay;
	struct pcr_banks banks;
	struct ima_entry entry;
	struct ima_list *list;
	int fd, rc;

	if (!size)
		return 0;
	algo = pcr_bank_by_name(*data & 4 ? "sha256" : "sha1");
	fd = memfd_create("list", MFD_CLOEXEC);
	CHECK(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	CHECK(!lseek(fd, 0, SEEK_SET));
	list = ima_list_new(fd, formats[*data & 3], algo);
	CHECK(!pcr_banks_parse("sha1,sha256", &banks));
	replay = ima_replay_new(&banks, 2, algo, &err);
	CHECK(list && replay);
	while ((rc = ima_list_next(list, &entry, &err)) > 0) {
		struct vtf_error wrong_digest = { .code = VTF_EXIT_DONE };

		check_entry(&entry, list, algo->size, data + 1, size - 1);
		ima_replay_entry(replay, &entry, true, &wrong_digest);
		CHECK(wrong_digest.code == VTF_EXIT_DONE || wrong_digest.code == VTF_EXIT_VERIFY);
	}
	CHECK(rc ? err.code == VTF_EXIT_VERIFY : ima_list_bytes(list) == size - 1);
	ima_replay_free(replay);
	ima_list_free(list);
	close(fd);
	return 0;
}
