// SPDX-License-Identifier: GPL-2.0
/*
 * Plan, policy and points of a sweep on a machine without IMA: its list is a
 * file of ours that holds beforehand what the accesses would have added.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../tests/ima/listgen.h"
#include "lib/clock.h"
#include "sweep/place.h"
#include "sweep/point.h"
#include "sweep/policy.h"
#include "sweep/sweep.h"

static void fsuuid_is_filled_in(void **state)
{
	char *text;

	(void)state;
	text = policy_fill("a fsuuid=@FSUUID@\nb @FSUUID@@FSUUID@", "12-34");
	assert_string_equal(text, "a fsuuid=12-34\nb 12-3412-34");
	free(text);
	text = policy_fill("no mark @FSUUID\n", "12-34");
	assert_string_equal(text, "no mark @FSUUID\n");
	free(text);
	text = policy_fill("no mark", "");
	assert_string_equal(text, "no mark");
	free(text);
	/* a rule without its condition would measure the whole machine */
	assert_null(policy_fill("fsuuid=@FSUUID@", ""));
	assert_int_equal(errno, EINVAL);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void policy_goes_out_whole(void **state)
{
	static const char rules[] = "# why\n\nmeasure func=A\nmeasure func=B";
	char path[] = "/tmp/test_sweep.XXXXXX";
	struct vtf_error err = { .code = VTF_EXIT_DONE };
	char *text;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(policy_load(rules, path, &err), 0);
	text = policy_read(path, &err);
	assert_string_equal(text, rules);
	free(text);
	write_file(path, "");
	assert_null(policy_read(path, &err));
	assert_int_equal(err.code, VTF_EXIT_USAGE);
	unlink(path);
	err.code = VTF_EXIT_DONE;
	assert_null(policy_read(path, &err));
	assert_int_equal(err.code, VTF_EXIT_USAGE);
	err.code = VTF_EXIT_DONE;
	assert_int_equal(policy_load(rules, path, &err), -1);
	assert_int_equal(err.code, VTF_EXIT_MISSING);
	err.code = VTF_EXIT_DONE;
	assert_int_equal(policy_load(rules, "/dev/full", &err), -1);
	assert_int_equal(err.code, VTF_EXIT_MISSING);
	assert_non_null(strstr(err.text, "line 1"));
}

static void modes_take_turns(void **state)
{
	static struct sweep s = {
		.workload_count = 2, .counts = { 1, 8 }, .count_count = 2, .measure = { .runs = 2 },
	};
	const char *bad = NULL;

	(void)state;
	assert_int_equal(modes_parse(&s.modes, "stock,auto", &bad), 0);
	assert_int_equal(sweep_total(&s), 16);
	for (unsigned int i = 0; i < 16; i++) {
		struct sweep_at at = sweep_at(&s, i);

		assert_int_equal(at.mode, i % 2);
		assert_int_equal(at.run, i / 2 % 2 + 1);
		assert_int_equal(at.workers, i / 4 % 2 ? 8 : 1);
		assert_int_equal(at.workload, i / 8);
	}
	assert_string_equal(sweep_mode(&s, 1), "auto");
	modes_free(&s.modes);
	assert_int_equal(sweep_total(&s), 8);
	assert_null(sweep_mode(&s, 0));
	s.no_tpm = true;
	assert_string_equal(sweep_mode(&s, 0), "no-tpm");
	assert_int_equal(modes_parse(&s.modes, "stock,fast", &bad), -EINVAL);
	assert_string_equal(bad, "fast");
	modes_free(&s.modes);
}

static void enough_files(void **state)
{
	struct sweep_rate rate = { .accesses_per_s = 1000, .workers = 1 };

	(void)state;
	assert_true(sweep_files(&rate, 1, 2, 2) >= 2500);
	assert_true(sweep_files(&rate, 1, 2, 2) < 4000);
	/* two CPUs may make two workers twice as fast, and 64 no faster than two */
	assert_true(sweep_files(&rate, 2, 2, 2) >= 5000);
	assert_true(sweep_files(&rate, 64, 2, 2) < 8000);
	rate.workers = 64;
	assert_true(sweep_files(&rate, 1, 2, 2) < 4000);
	rate.accesses_per_s = 0;
	assert_true(sweep_files(&rate, 1, 2, 2) > 0);
}

/* A machine of ours. */
struct fixture {
	struct place place; /* has sysfs below `sys`, the point's files below `p` */
	char list[300], files[256];
	struct ima_follow *follow;
	struct point_spec spec;
	struct point_result result;
};

static void add_entries(const struct fixture *f, unsigned int count)
{
	struct pcr_banks banks;
	struct listgen gen;
	struct listgen_entry e;
	FILE *list = fopen(f->list, "a");

	assert_non_null(list);
	assert_int_equal(pcr_banks_parse("sha256", &banks), 0);
	listgen_init(&gen, pcr_bank_by_name("sha1"), &banks);
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(listgen_fill(&gen, &e, "ima-ng", i, NULL, false), 0);
		e.pcr = 10;
		listgen_write(&gen, &e, list, NULL);
	}
	listgen_end(&gen);
	fclose(list);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[256];
	struct pcr_banks banks;

	assert_non_null(f);
	assert_int_equal(place_in_directory(&f->place, "/tmp", NULL), 0);
	snprintf(path, sizeof(path), "%s/sys", f->place.path);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("VTPMFAST_SYSFS", path, 1);
	snprintf(path, sizeof(path), "%s/sys/kernel", f->place.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/sys/kernel/security", f->place.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/sys/kernel/security/ima", f->place.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(f->list, sizeof(f->list), "%s/list", path);
	write_file(f->list, "");
	snprintf(path, sizeof(path), "%s/sys/kernel/security/ima/runtime_measurements_count",
		 f->place.path);
	write_file(path, "0\n");
	snprintf(f->files, sizeof(f->files), "%s/p", f->place.path);
	assert_int_equal(mkdir(f->files, 0700), 0);
	assert_int_equal(pcr_banks_parse("sha256", &banks), 0);
	f->follow = ima_follow_open(f->list, 10, &banks, NULL);
	assert_non_null(f->follow);
	f->spec = (struct point_spec){
		.workload = &workload_read,
		.path = f->files,
		.nonce = "test",
		.workers = 3,
		.count = 5,
		.timed_files = 15,
		.stuck_limit_ns = 5 * NS_PER_S,
		.follow = f->follow,
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	ima_follow_close(f->follow);
	place_leave(&f->place);
	unsetenv("VTPMFAST_SYSFS");
	free(f);
	return 0;
}

static void check_count(struct fixture *f)
{
	add_entries(f, 15);
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_DONE);
	assert_int_equal(f->result.run.commands, 15);
	assert_int_equal(f->result.run.hist.count, 15);
	assert_int_equal(f->result.run.extends, 15);
	assert_int_equal(f->result.list_entries, 0);
	assert_int_equal(f->result.list_entries_end, 15);
	assert_int_equal(f->result.errors, 0);
	assert_false(f->result.files_ended);
	assert_false(f->result.have_updates);
	/* without a TPM there is nothing to compare with */
	assert_int_equal(f->result.run.verdict, RUN_UNVERIFIED);
	/* all files and directories are gone, so this works */
	assert_int_equal(rmdir(f->files), 0);
}

static void counts_are_kept(void **state)
{
	check_count(*state);
}

static void threads_too(void **state)
{
	struct fixture *f = *state;

	f->spec.threads = true;
	f->spec.pin = true;
	check_count(f);
}

static void create_needs_no_files(void **state)
{
	struct fixture *f = *state;

	f->spec.workload = &workload_create;
	f->spec.timed_files = 0;
	check_count(f);
}

/* The warm-up has files of its own, and takes none of the timed part's. */
static void warm_up_is_apart(void **state)
{
	struct fixture *f = *state;

	f->spec.warmup_ns = 20 * NS_PER_MS;
	f->spec.warm_files = 10;
	check_count(f);
}

static void nothing_measured_is_no_result(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_VERIFY);
	assert_int_equal(f->result.run.extends, 0);
	assert_non_null(strstr(f->result.run.error.text, "15 accesses made no entry"));
}

static void few_files_end_a_point(void **state)
{
	struct fixture *f = *state;

	add_entries(f, 15);
	f->spec.count = 0;
	f->spec.duration_ns = 3 * NS_PER_S;
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_DONE);
	assert_true(f->result.files_ended);
	assert_int_equal(f->result.run.commands, 15);
	/* the time that it took, not the time that was asked for */
	assert_true(f->result.run.duration_s < 2);
}

static int fail_second(struct work *w, const struct work_file *file)
{
	(void)w;
	return file->number == 1 ? -EIO : 0;
}

static int fail_always(struct work *w, const struct work_file *file)
{
	(void)w;
	(void)file;
	return -EIO;
}

#define WAITS_OF_5(a, b, c, d, e) a " " b " " c " " d " " e " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static void say_ima_tpm(const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/kernel/security/ima/tpm", getenv("VTPMFAST_SYSFS"));
	write_file(path, text);
}

/* An access after which IMA has counted what a point of 15 accesses costs. */
static int count_up(struct work *w, const struct work_file *file)
{
	(void)w;
	(void)file;
	say_ima_tpm("state late\nlost 0\nextends 120\ncommands 209\nbatches 1005\n"
		    "wait_us_log2 " WAITS_OF_5("7", "1", "8", "15", "1"));
	return 0;
}

static void ima_counts_too(void **state)
{
	struct fixture *f = *state;
	struct workload counting = workload_read;

	add_entries(f, 15);
	counting.run = count_up;
	f->spec.workload = &counting;
	say_ima_tpm("state late\nlost 0\nextends 100\ncommands 204\nbatches 1000\n"
		    "wait_us_log2 " WAITS_OF_5("7", "1", "0", "4", "0"));
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_DONE);
	assert_true(f->result.ima.commands_per_extend == 0.25);
	assert_true(f->result.ima.mean_batch == 4);
	/* 8 below 4 us, 11 below 8 us, 1 below 16 us */
	assert_int_equal(f->result.ima.wait_p50_us_below, 8);
	assert_int_equal(f->result.ima.wait_p99_us_below, 16);
}

static void ima_says_nothing(void **state)
{
	struct fixture *f = *state;

	check_count(f);
	assert_true(isnan(f->result.ima.commands_per_extend));
	assert_true(isnan(f->result.ima.mean_batch));
	assert_int_equal(f->result.ima.wait_p50_us_below, 0);
}

/* What cannot be told from the two readings is left out, and nothing else. */
static void figures_as_far_as_said(void **state)
{
	struct ima_tpm before = { .have_series = { [IMA_TPM_WAIT_LOG2] = true } }, after;
	struct ima_figures figures;
	uint64_t *waits = after.series[IMA_TPM_WAIT_LOG2];

	(void)state;
	before.have[IMA_TPM_EXTENDS] = before.have[IMA_TPM_COMMANDS] = true;
	after = before;
	ima_figures_between(&before, &after, &figures);
	assert_true(isnan(figures.commands_per_extend));
	assert_int_equal(figures.wait_p50_us_below, 0);
	after.counter[IMA_TPM_EXTENDS] = after.counter[IMA_TPM_COMMANDS] = 3;
	waits[0] = 1;
	ima_figures_between(&before, &after, &figures);
	assert_true(figures.commands_per_extend == 1);
	assert_true(isnan(figures.mean_batch));
	assert_int_equal(figures.wait_p50_us_below, 1);
	assert_int_equal(figures.wait_p99_us_below, 1);
	/* 99 of 100 */
	waits[0] = 50;
	waits[22] = 49;
	waits[23] = 1;
	ima_figures_between(&before, &after, &figures);
	assert_int_equal(figures.wait_p50_us_below, 1);
	assert_int_equal(figures.wait_p99_us_below, 1U << 22);
	/* beyond the last bound */
	waits[23] = 2;
	ima_figures_between(&before, &after, &figures);
	assert_int_equal(figures.wait_p50_us_below, 1U << 22);
	assert_int_equal(figures.wait_p99_us_below, 0);
	ima_figures_between(NULL, &after, &figures);
	assert_int_equal(figures.wait_p50_us_below, 0);
	assert_true(isnan(figures.commands_per_extend));
}

static int hang(struct work *w, const struct work_file *file)
{
	(void)w;
	(void)file;
	pause();
	return 0;
}

static void failed_accesses_are_counted(void **state)
{
	struct fixture *f = *state;
	struct workload bad = workload_read;

	add_entries(f, 12);
	bad.run = fail_second;
	f->spec.workload = &bad;
	f->spec.count = 0;
	f->spec.duration_ns = 3 * NS_PER_S;
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_INCOMPLETE);
	/* of 15 files one in each of three directories */
	assert_int_equal(f->result.errors, 3);
	assert_int_equal(f->result.run.commands, 12);
	assert_int_equal(f->result.run.extends, 12);
}

static void who_only_fails_gives_up(void **state)
{
	struct fixture *f = *state;
	struct workload bad = workload_read;

	bad.run = fail_always;
	f->spec.workload = &bad;
	f->spec.workers = 1;
	f->spec.count = 1000;
	f->spec.timed_files = 1000;
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_INCOMPLETE);
	assert_int_equal(f->result.errors, 8);
}

static void the_stuck_are_killed(void **state)
{
	struct fixture *f = *state;
	struct workload bad = workload_read;
	uint64_t start_ns = clock_now_ns();

	bad.run = hang;
	f->spec.workload = &bad;
	f->spec.stuck_limit_ns = 300 * NS_PER_MS;
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_TPM);
	assert_non_null(strstr(f->result.run.error.text, "stuck"));
	assert_true(clock_now_ns() - start_ns < 10 * NS_PER_S);
}

/* An access whose extend is lost. */
static int lose(struct work *w, const struct work_file *file)
{
	(void)w;
	(void)file;
	say_ima_tpm("state late\nlost 3\nfirst_lost 17\n");
	return hang(w, file);
}

static void check_lost(struct fixture *f, const char *before, const char *said, const char *unsaid)
{
	struct workload bad = workload_read;

	bad.run = lose;
	f->spec.workload = &bad;
	say_ima_tpm(before);
	assert_int_equal(point_run(&f->spec, &f->result), VTF_EXIT_TPM);
	assert_non_null(strstr(f->result.run.error.text, said));
	if (unsaid)
		assert_null(strstr(f->result.run.error.text, unsaid));
}

static void a_lost_extend_is_named(void **state)
{
	check_lost(*state, "state late\nlost 0\n", "lost 3, the first at list entry 17", NULL);
}

/* The first since boot is none of this point's. */
static void an_old_one_is_not(void **state)
{
	check_lost(*state, "state late\nlost 1\nfirst_lost 17\n", "lost 2", "17");
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fsuuid_is_filled_in),
		cmocka_unit_test(policy_goes_out_whole),
		cmocka_unit_test(modes_take_turns),
		cmocka_unit_test(enough_files),
		cmocka_unit_test(figures_as_far_as_said),
		WITH_MACHINE(counts_are_kept),
		WITH_MACHINE(threads_too),
		WITH_MACHINE(create_needs_no_files),
		WITH_MACHINE(warm_up_is_apart),
		WITH_MACHINE(nothing_measured_is_no_result),
		WITH_MACHINE(few_files_end_a_point),
		WITH_MACHINE(failed_accesses_are_counted),
		WITH_MACHINE(who_only_fails_gives_up),
		WITH_MACHINE(the_stuck_are_killed),
		WITH_MACHINE(ima_counts_too),
		WITH_MACHINE(a_lost_extend_is_named),
		WITH_MACHINE(an_old_one_is_not),
		WITH_MACHINE(ima_says_nothing),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
