// SPDX-License-Identifier: GPL-2.0
/*
 * The command `extend` with completion modes, on a machine that has none: the
 * device node is a pseudo-terminal with libtpms behind it, sysfs is a tree of
 * ours. Real modes are tested in a guest; here it is their order, and that the
 * mode found at the start is back at the end, however it ends.
 */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands.h"
#include "lib/client.h"
#include "lib/clock.h"
#include "lib/output.h"
#include "lib/sysfs.h"

static char root[64], node[PATH_MAX], result[PATH_MAX];
static pid_t server;
static int slave;

static void put(const char *below, const char *text)
{
	char path[PATH_MAX], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, below);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* One command from a stream, by the size in its header. */
static void receive(int fd, struct tpm_command *cmd)
{
	size_t want = TPM_HEADER_BYTES;

	cmd->len = 0;
	while (cmd->len < want) {
		ssize_t n = read(fd, cmd->bytes + cmd->len, want - cmd->len);

		if (n <= 0)
			_exit(0);
		cmd->len += (size_t)n;
		if (cmd->len == TPM_HEADER_BYTES)
			want = (size_t)cmd->bytes[4] << 8 | cmd->bytes[5];
	}
}

static _Noreturn void serve(int master)
{
	static const struct client_target target = { .ops = &client_libtpms, .name = "libtpms" };
	static struct client c = { .target = &target, .fd = -1 };
	static struct tpm_command cmd;

	if (client_libtpms.open(&c, NULL))
		_exit(1);
	for (;;) {
		ssize_t len;

		receive(master, &cmd);
		len = client_libtpms.transmit(&c, &cmd, c.response, sizeof(c.response));
		if (len < 0 || write(master, c.response, (size_t)len) != len)
			_exit(1);
	}
}

static void start_tpm(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct termios raw;
	pid_t parent = getpid();

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	/* kept open, so that the terminal stays raw and the server sees no hang-up */
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	assert_int_equal(symlink(ptsname(master), node), 0);
	server = fork();
	if (!server) {
		if (getppid() != parent)
			_exit(1);
		serve(master);
	}
	close(master);
}

static int setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/vtpmfast-extend-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(node, sizeof(node), "%s/tpm0", root);
	snprintf(result, sizeof(result), "%s/result.json", root);
	put("class/tpm/tpm0/completion_mode", "adaptive\n");
	put("class/tpm/tpm0/completion_mode_effective", "event\n");
	setenv("VTPMFAST_SYSFS", root, 1);
	start_tpm();
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(slave);
	unsetenv("VTPMFAST_SYSFS");
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command); // NOLINT(cert-env33-c): our own mkdtemp() name
}

/* In a process of its own, since it catches signals and may end through argp. */
static pid_t start_extend(const char *modes, const char *duration)
{
	pid_t pid = fork();

	if (!pid) {
		/* argp wants them writable, and permutes argv */
		static char words[][16] = { "vtpmfast extend", "--device", "--warmup", "0",
					    "--runs",	       "2",	   "--output", "--csv",
					    "--duration",      "--modes" };
		static char duration_word[16], modes_word[64];
		char *argv[16] = { words[0], words[1], node,	 words[2], words[3], words[4],
				   words[5], words[6], result, words[7], words[8], duration_word };
		int argc = 12;

		/* cmocka would go on with its tests in this process */
		signal(SIGSEGV, SIG_DFL);
		snprintf(duration_word, sizeof(duration_word), "%s", duration);
		if (modes) {
			snprintf(modes_word, sizeof(modes_word), "%s", modes);
			argv[argc++] = words[9];
			argv[argc++] = modes_word;
		}
		if (!freopen("/dev/null", "w", stdout))
			_exit(99);
		exit(cmd_extend(argc, argv));
	}
	return pid;
}

static int wait_code(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void assert_mode_now(const char *mode)
{
	char now[SYSFS_MODE_BYTES];

	assert_int_equal(sysfs_mode_get("tpm0", now), 0);
	assert_string_equal(now, mode);
}

/* "stock auto stock auto": the modes of the points, in their order */
static void point_modes(const char *path, char *text, size_t size)
{
	struct json_object *doc = json_object_from_file(path), *points;
	size_t used = 0;

	assert_non_null(doc);
	points = output_doc_points(doc);
	text[0] = '\0';
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i), *mode, *verified;

		assert_true(json_object_object_get_ex(point, "mode", &mode));
		assert_true(json_object_object_get_ex(point, "verified", &verified));
		assert_true(json_object_get_boolean(verified));
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
					 json_object_get_string(mode));
	}
	json_object_put(doc);
}

static void modes_take_turns_and_are_restored(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(wait_code(start_extend("stock,event,auto", "0.05")), VTF_EXIT_DONE);
	point_modes(result, text, sizeof(text));
	assert_string_equal(text, "stock event auto stock event auto");
	assert_mode_now("adaptive");
}

static void present_mode_is_not_touched(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(wait_code(start_extend(NULL, "0.05")), VTF_EXIT_DONE);
	point_modes(result, text, sizeof(text));
	assert_string_equal(text, "adaptive adaptive");
	assert_mode_now("adaptive");
}

static void assert_restored_after(int signum)
{
	pid_t pid;

	put("class/tpm/tpm0/completion_mode", "usleep\n");
	pid = start_extend("stock,auto", "30");
	for (unsigned int i = 0; i < 500; i++) {
		char now[SYSFS_MODE_BYTES] = "";

		if (!sysfs_mode_get("tpm0", now) && !strcmp(now, "stock"))
			break;
		usleep(10000);
	}
	assert_mode_now("stock");
	assert_int_equal(kill(pid, signum), 0);
	assert_int_equal(wait_code(pid), VTF_EXIT_INCOMPLETE);
	assert_mode_now("usleep");
}

static void restored_after_signals(void **state)
{
	(void)state;
	assert_restored_after(SIGINT);
	assert_restored_after(SIGTERM);
	assert_restored_after(SIGHUP);
}

static void restored_after_the_tpm_has_died(void **state)
{
	pid_t pid;

	(void)state;
	pid = start_extend("stock,auto", "30");
	usleep(500000);
	assert_int_equal(kill(server, SIGKILL), 0);
	assert_int_equal(wait_code(pid), VTF_EXIT_TPM);
	assert_mode_now("adaptive");
}

static void stock_kernel_has_only_stock(void **state)
{
	char path[PATH_MAX], text[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/class/tpm/tpm0/completion_mode", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(wait_code(start_extend("stock,auto", "0.05")), VTF_EXIT_MISSING);
	assert_int_equal(wait_code(start_extend("stock", "0.05")), VTF_EXIT_DONE);
	point_modes(result, text, sizeof(text));
	assert_string_equal(text, "stock stock");
	assert_int_equal(wait_code(start_extend(NULL, "0.05")), VTF_EXIT_DONE);
	assert_int_not_equal(access(path, F_OK), 0);
}

#define WITH_TPM(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TPM(modes_take_turns_and_are_restored),
		WITH_TPM(present_mode_is_not_touched),
		WITH_TPM(restored_after_signals),
		WITH_TPM(restored_after_the_tpm_has_died),
		WITH_TPM(stock_kernel_has_only_stock),
	};

	return cmocka_run_group_tests_name("extend", tests, NULL, NULL);
}
