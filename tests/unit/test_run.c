// SPDX-License-Identifier: GPL-2.0
/*
 * The run against a TPM in software that misbehaves on demand: what a meter
 * must not do is call a wrong PCR right, or wait for ever.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/run.h"

#define NEVER UINT64_MAX

/* Shared with the clients, which are other processes. */
struct fake {
	pthread_mutex_t lock;
	uint8_t pcr[2][PCR_MAX_DIGEST_BYTES]; /* sha1, sha256 */
	uint64_t commands;
	/* misbehaviour, at the command with that number */
	uint64_t swallow_at;	 /* says yes, extends nothing */
	uint64_t twice_at;	 /* extends twice */
	uint64_t one_bank_at;	 /* forgets the second bank */
	uint64_t refuse_at;	 /* a TPM_RC */
	uint64_t refuse_from;	 /* ... from then on always */
	uint64_t lose_at;	 /* no answer, not extended */
	uint64_t lose_answer_at; /* no answer, but extended */
	uint64_t hang_at;	 /* does not come back */
	uint64_t die_at;	 /* takes its process with it */
	bool open_fails;
	bool open_hangs;
	bool read_fails;
	unsigned int opened, closed;
};

static struct fake *fake;

static int fake_open(struct client *c, struct vtf_error *err)
{
	(void)c;
	if (fake->open_fails)
		return vtf_error_set(err, VTF_EXIT_MISSING, "no such fake");
	if (fake->open_hangs)
		pause();
	pthread_mutex_lock(&fake->lock);
	fake->opened++;
	pthread_mutex_unlock(&fake->lock);
	c->fd = 0;
	return 0;
}

static void fake_close(struct client *c)
{
	if (c->fd < 0)
		return;
	pthread_mutex_lock(&fake->lock);
	fake->closed++;
	pthread_mutex_unlock(&fake->lock);
	c->fd = -1;
}

static int fake_banks(struct client *c, struct pcr_banks *banks, struct vtf_error *err)
{
	(void)c;
	(void)err;
	return pcr_banks_parse("sha1,sha256", banks);
}

static int fake_prepare(struct client *c)
{
	(void)c;
	return 0;
}

static void extend_once(const struct client *c, unsigned int digests)
{
	for (unsigned int i = 0; i < digests; i++)
		pcr_replay(c->digests[i].bank, fake->pcr[c->digests[i].bank->size == 32],
			   c->digests[i].bytes, 1);
}

static int extend_locked(const struct client *c)
{
	uint64_t n = fake->commands++;

	if (n == fake->refuse_at || n >= fake->refuse_from)
		return 0x921; /* TPM_RC_LOCKOUT */
	if (n == fake->lose_at)
		return -ETIME;
	if (n == fake->swallow_at)
		return 0;
	extend_once(c, n == fake->one_bank_at ? 1 : c->digest_count);
	if (n == fake->twice_at)
		extend_once(c, c->digest_count);
	return n == fake->lose_answer_at ? -ETIME : 0;
}

static int fake_extend(struct client *c)
{
	uint64_t n;
	int rc;

	pthread_mutex_lock(&fake->lock);
	n = fake->commands;
	rc = n < fake->hang_at && n < fake->die_at ? extend_locked(c) : 0;
	pthread_mutex_unlock(&fake->lock);
	if (n >= fake->hang_at)
		for (;;)
			pause();
	if (n >= fake->die_at)
		kill(getpid(), SIGKILL);
	return rc;
}

static int fake_read(struct client *c, const struct pcr_bank *bank,
		     uint8_t value[PCR_MAX_DIGEST_BYTES], struct vtf_error *err)
{
	(void)c;
	if (fake->read_fails && fake->commands)
		return vtf_error_set(err, VTF_EXIT_TPM, "cannot read");
	memcpy(value, fake->pcr[bank->size == 32], bank->size);
	return 0;
}

static const struct client_ops fake_ops = {
	.transport = "fake",
	.open = fake_open,
	.close = fake_close,
	.banks = fake_banks,
	.prepare = fake_prepare,
	.extend = fake_extend,
	.pcr_read = fake_read,
};

static const struct client_target target = { .ops = &fake_ops, .name = "the fake" };
static struct run_spec spec;
static struct run_result result;

static int setup(void **state)
{
	pthread_mutexattr_t attr;

	(void)state;
	fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fake == MAP_FAILED)
		return -1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&fake->lock, &attr);
	fake->swallow_at = fake->twice_at = fake->one_bank_at = NEVER;
	fake->refuse_at = fake->refuse_from = fake->lose_at = fake->lose_answer_at = NEVER;
	fake->hang_at = fake->die_at = NEVER;
	memset(&spec, 0, sizeof(spec));
	spec.targets = &target;
	spec.target_count = 1;
	spec.clients = 4;
	spec.pcr = 16;
	spec.count = 23;
	spec.stuck_limit_ns = 400 * NS_PER_MS;
	spec.setup_limit_ns = 2 * NS_PER_S;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(fake, sizeof(*fake));
}

/* 23 asked for must be 23 counted and 23 done. */
static void counts_exactly(void **state)
{
	(void)state;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_int_equal(result.extends, 4 * 23);
	assert_int_equal(fake->commands, 4 * 23);
	assert_int_equal(result.hist.count, 4 * 23);
	assert_int_equal(result.verdict, RUN_VERIFIED);
	assert_int_equal(result.banks.count, 2);
	assert_int_equal(fake->opened, 4);
	assert_int_equal(fake->closed, 4);
	assert_true(result.duration_s > 0);
	assert_true(isnan(result.tpm_us));
	assert_false(result.have_stats);
}

static void counts_exactly_with_threads(void **state)
{
	(void)state;
	spec.threads = true;
	spec.clients = 16;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_int_equal(result.extends, 16 * 23);
	assert_int_equal(fake->commands, 16 * 23);
	assert_int_equal(result.verdict, RUN_VERIFIED);
	assert_int_equal(fake->closed, 16);
}

static void most_clients(void **state)
{
	(void)state;
	spec.clients = RUN_MAX_CLIENTS;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_int_equal(result.extends, RUN_MAX_CLIENTS * 23UL);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

/* Warm-up extends are not timed but they are in the PCR. */
static void warm_up_is_verified_too(void **state)
{
	(void)state;
	spec.warmup_ns = 30 * NS_PER_MS;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_int_equal(result.extends, 4 * 23);
	assert_true(fake->commands > 4 * 23UL);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

static void lasts_as_long_as_asked(void **state)
{
	(void)state;
	spec.count = 0;
	spec.duration_ns = 200 * NS_PER_MS;
	spec.warmup_ns = 20 * NS_PER_MS;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_true(result.duration_s >= 0.19 && result.duration_s < 2);
	assert_true(result.extends > 0);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

static void several_digests_per_command(void **state)
{
	(void)state;
	spec.digests_per_bank = 3;
	assert_int_equal(pcr_banks_parse("sha256", &spec.banks), 0);
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_DONE);
	assert_int_equal(result.commands, 4 * 23);
	assert_int_equal(result.extends, 3 * 4 * 23);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

static void assert_mismatch(void)
{
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_VERIFY);
	assert_int_equal(result.verdict, RUN_MISMATCH);
	assert_int_equal(result.error.code, VTF_EXIT_VERIFY);
}

static void swallowed_extend_is_noticed(void **state)
{
	(void)state;
	fake->swallow_at = 50;
	assert_mismatch();
}

static void double_extend_is_noticed(void **state)
{
	(void)state;
	fake->twice_at = 50;
	assert_mismatch();
}

static void extend_of_one_bank_is_noticed(void **state)
{
	(void)state;
	fake->one_bank_at = 50;
	assert_mismatch();
}

static void refused_extend_is_counted(void **state)
{
	(void)state;
	fake->refuse_at = 50;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_INCOMPLETE);
	assert_int_equal(result.refused, 1);
	assert_int_equal(result.unanswered, 0);
	assert_int_equal(result.extends, 4 * 23);
	assert_int_equal(result.verdict, RUN_VERIFIED);
	assert_non_null(strstr(result.error.text, "0x921"));
}

static void lost_extend_is_counted(void **state)
{
	(void)state;
	fake->lose_at = 50;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_INCOMPLETE);
	assert_int_equal(result.unanswered, 1);
	assert_int_equal(result.despite_error, 0);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

/* No answer does not mean not done: the PCR tells. */
static void lost_answer_is_found_in_the_pcr(void **state)
{
	(void)state;
	fake->lose_answer_at = 50;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_INCOMPLETE);
	assert_int_equal(result.unanswered, 1);
	assert_int_equal(result.despite_error, 1);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

/* A lost answer must not excuse an extend that somebody else made. */
static void lost_answer_does_not_excuse_two(void **state)
{
	(void)state;
	fake->lose_answer_at = 50;
	fake->twice_at = 60;
	assert_mismatch();
}

static void refusing_tpm_ends_the_run(void **state)
{
	(void)state;
	fake->refuse_from = 10;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_TPM);
	assert_int_equal(result.extends, 10);
	assert_int_equal(result.refused, 4 * 8);
	assert_int_equal(result.verdict, RUN_VERIFIED);
}

static void assert_stuck(void)
{
	uint64_t start_ns = clock_now_ns();

	assert_int_equal(run_point(&spec, &result), VTF_EXIT_TPM);
	assert_true(clock_now_ns() - start_ns < 8 * NS_PER_S);
}

static void stuck_client_is_reported(void **state)
{
	(void)state;
	fake->hang_at = 50;
	assert_stuck();
	assert_non_null(strstr(result.error.text, "stuck"));
	fake->commands = 0;
	spec.threads = true;
	assert_stuck();
	assert_non_null(strstr(result.error.text, "stuck"));
}

static void stuck_in_warm_up_is_reported(void **state)
{
	(void)state;
	fake->hang_at = 0;
	spec.warmup_ns = 60 * NS_PER_S;
	assert_stuck();
}

static void stuck_in_opening_is_reported(void **state)
{
	(void)state;
	fake->open_hangs = true;
	spec.setup_limit_ns = 300 * NS_PER_MS;
	assert_stuck();
	assert_non_null(strstr(result.error.text, "could not connect"));
}

static void dead_client_is_reported(void **state)
{
	(void)state;
	fake->die_at = 50;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_INTERNAL);
	assert_non_null(strstr(result.error.text, "signal 9"));
}

static void failing_open_has_its_own_code(void **state)
{
	(void)state;
	fake->open_fails = true;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_MISSING);
	assert_string_equal(result.error.text, "no such fake");
	assert_int_equal(result.commands, 0);
}

static void unreadable_pcr_is_not_verified(void **state)
{
	(void)state;
	fake->read_fails = true;
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_INCOMPLETE);
	assert_int_equal(result.verdict, RUN_UNVERIFIED);
	assert_int_equal(result.extends, 4 * 23);
}

static void inactive_bank_is_refused(void **state)
{
	(void)state;
	assert_int_equal(pcr_banks_parse("sha512", &spec.banks), 0);
	assert_int_equal(run_point(&spec, &result), VTF_EXIT_MISSING);
	assert_non_null(strstr(result.error.text, "sha1+sha256"));
}

#define WITH_FAKE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FAKE(counts_exactly),
		WITH_FAKE(counts_exactly_with_threads),
		WITH_FAKE(most_clients),
		WITH_FAKE(warm_up_is_verified_too),
		WITH_FAKE(lasts_as_long_as_asked),
		WITH_FAKE(several_digests_per_command),
		WITH_FAKE(swallowed_extend_is_noticed),
		WITH_FAKE(double_extend_is_noticed),
		WITH_FAKE(extend_of_one_bank_is_noticed),
		WITH_FAKE(refused_extend_is_counted),
		WITH_FAKE(lost_extend_is_counted),
		WITH_FAKE(lost_answer_is_found_in_the_pcr),
		WITH_FAKE(lost_answer_does_not_excuse_two),
		WITH_FAKE(refusing_tpm_ends_the_run),
		WITH_FAKE(stuck_client_is_reported),
		WITH_FAKE(stuck_in_warm_up_is_reported),
		WITH_FAKE(stuck_in_opening_is_reported),
		WITH_FAKE(dead_client_is_reported),
		WITH_FAKE(failing_open_has_its_own_code),
		WITH_FAKE(unreadable_pcr_is_not_verified),
		WITH_FAKE(inactive_bank_is_refused),
	};

	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
