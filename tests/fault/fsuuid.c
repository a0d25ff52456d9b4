// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the UUID of the file system that a directory is on, as fsuuid= of an
 * IMA policy wants it. A tmpfs has one too, but no tool of Debian says it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* linux/fs.h since 6.9: FS_IOC_GETFSUUID; Debian's headers are older */
struct fs_uuid {
	uint8_t len;
	uint8_t uuid[16];
};
#define GET_FS_UUID _IOR(0x15, 0, struct fs_uuid)

enum { EXIT_USAGE = 2, EXIT_LACKS = 3 };

int main(int argc, char **argv)
{
	struct fs_uuid id = { 0 };
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: fsuuid DIR\n");
		return EXIT_USAGE;
	}
	fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, GET_FS_UUID, &id) || id.len != sizeof(id.uuid)) {
		fprintf(stderr, "fsuuid: %s: %s\n", argv[1],
			errno ? strerror(errno) : "no UUID of 16 bytes");
		return EXIT_LACKS;
	}
	close(fd);
	for (unsigned int i = 0; i < sizeof(id.uuid); i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id.uuid[i]);
	putchar('\n');
	return 0;
}
