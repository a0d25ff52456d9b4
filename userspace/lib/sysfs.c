// SPDX-License-Identifier: GPL-2.0
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const modes[] = { "stock", "usleep", "adaptive", "event", "auto" };

#define MODE_COUNT (sizeof(modes) / sizeof(modes[0]))

const char *sysfs_root(void)
{
	const char *root = getenv("VTPMFAST_SYSFS");

	return root && *root ? root : "/sys";
}

static int read_text(const char *path, char *value, size_t size)
{
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	if (n < 0)
		rc = -errno;
	else
		value[n] = '\0';
	close(fd);
	return rc;
}

int sysfs_read(char *value, size_t size, const char *fmt, ...)
{
	char below[PATH_MAX / 2], path[PATH_MAX];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(below, sizeof(below), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", sysfs_root(), below);
	rc = read_text(path, value, size);
	if (rc)
		return rc;
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

/* "tpm12" to 12; "tpmrm0" and others are no chips. */
static int chip_number(const char *name, unsigned int *number)
{
	char *end;

	if (strncmp(name, "tpm", 3) != 0 || name[3] < '0' || name[3] > '9')
		return -EINVAL;
	*number = (unsigned int)strtoul(name + 3, &end, 10);
	return *end ? -EINVAL : 0;
}

static int compare_chips(const void *a, const void *b)
{
	unsigned int x = 0, y = 0;

	(void)chip_number(a, &x);
	(void)chip_number(b, &y);
	return (x > y) - (x < y);
}

int sysfs_chips(char (*chips)[SYSFS_CHIP_BYTES], size_t max)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/class/tpm", sysfs_root());
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (n < max && (entry = readdir(dir))) {
		unsigned int number;

		if (chip_number(entry->d_name, &number) ||
		    strlen(entry->d_name) >= SYSFS_CHIP_BYTES)
			continue;
		snprintf(chips[n++], SYSFS_CHIP_BYTES, "tpm%u", number);
	}
	closedir(dir);
	qsort(chips, n, sizeof(*chips), compare_chips);
	return (int)n;
}

int sysfs_chip_of_node(const char *node, char chip[SYSFS_CHIP_BYTES])
{
	char name[SYSFS_CHIP_BYTES + 8];
	const char *base = strrchr(node, '/');
	unsigned int number;

	base = base ? base + 1 : node;
	if (!strncmp(base, "tpmrm", 5))
		snprintf(name, sizeof(name), "tpm%.16s", base + 5);
	else
		snprintf(name, sizeof(name), "%.19s", base);
	if (chip_number(name, &number))
		return -EINVAL;
	snprintf(chip, SYSFS_CHIP_BYTES, "tpm%u", number);
	return 0;
}

int sysfs_chip_driver(const char *chip, char *driver, size_t size)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/class/tpm/%s", sysfs_root(), chip);
	if (access(path, F_OK))
		return -errno;
	snprintf(path, sizeof(path), "%s/class/tpm/%s/device/driver", sysfs_root(), chip);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0) {
		if (errno != ENOENT)
			return -errno;
		snprintf(driver, size, "vtpm_proxy");
		return 0;
	}
	link[n] = '\0';
	snprintf(driver, size, "%s", basename(link));
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

int sysfs_chip_banks(const char *chip, char *banks, size_t size)
{
	char names[16][16], path[PATH_MAX];
	struct dirent *entry;
	size_t n = 0, used = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/class/tpm/%s", sysfs_root(), chip);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (n < 16 && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "pcr-", 4))
			snprintf(names[n++], sizeof(names[0]), "%.15s", entry->d_name + 4);
	closedir(dir);
	qsort(names, n, sizeof(names[0]), compare_names);
	banks[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(banks + used, size - used, "%s%s", i ? "+" : "",
					 names[i]);
	return (int)n;
}

int sysfs_mode_get(const char *chip, char mode[SYSFS_MODE_BYTES])
{
	return sysfs_read(mode, SYSFS_MODE_BYTES, "class/tpm/%s/completion_mode", chip);
}

int sysfs_mode_effective(const char *chip, char mode[SYSFS_MODE_BYTES])
{
	return sysfs_read(mode, SYSFS_MODE_BYTES, "class/tpm/%s/completion_mode_effective", chip);
}

bool sysfs_mode_valid(const char *mode)
{
	for (size_t i = 0; i < MODE_COUNT; i++)
		if (!strcmp(modes[i], mode))
			return true;
	return false;
}

static int set_failed(const char *path, const char *mode, int reason, struct vtf_error *err)
{
	switch (reason) {
	case ENOENT:
		vtf_error_set(err, VTF_EXIT_MISSING,
			      "%s does not exist: this kernel's TPM core has only the stock mode",
			      path);
		break;
	case EOPNOTSUPP:
		vtf_error_set(err, VTF_EXIT_MISSING,
			      "%s: this chip cannot do mode %s (see the file `virtual` beside it)",
			      path, mode);
		break;
	case EACCES:
	case EPERM:
	case EROFS:
		vtf_error_set(err, VTF_EXIT_MISSING, "cannot write %s: %s; be root", path,
			      strerror(reason));
		break;
	default:
		vtf_error_set(err, VTF_EXIT_MISSING, "cannot write %s to %s: %s", mode, path,
			      strerror(reason));
	}
	return -reason;
}

int sysfs_mode_set(const char *chip, const char *mode, struct vtf_error *err)
{
	char path[PATH_MAX];
	size_t len = strlen(mode);
	ssize_t n;
	int fd, reason;

	snprintf(path, sizeof(path), "%s/class/tpm/%s/completion_mode", sysfs_root(), chip);
	/* no O_CREAT: on a stock kernel this must fail */
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return set_failed(path, mode, errno, err);
	n = write(fd, mode, len);
	reason = n < 0 ? errno : n == (ssize_t)len ? 0 : EIO;
	close(fd);
	return reason ? set_failed(path, mode, reason, err) : 0;
}

int sysfs_stats_get(const char *chip, struct sysfs_stats *stats)
{
	struct {
		const char *name;
		uint64_t *value;
	} const fields[] = {
		{ "commands", &stats->commands }, { "looks", &stats->looks },
		{ "sleeps", &stats->sleeps },	  { "wakeups", &stats->wakeups },
		{ "timeouts", &stats->timeouts }, { "cancels", &stats->cancels },
	};
	char path[PATH_MAX], text[1024], *line, *rest = text;
	int rc;

	memset(stats, 0, sizeof(*stats));
	snprintf(path, sizeof(path), "%s/class/tpm/%s/completion_stats", sysfs_root(), chip);
	rc = read_text(path, text, sizeof(text));
	if (rc)
		return rc;
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = '\0';
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (!strcmp(line, fields[i].name))
				*fields[i].value = strtoull(value, NULL, 10);
	}
	return 0;
}
