// SPDX-License-Identifier: GPL-2.0
/*
 * The init of our guests: sets up what swtpm and the tests need, runs one
 * program, writes down how it ended and powers off.
 *
 * The root is read-only; everything that is written lands in a tmpfs or in
 * /out, a directory of the host:
 *   /out/cmd     in:  the program and its arguments, each ended by a NUL
 *   /out/stdout  out: what the program wrote
 *   /out/stderr
 *   /out/status  out: `exit N`; written last, so its absence means that the
 *                guest died
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	CMD_MAX_BYTES = 128 * 1024,
	ARG_MAX_COUNT = 4096,
	CMDLINE_MAX_BYTES = 4096,
	/* how long whatever the program left behind may take to end */
	TERM_WAIT_MS = 500,
	KILL_WAIT_MS = 2000,
	LOOK_MS = 10,
	/* status of a guest whose program could not be run at all */
	EXIT_NO_PROGRAM = 127,
	EXIT_SIGNAL_BASE = 128,
};

struct mount_point {
	const char *type;
	const char *dir;
	const char *options;
	unsigned long flags;
	bool needed;
};

static const struct mount_point mount_points[] = {
	{ "proc", "/proc", NULL, MS_NOSUID | MS_NODEV, true },
	{ "sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV, true },
	{ "devtmpfs", "/dev", NULL, MS_NOSUID, true },
	{ "tmpfs", "/tmp", "mode=1777", MS_NOSUID | MS_NODEV, true },
	{ "tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV, true },
	{ "tmpfs", "/var", "mode=0755", MS_NOSUID | MS_NODEV, true },
	{ "tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV, false },
	/* what the kernel at hand may lack */
	{ "securityfs", "/sys/kernel/security", NULL, 0, false },
	{ "debugfs", "/sys/kernel/debug", NULL, 0, false },
	{ "tracefs", "/sys/kernel/tracing", NULL, 0, false },
	{ "configfs", "/sys/kernel/config", NULL, 0, false },
};

static const char *const environment[] = {
	"PATH=/usr/bin:/usr/sbin", "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C",
	NULL,
};

/* To the kernel's log: the only place that survives whatever happens here. */
__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	char text[512];
	va_list args;
	int fd, len;

	len = snprintf(text, sizeof(text), "<5>vtpmfast-init: ");
	va_start(args, format);
	vsnprintf(text + len, sizeof(text) - (size_t)len, format, args);
	va_end(args);

	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* nobody is left to be told when even this fails */
	if (write(fd, text, strlen(text)) < 0)
		sync();
	close(fd);
}

static int mount_all(void)
{
	const struct mount_point *m = mount_points;
	const struct mount_point *end =
		m + sizeof(mount_points) / sizeof(mount_points[0]);
	int rc = 0;

	for (; m < end; m++) {
		/* /dev/shm is the only one that is not there beforehand */
		if (!m->needed)
			mkdir(m->dir, 0755);
		if (!mount(m->type, m->dir, m->type, m->flags, m->options))
			continue;
		if (m->needed) {
			rc = -errno;
			say("mount %s on %s: %m", m->type, m->dir);
		}
	}
	return rc;
}

/* bash's <(...) and many scripts want these names; devtmpfs has none */
static void link_dev(void)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			say("symlink %s: %m", links[i][1]);
}

/* TCTIs that reach a TPM over TCP need 127.0.0.1 */
static void bring_up_loopback(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr))
		say("SIOCSIFFLAGS lo: %m");
	close(fd);
}

/* Reads at most size - 1 bytes and ends them by a NUL; negative errno */
static ssize_t read_file(const char *path, char *buf, size_t size)
{
	ssize_t len, total = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	do {
		len = read(fd, buf + total, size - 1 - (size_t)total);
		if (len > 0)
			total += len;
	} while (len > 0 || (len < 0 && errno == EINTR));
	if (len < 0)
		total = -errno;
	else
		buf[total] = '\0';
	close(fd);
	return total;
}

/* The host's directory is named on the kernel command line. */
static int mount_out(void)
{
	static const char name[] = "vtpmfast.out=";
	char cmdline[CMDLINE_MAX_BYTES];
	char *word, *rest;
	ssize_t len = read_file("/proc/cmdline", cmdline, sizeof(cmdline));

	if (len < 0) {
		say("read /proc/cmdline: %s", strerror((int)-len));
		return (int)len;
	}
	for (word = strtok_r(cmdline, " \n", &rest); word;
	     word = strtok_r(NULL, " \n", &rest)) {
		if (strncmp(word, name, sizeof(name) - 1) != 0)
			continue;
		word += sizeof(name) - 1;
		if (!mount("none", "/out", "hostfs", MS_NOSUID | MS_NODEV,
			   word))
			return 0;
		len = -errno;
		say("mount hostfs %s on /out: %m", word);
		return (int)len;
	}
	say("no vtpmfast.out= on the kernel command line");
	return -ENOENT;
}

/* Splits /out/cmd into argv; the strings live in the caller's buffer. */
static int read_command(char *buf, size_t size, char **argv, int max)
{
	ssize_t len = read_file("/out/cmd", buf, size);
	int argc = 0;

	if (len < 0) {
		say("read /out/cmd: %s", strerror((int)-len));
		return (int)len;
	}
	for (char *p = buf; p < buf + len; p += strlen(p) + 1) {
		if (argc == max - 1)
			return -E2BIG;
		argv[argc++] = p;
	}
	argv[argc] = NULL;
	return argc ? argc : -ENOENT;
}

static int redirect(const char *path, int flags, int target_fd)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0 || dup2(fd, target_fd) < 0)
		return -errno;
	return 0;
}

static void run_child(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (chdir("/tmp") ||
	    redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
	    redirect("/out/stdout", O_WRONLY | O_CREAT | O_APPEND,
		     STDOUT_FILENO) ||
	    redirect("/out/stderr", O_WRONLY | O_CREAT | O_APPEND,
		     STDERR_FILENO)) {
		say("redirect: %m");
		_exit(EXIT_NO_PROGRAM);
	}
	execvpe(argv[0], argv, (char *const *)environment);
	dprintf(STDERR_FILENO, "init: execve %s: %m\n", argv[0]);
	_exit(EXIT_NO_PROGRAM);
}

static int exit_code(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	return EXIT_SIGNAL_BASE + WTERMSIG(wait_status);
}

/* Runs the program and reaps everything that becomes ours meanwhile. */
static int run(char **argv)
{
	int wait_status;
	pid_t child, pid;

	child = fork();
	if (child < 0) {
		say("fork: %m");
		return EXIT_NO_PROGRAM;
	}
	if (!child)
		run_child(argv);

	for (;;) {
		pid = waitpid(-1, &wait_status, 0);
		if (pid == child)
			return exit_code(wait_status);
		if (pid < 0 && errno != EINTR) {
			say("waitpid: %m");
			return EXIT_NO_PROGRAM;
		}
	}
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* True when no process is left but init */
static bool reap_until(long deadline_ms)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
	pid_t pid;

	do {
		do {
			pid = waitpid(-1, NULL, WNOHANG);
		} while (pid > 0);
		if (pid < 0 && errno == ECHILD)
			return true;
		nanosleep(&look, NULL);
	} while (now_ms() < deadline_ms);
	return false;
}

static void end_everything(void)
{
	if (reap_until(0))
		return;
	kill(-1, SIGTERM);
	kill(-1, SIGCONT);
	if (reap_until(now_ms() + TERM_WAIT_MS))
		return;
	kill(-1, SIGKILL);
	if (!reap_until(now_ms() + KILL_WAIT_MS))
		say("stuck: a process is still there %d ms after SIGKILL",
		    KILL_WAIT_MS);
}

static int write_status(int code)
{
	int rc = 0;
	int fd = open("/out/status.tmp",
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "exit %d\n", code) < 0 || fsync(fd))
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename("/out/status.tmp", "/out/status"))
		rc = -errno;
	return rc;
}

int main(void)
{
	static char command[CMD_MAX_BYTES];
	static char *argv[ARG_MAX_COUNT];
	int code = EXIT_NO_PROGRAM;
	int rc;

	if (getpid() != 1) {
		fprintf(stderr, "init: this is the init of a guest: run it as process 1\n");
		return 2;
	}
	umask(022);
	rc = mount_all();
	if (!rc)
		rc = mount_out();
	if (rc)
		goto out;
	link_dev();
	bring_up_loopback();
	if (sethostname("guest", strlen("guest")))
		say("sethostname: %m");

	rc = read_command(command, sizeof(command), argv, ARG_MAX_COUNT);
	if (rc > 0)
		code = run(argv);
	end_everything();
	rc = write_status(code);
	if (rc)
		say("write /out/status: %s", strerror(-rc));
out:
	sync();
	reboot(RB_POWER_OFF);
	say("reboot: %m");
	/* an init that returns would be a panic, and the launcher sees that */
	return 1;
}
