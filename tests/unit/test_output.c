// SPDX-License-Identifier: GPL-2.0
/* Documents, CSV, and files that are replaced as a whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/output.h"
#include "lib/tmpdir.h"

#define OLD "the old contents\n"
#define NEW_BYTES (1U << 20)

static char directory[256], path[300];
static char fresh[NEW_BYTES];

static int make_directory(void **state)
{
	(void)state;
	memset(fresh, 'n', sizeof(fresh));
	if (tmpdir_make(directory, sizeof(directory)))
		return -1;
	snprintf(path, sizeof(path), "%s/result.json", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	tmpdir_remove(directory);
	return 0;
}

static size_t read_file(char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	size_t done = 0;
	ssize_t n;

	assert_true(fd >= 0);
	while (done < size && (n = read(fd, text + done, size - done)) > 0)
		done += (size_t)n;
	close(fd);
	return done;
}

static void assert_old(void)
{
	char text[64];
	size_t n = read_file(text, sizeof(text));

	assert_int_equal(n, strlen(OLD));
	assert_memory_equal(text, OLD, n);
}

static unsigned int files_in_directory(void)
{
	struct dirent *entry;
	unsigned int n = 0;
	DIR *dir = opendir(directory);

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void put_old(void)
{
	assert_int_equal(output_write_atomic(path, OLD, strlen(OLD)), 0);
}

static void replaces_whole(void **state)
{
	static char text[NEW_BYTES + 1];

	(void)state;
	put_old();
	assert_old();
	assert_int_equal(output_write_atomic(path, fresh, sizeof(fresh)), 0);
	assert_int_equal(read_file(text, sizeof(text)), sizeof(fresh));
	assert_memory_equal(text, fresh, sizeof(fresh));
	assert_int_equal(files_in_directory(), 1);
}

/* In a child whose files may not grow beyond half of the new contents; returns how it ended. */
static int write_over_limit(void (*on_xfsz)(int))
{
	int status;
	pid_t pid;

	put_old();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct rlimit limit = { NEW_BYTES / 2, NEW_BYTES / 2 };

		signal(SIGXFSZ, on_xfsz);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(output_write_atomic(path, fresh, sizeof(fresh)) == -EFBIG ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_old();
	return status;
}

static void killed_in_mid_write_leaves_old(void **state)
{
	int status = write_over_limit(SIG_DFL);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	/* it was killed in mid-write: there is a temporary file of half the size */
	assert_int_equal(files_in_directory(), 2);
}

static void failing_write_leaves_old(void **state)
{
	int status = write_over_limit(SIG_IGN);

	(void)state;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(files_in_directory(), 1);
}

/* Killed at a random moment, again and again: always all of one or all of the other. */
static void killed_anywhere_is_never_half(void **state)
{
	static char text[NEW_BYTES + 1];

	(void)state;
	put_old();
	for (unsigned int i = 0; i < 40; i++) {
		size_t n;
		pid_t pid = fork();

		if (!pid)
			for (;;) {
				output_write_atomic(path, fresh, sizeof(fresh));
				output_write_atomic(path, OLD, strlen(OLD));
			}
		usleep(1000 + 137 * i);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		n = read_file(text, sizeof(text));
		if (n == sizeof(fresh))
			assert_memory_equal(text, fresh, n);
		else
			assert_old();
	}
}

static void keeps_mode_and_link(void **state)
{
	char link_path[320];
	struct stat st;

	(void)state;
	put_old();
	assert_int_equal(chmod(path, 0640), 0);
	snprintf(link_path, sizeof(link_path), "%s/link", directory);
	assert_int_equal(symlink("result.json", link_path), 0);
	assert_int_equal(output_write_atomic(link_path, "x", 1), 0);
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_size, 1);
}

static void new_file_obeys_umask(void **state)
{
	mode_t old = umask(027);
	struct stat st;

	(void)state;
	put_old();
	umask(old);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void errors_are_returned(void **state)
{
	(void)state;
	assert_int_equal(output_write_atomic("/nonexistent/x", "x", 1), -ENOENT);
	assert_int_equal(output_write_atomic(directory, "x", 1), -EISDIR);
	assert_int_equal(output_write_atomic("/dev/full", "x", 1), -ENOSPC);
	assert_int_equal(output_write_atomic("/dev/null", "x", 1), 0);
}

static void nothing_unknown_is_written(void **state)
{
	struct json_object *o = json_object_new_object();

	(void)state;
	output_add_num(o, "a", NAN, 1);
	output_add_num(o, "b", INFINITY, 1);
	output_add_str(o, "c", NULL);
	output_add_str(o, "d", "");
	assert_int_equal(json_object_object_length(o), 0);
	output_add_num(o, "e", 12.345, 1);
	output_add_u64(o, "f", UINT64_MAX);
	output_add_bool(o, "g", false);
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
			    "{\"e\":12.3,\"f\":18446744073709551615,\"g\":false}");
	json_object_put(o);
}

static void document_round_trip(void **state)
{
	struct json_object *doc = output_doc_new("extend", NULL), *point, *back, *kind;

	(void)state;
	point = json_object_new_object();
	output_add_u64(point, "processes", 4);
	output_doc_add(doc, point);
	assert_int_equal(output_write_json(path, doc), 0);
	back = json_object_from_file(path);
	assert_non_null(back);
	assert_true(json_object_equal(doc, back));
	assert_true(json_object_object_get_ex(back, "kind", &kind));
	assert_string_equal(json_object_get_string(kind), "extend");
	json_object_put(doc);
	json_object_put(back);
}

static void csv_quotes_and_unites_columns(void **state)
{
	struct json_object *points = json_tokener_parse(
		"[{\"a\":1,\"b\":\"x,y\"},{\"b\":\"q\\\"q\",\"c\":[\"sha1\",\"sha256\"]}]");
	char text[256] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(f);
	output_csv(f, points);
	fclose(f);
	json_object_put(points);
	assert_string_equal(text, "a,b,c\n1,\"x,y\",\n,\"q\"\"q\",sha1+sha256\n");
}

#define WITH_DIRECTORY(f) cmocka_unit_test_setup_teardown(f, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(replaces_whole),
		WITH_DIRECTORY(killed_in_mid_write_leaves_old),
		WITH_DIRECTORY(failing_write_leaves_old),
		WITH_DIRECTORY(killed_anywhere_is_never_half),
		WITH_DIRECTORY(keeps_mode_and_link),
		WITH_DIRECTORY(new_file_obeys_umask),
		WITH_DIRECTORY(errors_are_returned),
		WITH_DIRECTORY(document_round_trip),
		cmocka_unit_test(nothing_unknown_is_written),
		cmocka_unit_test(csv_quotes_and_unites_columns),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
