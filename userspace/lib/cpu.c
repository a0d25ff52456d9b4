// SPDX-License-Identifier: GPL-2.0
#include "cpu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int cpu_of_thread(struct cpu_times *t)
{
	struct rusage ru;

	if (getrusage(RUSAGE_THREAD, &ru))
		return -errno;
	t->user_us = (uint64_t)ru.ru_utime.tv_sec * 1000000U + (uint64_t)ru.ru_utime.tv_usec;
	t->system_us = (uint64_t)ru.ru_stime.tv_sec * 1000000U + (uint64_t)ru.ru_stime.tv_usec;
	return 0;
}

/* The name may hold blanks and parentheses, so fields are counted from the last ')'. */
static int parse_stat(char *line, uint64_t *user, uint64_t *system)
{
	char *rest = strrchr(line, ')'), *field;
	unsigned int number = 2; /* the name is field 2 */

	if (!rest || !rest[1])
		return -EPROTO;
	rest += 2;
	while ((field = strsep(&rest, " "))) {
		number++;
		if (number == 14) {
			*user = strtoull(field, NULL, 10);
		} else if (number == 15) {
			*system = strtoull(field, NULL, 10);
			return 0;
		}
	}
	return -EPROTO;
}

int cpu_of_process(pid_t pid, struct cpu_times *t)
{
	uint64_t user = 0, system = 0, tick_us;
	char path[48], line[1024];
	long hz = sysconf(_SC_CLK_TCK);
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	rc = fgets(line, sizeof(line), f) ? parse_stat(line, &user, &system) : -ESRCH;
	fclose(f);
	if (rc)
		return rc;
	tick_us = 1000000U / (uint64_t)(hz > 0 ? hz : 100);
	t->user_us = user * tick_us;
	t->system_us = system * tick_us;
	return 0;
}

int cpu_of_machine(struct cpu_machine *m)
{
	/* user nice system idle iowait irq softirq steal; guest time is in user already */
	uint64_t v[8] = { 0 };
	char line[512], *at = line;
	FILE *f = fopen("/proc/stat", "re");
	int rc = 0;

	if (!f)
		return -errno;
	if (!fgets(line, sizeof(line), f) || strncmp(line, "cpu ", 4) != 0)
		rc = -EPROTO;
	fclose(f);
	if (rc)
		return rc;
	at += 4;
	m->total_ticks = 0;
	for (unsigned int i = 0; i < 8; i++) {
		v[i] = strtoull(at, &at, 10);
		m->total_ticks += v[i];
	}
	m->idle_ticks = v[3] + v[4];
	return 0;
}

double cpu_idle_pct(const struct cpu_machine *before, const struct cpu_machine *after)
{
	if (after->total_ticks <= before->total_ticks || after->idle_ticks < before->idle_ticks)
		return NAN;
	return 100.0 * (double)(after->idle_ticks - before->idle_ticks) /
	       (double)(after->total_ticks - before->total_ticks);
}

/* proc(5), stat: "PID (COMM) STATE ..."; one that is dead but not yet reaped (Z) does not count. */
static int has_name(const char *pid, const char *comm)
{
	char path[300], line[128] = "", *open, *close;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || strncmp(close, ") Z", 3) == 0)
		return 0;
	*close = '\0';
	return !strcmp(open + 1, comm);
}

pid_t cpu_find_process(const char *comm, unsigned int *count)
{
	struct dirent *entry;
	pid_t found = 0;
	DIR *dir = opendir("/proc");

	*count = 0;
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !has_name(entry->d_name, comm))
			continue;
		found = (pid_t)strtol(entry->d_name, NULL, 10);
		(*count)++;
	}
	closedir(dir);
	return *count == 1 ? found : 0;
}
