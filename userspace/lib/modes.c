// SPDX-License-Identifier: GPL-2.0
#include "modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "list.h"

int modes_parse(struct modes *m, const char *text, const char **bad)
{
	int n;

	modes_free(m);
	m->text = strdup(text);
	if (!m->text)
		return -ENOMEM;
	n = list_split(m->text, m->name, MODES_MAX);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		if (!sysfs_mode_valid(m->name[i])) {
			*bad = m->name[i];
			return -EINVAL;
		}
	}
	m->count = (unsigned int)n;
	return 0;
}

int modes_prepare(struct modes *m, const char *chip, const char *target, struct vtf_error *err)
{
	snprintf(m->chip, sizeof(m->chip), "%s", chip);
	if (m->chip[0] && !sysfs_mode_get(m->chip, m->found))
		return 0;
	for (unsigned int i = 0; i < m->count; i++) {
		if (!m->chip[0])
			return vtf_error_set(err, VTF_EXIT_MISSING,
					     "--modes: no kernel driver's TPM behind %s", target);
		if (strcmp(m->name[i], "stock") != 0)
			return vtf_error_set(err, VTF_EXIT_MISSING,
					     "--modes: %s has no completion_mode: this kernel's "
					     "TPM core has only mode stock, not %s",
					     m->chip, m->name[i]);
	}
	/* a stock kernel: nothing to switch, and nothing to restore */
	if (m->chip[0])
		m->count = 0;
	m->found[0] = '\0';
	return 0;
}

const char *modes_name(const struct modes *m, unsigned int turn)
{
	if (m->count)
		return m->name[turn];
	if (m->found[0])
		return m->found;
	/* the driver of a stock kernel waits the stock way; without a driver there is no mode */
	return m->chip[0] ? "stock" : NULL;
}

int modes_set(struct modes *m, unsigned int turn, struct vtf_error *err)
{
	if (!m->count)
		return 0;
	m->changed = true;
	return sysfs_mode_set(m->chip, m->name[turn], err) ? -1 : 0;
}

enum vtf_exit modes_restore(const struct modes *m, const char *command)
{
	struct vtf_error err = { .code = VTF_EXIT_DONE };

	if (!m->changed || !m->found[0] || !sysfs_mode_set(m->chip, m->found, &err))
		return VTF_EXIT_DONE;
	fprintf(stderr, "vtpmfast %s: mode %s is not restored: ", command, m->found);
	return vtf_error_print(command, &err);
}

void modes_free(struct modes *m)
{
	free(m->text);
	m->text = NULL;
	m->count = 0;
}

pid_t modes_tpm_process(pid_t pid, bool swtpm, const char *command, struct vtf_error *err)
{
	unsigned int n;
	struct cpu_times t;

	if (pid) {
		if (cpu_of_process(pid, &t))
			return vtf_error_set(err, VTF_EXIT_USAGE, "--tpm-pid: no process %d",
					     (int)pid);
		return pid;
	}
	/* otherwise the TPM is outside of this machine */
	if (!swtpm)
		return 0;
	pid = cpu_find_process("swtpm", &n);
	if (n > 1)
		fprintf(stderr,
			"vtpmfast %s: %u processes named swtpm: its CPU time is left out (--tpm-pid "
			"names one)\n",
			command, n);
	return pid;
}
