// SPDX-License-Identifier: GPL-2.0
/*
 * fsuuid PATH - prints the UUID of the file system that PATH is on, as IMA's rules spell it
 *
 * Exit: 0, 2 usage, 3 the path cannot be opened, or the kernel or the file system knows no UUID.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* FS_IOC_GETFSUUID of Linux 6.9; the headers that this is built with may be older. */
struct fs_uuid {
	uint8_t bytes;
	uint8_t uuid[16];
};
#define GET_FS_UUID _IOR(0x15, 0, struct fs_uuid)

int main(int argc, char **argv)
{
	struct fs_uuid fs = { 0 };
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: fsuuid PATH\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, GET_FS_UUID, &fs)) {
		fprintf(stderr, "fsuuid: %s: %s\n", argv[1], strerror(errno));
		return 3;
	}
	close(fd);
	if (fs.bytes != sizeof(fs.uuid)) {
		fprintf(stderr, "fsuuid: %s: no UUID of 16 bytes\n", argv[1]);
		return 3;
	}
	for (size_t i = 0; i < sizeof(fs.uuid); i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", fs.uuid[i]);
	putchar('\n');
	return 0;
}
