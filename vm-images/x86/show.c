// SPDX-License-Identifier: GPL-2.0
/*
 * The whole userspace of a short x86 boot: prints the files named on the kernel
 * command line after `--` to the second serial port and powers off.
 *
 *   == PATH         before the contents of each file
 *   == end          the last line: without it the guest died
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

static const char *const mounts[][2] = {
	{ "devtmpfs", "/dev" },
	{ "proc", "/proc" },
	{ "sysfs", "/sys" },
	{ "securityfs", "/sys/kernel/security" },
};

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

__attribute__((format(printf, 2, 3)))
static void say(int out, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	write_all(out, text, strlen(text));
}

static void show(int out, const char *path)
{
	char data[4096];
	ssize_t n;
	int fd;

	say(out, "== %s\n", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		say(out, "cannot open: %s\n", strerror(errno));
		return;
	}
	while ((n = read(fd, data, sizeof(data))) > 0)
		write_all(out, data, (size_t)n);
	close(fd);
}

int main(int argc, char **argv)
{
	struct termios tty;
	int out;

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i][1], 0755);
		mount(mounts[i][0], mounts[i][1], mounts[i][0], 0, NULL);
	}
	out = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (out >= 0 && !tcgetattr(out, &tty)) {
		cfmakeraw(&tty);
		tcsetattr(out, TCSANOW, &tty);
	}
	for (int i = 1; i < argc; i++)
		show(out, argv[i]);
	say(out, "== end\n");
	if (out >= 0)
		tcdrain(out);
	reboot(RB_POWER_OFF);
	return 1;
}
