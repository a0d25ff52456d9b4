// SPDX-License-Identifier: GPL-2.0
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/*
 * A small file in tmpfs: a page, an inode, a name, what IMA keeps of the inode
 * and its entry in the list.
 */
#define FILE_MEMORY_BYTES 6144
#define FILE_DISK_BYTES 8192

/* linux/fs.h since 6.9; a header of Debian 12 does not have it yet */
struct fs_uuid {
	uint8_t len;
	uint8_t uuid[16];
};
#define GET_FS_UUID _IOR(0x15, 0, struct fs_uuid)

/* Older kernels cannot say it (ENOTTY), some file systems have none (also ENOTTY). */
static void read_fsuuid(struct place *p)
{
	int fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_uuid id = { .len = 0 };
	size_t used = 0;

	p->fsuuid[0] = '\0';
	if (fd < 0)
		return;
	if (!ioctl(fd, GET_FS_UUID, &id) && id.len == sizeof(id.uuid)) {
		for (size_t i = 0; i < sizeof(id.uuid); i++) {
			bool dash = i == 4 || i == 6 || i == 8 || i == 10;

			used += (size_t)snprintf(p->fsuuid + used, sizeof(p->fsuuid) - used,
						 "%s%02x", dash ? "-" : "", id.uuid[i]);
		}
	}
	close(fd);
}

/* Any directory will do, but the less it is used for the better. */
static const char *mount_point(void)
{
	static const char *const candidates[] = { "/mnt", "/media", "/srv", "/tmp", "/run" };
	struct stat st;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (!lstat(candidates[i], &st) && S_ISDIR(st.st_mode))
			return candidates[i];
	return NULL;
}

static int fail(struct vtf_error *err, const char *call, const char *object)
{
	return vtf_error_set(err, VTF_EXIT_MISSING, "%s%s%s: %s", call, *object ? " " : "", object,
			     strerror(errno));
}

int place_mount(struct place *p, struct vtf_error *err)
{
	const char *where = mount_point();

	memset(p, 0, sizeof(*p));
	p->directory = -1;
	p->namespace = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (!where)
		return vtf_error_set(err, VTF_EXIT_MISSING,
				     "no directory to mount a private tmpfs on; see --dir");
	if (p->namespace < 0)
		return fail(err, "open", "/proc/self/ns/mnt");
	p->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (unshare(CLONE_NEWNS))
		return fail(err, "unshare(CLONE_NEWNS)", "");
	/* else the mount would show in the namespace that we came from */
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return fail(err, "mount --make-rprivate", "/");
	/* no limits: place_room() knows better than a share of all memory */
	if (mount("vtpmfast", where, "tmpfs", MS_NOSUID | MS_NODEV,
		  "mode=0700,size=0,nr_inodes=0"))
		return fail(err, "mount tmpfs on", where);
	p->mounted = true;
	snprintf(p->path, sizeof(p->path), "%s", where);
	read_fsuuid(p);
	return 0;
}

int place_in_directory(struct place *p, const char *dir, struct vtf_error *err)
{
	char *full = realpath(dir, NULL);
	int n;

	memset(p, 0, sizeof(*p));
	p->namespace = p->directory = -1;
	if (!full)
		return fail(err, "--dir:", dir);
	n = snprintf(p->path, sizeof(p->path), "%s/vtpmfast-XXXXXX", full);
	free(full);
	if (n < 0 || (size_t)n >= sizeof(p->path)) {
		p->path[0] = '\0';
		return vtf_error_set(err, VTF_EXIT_MISSING, "--dir: path of %s too long", dir);
	}
	if (!mkdtemp(p->path)) {
		fail(err, "--dir: mkdtemp in", dir);
		p->path[0] = '\0';
		return -1;
	}
	read_fsuuid(p);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	(void)remove(path);
	return 0;
}

void place_leave(struct place *p)
{
	if (p->path[0] && !p->mounted)
		nftw(p->path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	/* the last process in the namespace takes the mount with it */
	if (p->namespace >= 0 && !setns(p->namespace, CLONE_NEWNS) && p->directory >= 0 &&
	    fchdir(p->directory))
		fprintf(stderr, "vtpmfast sweep: fchdir: %s\n", strerror(errno));
	if (p->namespace >= 0)
		close(p->namespace);
	if (p->directory >= 0)
		close(p->directory);
	memset(p, 0, sizeof(*p));
	p->namespace = p->directory = -1;
}

/* proc(5), meminfo. Return: bytes, UINT64_MAX if it does not say. */
static uint64_t memory_available(void)
{
	uint64_t bytes = UINT64_MAX;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "MemAvailable:", 13))
			bytes = strtoull(line + 13, NULL, 10) * 1024;
	if (f)
		fclose(f);
	return bytes;
}

uint64_t place_room(const struct place *p)
{
	uint64_t memory = memory_available(), files = UINT64_MAX;
	struct statvfs fs;

	/* a tmpfs and the list of measurements take memory wherever the files lie */
	if (memory != UINT64_MAX)
		files = memory / 2 / FILE_MEMORY_BYTES;
	if (p->mounted || statvfs(p->path, &fs))
		return files;
	if (fs.f_bavail * fs.f_frsize / 2 / FILE_DISK_BYTES < files)
		files = fs.f_bavail * fs.f_frsize / 2 / FILE_DISK_BYTES;
	if (fs.f_files && fs.f_favail / 2 < files)
		files = fs.f_favail / 2;
	return files;
}
