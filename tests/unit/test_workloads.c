// SPDX-License-Identifier: GPL-2.0
/* Every workload in a directory of ours, without IMA: does it do what it says? */
#include <errno.h>
#include <fcntl.h>
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

#include "lib/tmpdir.h"
#include "sweep/place.h"
#include "workloads/workload.h"

#define WORKERS 2

struct fixture {
	struct place top;
	struct work_place place;
	struct work work[WORKERS];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(place_in_directory(&f->top, "/tmp", NULL), 0);
	snprintf(f->place.path, sizeof(f->place.path), "%s", f->top.path);
	snprintf(f->place.nonce, sizeof(f->place.nonce), "test");
	for (; f->place.dirs < WORKERS; f->place.dirs++) {
		char path[300];

		snprintf(path, sizeof(path), "%s/%u", f->place.path, f->place.dirs);
		assert_int_equal(mkdir(path, 0700), 0);
		f->place.dir[f->place.dirs] = open(path, O_RDONLY | O_DIRECTORY);
		f->work[f->place.dirs].place = &f->place;
		f->work[f->place.dirs].worker = f->place.dirs;
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char path[PLACE_PATH_BYTES];

	while (f->place.dirs--)
		close(f->place.dir[f->place.dirs]);
	memcpy(path, f->top.path, sizeof(path));
	place_leave(&f->top);
	assert_int_equal(access(path, F_OK), -1);
	free(f);
	return 0;
}

/* Return: length of a file, -1 if there is none. */
static ssize_t load(const struct fixture *f, unsigned int dir, const char *name, char *text,
		    size_t size)
{
	int fd = openat(f->place.dir[dir], name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, size);
	close(fd);
	return n;
}

static void all_are_listed(void **state)
{
	static const char *const names[] = { "read", "create", "exec", "mmap" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct workload *w = workload_find(names[i]);

		assert_non_null(w);
		assert_ptr_equal(workloads[i], w);
		assert_non_null(w->run);
		assert_non_null(w->description);
		assert_int_equal(strncmp(w->rule, "measure func=", 13), 0);
		/* what is made must be removed, and only that */
		assert_int_equal(!w->prepare, !w->cleanup);
	}
	assert_null(workloads[4]);
	assert_null(workload_find("extend"));
	assert_null(workload_find(""));
}

/* Files of one worker, of two workers and of two points: no two contents are the same. */
static void contents_differ(void **state)
{
	struct fixture *f = *state;
	char text[5][512];
	ssize_t n[5];

	for (size_t i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];
		struct work_file file = { 0, f->work[0].made };
		char name[2][WORK_NAME_BYTES];

		if (!w->prepare || (w->unable && w->unable()))
			continue;
		snprintf(f->place.nonce, sizeof(f->place.nonce), "test");
		work_name(f->work[0].made, name[0]);
		work_name(f->work[0].made + 1, name[1]);
		assert_int_equal(w->prepare(&f->work[0]), 0);
		assert_int_equal(w->prepare(&f->work[0]), 0);
		f->work[1].made = file.number;
		assert_int_equal(w->prepare(&f->work[1]), 0);
		n[0] = load(f, 0, name[0], text[0], sizeof(text[0]));
		n[1] = load(f, 0, name[1], text[1], sizeof(text[1]));
		n[2] = load(f, 1, name[0], text[2], sizeof(text[2]));
		assert_int_equal(w->cleanup(&f->work[0], &file), 0);
		f->work[0].made = file.number;
		snprintf(f->place.nonce, sizeof(f->place.nonce), "next");
		assert_int_equal(w->prepare(&f->work[0]), 0);
		n[3] = load(f, 0, name[0], text[3], sizeof(text[3]));
		for (int a = 0; a < 4; a++) {
			assert_true(n[a] > 0);
			for (int b = 0; b < a; b++)
				assert_false(n[a] == n[b] && !memcmp(text[a], text[b], (size_t)n[a]));
		}
		/* past the second file, which is still there */
		f->work[0].made++;
	}
}

/* Each access works, takes the file of the other worker too, and leaves nothing of its own. */
static void accesses_work(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];
		struct work_file file = { 0, f->work[0].made };
		char name[WORK_NAME_BYTES];

		if (w->unable && w->unable())
			continue;
		work_name(file.number, name);
		if (w->prepare)
			assert_int_equal(w->prepare(&f->work[0]), 0);
		else
			f->work[0].made++;
		assert_int_equal(w->run(&f->work[1], &file), 0);
		if (w->cleanup) {
			assert_int_equal(faccessat(f->place.dir[0], name, F_OK, 0), 0);
			assert_int_equal(w->cleanup(&f->work[0], &file), 0);
			/* the negative twin: a file that is not there is an error, not an access */
			assert_int_equal(w->run(&f->work[1], &file), -ENOENT);
			assert_int_equal(w->cleanup(&f->work[0], &file), -ENOENT);
		}
		for (unsigned int dir = 0; dir < WORKERS; dir++)
			assert_int_equal(faccessat(f->place.dir[dir], name, F_OK, 0), -1);
	}
}

static void create_counts_its_files(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(workload_create.run(&f->work[1], NULL), 0);
	assert_int_equal(workload_create.run(&f->work[1], NULL), 0);
	assert_int_equal(f->work[1].made, 2);
	assert_int_equal(f->work[0].made, 0);
	/* something of that name is in its way */
	close(openat(f->place.dir[1], "2", O_WRONLY | O_CREAT, 0600));
	assert_int_equal(workload_create.run(&f->work[1], NULL), -EEXIST);
}

static void a_program_that_fails_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct work_file file = { 0, 0 };

	assert_int_equal(work_make(&f->work[0], 0, "no program", 10, 0700), 0);
	assert_int_equal(workload_exec.run(&f->work[0], &file), -ENOEXEC);
	assert_int_equal(work_make(&f->work[0], 1, "#!/bin/false\n", 13, 0700), 0);
	file.number = 1;
	assert_int_equal(workload_exec.run(&f->work[0], &file), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_listed),
		cmocka_unit_test_setup_teardown(contents_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(accesses_work, set_up, tear_down),
		cmocka_unit_test_setup_teardown(create_counts_its_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_program_that_fails_is_an_error, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
