// SPDX-License-Identifier: GPL-2.0
/*
 * ima_watch: looks at PCR 10 and at IMA's list while others measure, until
 * SIGTERM, and says whether what it saw can be.
 *
 *   --device NODE   the TPM (/dev/tpmrm0)
 *   --batch N       by how many entries the list may lead the PCR (16)
 *   --pause-ms N    between two looks (10)
 *
 * Prints `looks=N entries=N moved=N largest_lead=N quiet=N faults=N`, and a line to
 * stderr for each of the first faults. Exit: 0 no fault, 1 internal, 2 usage, 3 no list
 * or TPM, 4 TPM, 5 a fault.
 *
 * What two readings can show. L(t) is the number of entries in the list and P(t) the
 * number that the PCR holds; both only grow, and at any instant
 *
 *	P(t) <= L(t) <= P(t) + batch.				(1)
 *
 * One look reads the list until its end, at t0; then the PCR in each bank, at t1 > t0;
 * then the list again, at t2 > t1. From (1) and since both only grow
 *
 *	P(t1) <= L(t1) <= L(t2): the PCR must be the replay of a part, from the first
 *	entry on, of the list as read AFTER it. One that is no such replay holds an
 *	entry that is not listed, or in another order. That the PCR leads for a shorter
 *	time than t2 - t1 cannot be seen from here; a TPM sees it (see --events
 *	of scripted-tpm).
 *	L(t0) <= P(t0) + batch <= P(t1) + batch: the list as read BEFORE the PCR leads
 *	it by a batch at most. For L(t2) there is no bound: any number of batches
 *	fit between t1 and t2.
 *
 * Besides P never falls from look to look or bank to bank, and if the list was as long
 * QUIET_LOOKS looks ago as it is at t2, with 50 ms between, P(t1) = L(t2). Looks are
 * counted, and not only time, so that a machine that stood still is not taken for quiet.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/client.h"
#include "lib/clock.h"
#include "lib/ima_follow.h"
#include "lib/ima_list.h"
#include "lib/ima_replay.h"

#define QUIET_NS (50 * NS_PER_MS)

enum { QUIET_LOOKS = 5, FAULTS_TOLD = 10 };

struct watch {
	struct client client;
	struct client_target target;
	struct pcr_banks banks;
	unsigned int batch, pause_ms;
	/* the list: its file, all bytes so far, and a reader of those */
	int list_fd, copy_fd;
	uint64_t copy_bytes;
	struct ima_list *list;
	struct ima_replay *replay;
	/* what the PCR was after 0, 1, 2... entries: a value for each bank */
	uint8_t (*values)[PCR_MAX_DIGEST_BYTES];
	uint64_t entries, room;
	/* how many entries the PCR held at the last look */
	uint64_t held;
	/* since when, in time and looks, the list is as long as it is */
	uint64_t still_ns;
	unsigned int still_looks;
	uint64_t looks, moved, largest_lead, quiet, faults;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

__attribute__((format(printf, 2, 3))) static void fault(struct watch *w, const char *fmt, ...)
{
	va_list args;

	if (w->faults++ >= FAULTS_TOLD)
		return;
	fprintf(stderr, "ima_watch: look %" PRIu64 ": ", w->looks);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Keeps what the PCR is after all entries so far. */
static int keep_values(struct watch *w, struct vtf_error *err)
{
	unsigned int banks = w->banks.count;

	if (w->entries >= w->room) {
		uint64_t room = w->room ? 2 * w->room : 1024;
		void *more = realloc(w->values, room * banks * sizeof(*w->values));

		if (!more)
			return vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
		w->values = more;
		w->room = room;
	}
	for (unsigned int i = 0; i < banks; i++)
		memcpy(w->values[w->entries * banks + i], ima_replay_value(w->replay, i),
		       w->banks.bank[i]->size);
	return 0;
}

/* Takes what is new from the list's file until there is no more. */
static int copy_new(struct watch *w, struct vtf_error *err)
{
	uint8_t buffer[65536];
	ssize_t size;

	while ((size = read(w->list_fd, buffer, sizeof(buffer))) > 0) {
		if (pwrite(w->copy_fd, buffer, (size_t)size, (off_t)w->copy_bytes) != size)
			return vtf_error_set(err, VTF_EXIT_INTERNAL, "copy of the list: %s",
					     strerror(errno));
		w->copy_bytes += (uint64_t)size;
	}
	if (size < 0)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "read %s: %s", IMA_BINARY_LIST,
				     strerror(errno));
	return 0;
}

static int read_list(struct watch *w, struct vtf_error *err)
{
	uint64_t before = w->entries;
	struct ima_entry entry;
	int rc;

	if (copy_new(w, err))
		return -1;
	while ((rc = ima_list_next(w->list, &entry, err)) > 0) {
		if (entry.pcr != IMA_DEFAULT_PCR)
			return vtf_error_set(err, VTF_EXIT_VERIFY, "entry %" PRIu64 " is of PCR %u",
					     entry.number, entry.pcr);
		if (ima_replay_entry(w->replay, &entry, true, err))
			return -1;
		w->entries++;
		if (keep_values(w, err))
			return -1;
	}
	if (w->entries != before) {
		w->still_ns = clock_now_ns();
		w->still_looks = 0;
	}
	return rc;
}

/* After how many entries, from @from to @to, bank @bank has @value; -1: never */
static int64_t position(const struct watch *w, unsigned int bank, const uint8_t *value,
			uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++)
		if (!memcmp(w->values[n * w->banks.count + bank], value, w->banks.bank[bank]->size))
			return (int64_t)n;
	return -1;
}

/* @listed: the length of the list as it was read before the PCR */
static void judge(struct watch *w, uint8_t (*value)[PCR_MAX_DIGEST_BYTES], uint64_t listed)
{
	uint64_t before = w->held;

	for (unsigned int i = 0; i < w->banks.count; i++) {
		const char *bank = w->banks.bank[i]->name;
		int64_t held = position(w, i, value[i], w->held, w->entries);

		if (held < 0) {
			bool fell = w->held && position(w, i, value[i], 0, w->held - 1) >= 0;

			fault(w, fell ? "bank %s: the PCR holds less than before" :
					"bank %s: the PCR is not the replay of a part of the list", bank);
			continue;
		}
		w->held = (uint64_t)held;
		if (listed > w->held && listed - w->held > w->largest_lead)
			w->largest_lead = listed - w->held;
		if (listed > w->held + w->batch)
			fault(w, "bank %s: the list leads by %" PRIu64, bank, listed - w->held);
	}
	w->moved += w->held != before;
}

static int look(struct watch *w, struct vtf_error *err)
{
	uint8_t value[PCR_MAX_BANKS][PCR_MAX_DIGEST_BYTES];
	uint64_t listed, began_ns;
	bool quiet;

	w->looks++;
	w->still_looks++;
	if (read_list(w, err))
		return -1;
	listed = w->entries;
	began_ns = clock_now_ns();
	for (unsigned int i = 0; i < w->banks.count; i++)
		if (w->client.target->ops->pcr_read(&w->client, w->banks.bank[i], value[i], err))
			return -1;
	if (read_list(w, err))
		return -1;
	judge(w, value, listed);
	quiet = w->still_looks > QUIET_LOOKS && began_ns > w->still_ns + QUIET_NS;
	w->quiet += quiet;
	if (quiet && w->held != w->entries)
		fault(w, "it is quiet, and yet the list leads by %" PRIu64, w->entries - w->held);
	return 0;
}

/* What was read piece by piece must be what another reads in one go now. */
static int compare_copies(struct watch *w, struct vtf_error *err)
{
	int fd = open(IMA_BINARY_LIST, O_RDONLY | O_CLOEXEC);
	uint8_t whole[65536], part[65536];
	uint64_t at = 0;

	if (fd < 0)
		return vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s", IMA_BINARY_LIST,
				     strerror(errno));
	while (at < w->copy_bytes) {
		ssize_t size = read(fd, whole, sizeof(whole));

		if (size > 0 && (uint64_t)size > w->copy_bytes - at)
			size = (ssize_t)(w->copy_bytes - at);
		if (size <= 0 || pread(w->copy_fd, part, (size_t)size, (off_t)at) != size ||
		    memcmp(whole, part, (size_t)size) != 0) {
			fault(w, "the list has changed near byte %" PRIu64, at);
			break;
		}
		at += (uint64_t)size;
	}
	close(fd);
	return 0;
}

static int set_up(struct watch *w, struct vtf_error *err)
{
	const struct pcr_bank *algo = pcr_bank_by_name("sha1");

	w->client.target = &w->target;
	w->client.pcr = IMA_DEFAULT_PCR;
	if (client_device.open(&w->client, err) || client_device.banks(&w->client, &w->banks, err))
		return -1;
	w->list_fd = open(IMA_BINARY_LIST, O_RDONLY | O_CLOEXEC);
	if (w->list_fd < 0)
		return vtf_error_set(err, VTF_EXIT_MISSING, "open %s: %s", IMA_BINARY_LIST,
				     strerror(errno));
	w->copy_fd = memfd_create("list", MFD_CLOEXEC);
	if (w->copy_fd < 0)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "memfd_create: %s", strerror(errno));
	w->list = ima_list_new(w->copy_fd, IMA_LIST_BINARY, algo);
	if (!w->list)
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "out of memory");
	w->replay = ima_replay_new(&w->banks, 0, algo, err);
	if (!w->replay)
		return -1;
	return keep_values(w, err);
}

static int watch(struct watch *w, struct vtf_error *err)
{
	if (set_up(w, err))
		return -1;
	/* others start their work when they see it */
	printf("watching\n");
	fflush(stdout);
	while (!stop) {
		if (look(w, err))
			return -1;
		if (w->looks % 100 == 0 && compare_copies(w, err))
			return -1;
		clock_sleep_until(clock_now_ns() + w->pause_ms * NS_PER_MS);
	}
	/* the last looks are at what must be quiet */
	while (w->still_looks <= QUIET_LOOKS + 1) {
		if (look(w, err))
			return -1;
		clock_sleep_until(clock_now_ns() + QUIET_NS / QUIET_LOOKS);
	}
	return compare_copies(w, err);
}

static void tear_down(struct watch *w)
{
	if (w->client.fd >= 0)
		client_device.close(&w->client);
	ima_list_free(w->list);
	ima_replay_free(w->replay);
	free(w->values);
	if (w->list_fd >= 0)
		close(w->list_fd);
	if (w->copy_fd >= 0)
		close(w->copy_fd);
}

static unsigned int number(const char *text, const char *option)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !*text || *text == '-' || !value || value > 1000000) {
		fprintf(stderr, "ima_watch: --%s: '%s' is no number from 1 to 1000000\n", option, text);
		exit(VTF_EXIT_USAGE);
	}
	return (unsigned int)value;
}

static void parse(struct watch *w, int argc, char **argv)
{
	static const struct option options[] = { { "device", required_argument, NULL, 'd' },
						 { "batch", required_argument, NULL, 'b' },
						 { "pause-ms", required_argument, NULL, 'p' },
						 { 0 } };
	int key;

	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (key == 'd')
			snprintf(w->target.name, sizeof(w->target.name), "%s", optarg);
		else if (key == 'b')
			w->batch = number(optarg, "batch");
		else if (key == 'p')
			w->pause_ms = number(optarg, "pause-ms");
		else
			exit(VTF_EXIT_USAGE);
	}
	if (optind < argc) {
		fprintf(stderr, "ima_watch: unexpected '%s'\n", argv[optind]);
		exit(VTF_EXIT_USAGE);
	}
}

int main(int argc, char **argv)
{
	static struct watch w = { .target = { .ops = &client_device, .name = "/dev/tpmrm0" },
				  .batch = 16, .pause_ms = 10,
				  .client = { .fd = -1 }, .list_fd = -1, .copy_fd = -1 };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct vtf_error err = { .code = VTF_EXIT_DONE };

	parse(&w, argc, argv);
	sigaction(SIGTERM, &sa, NULL);
	watch(&w, &err);
	printf("looks=%" PRIu64 " entries=%" PRIu64 " moved=%" PRIu64 " largest_lead=%" PRIu64
	       " quiet=%" PRIu64 " faults=%" PRIu64 "\n",
	       w.looks, w.entries, w.moved, w.largest_lead, w.quiet, w.faults);
	tear_down(&w);
	if (err.code)
		return (int)vtf_error_print("ima_watch", &err);
	return w.faults ? VTF_EXIT_VERIFY : VTF_EXIT_DONE;
}
