/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completion modes that a measurement goes through in turn, and the one
 * that was set before, which is restored at the end.
 */
#ifndef VTF_MODES_H
#define VTF_MODES_H

#include <stdbool.h>
#include <sys/types.h>

#include "error.h"
#include "sysfs.h"

#define MODES_MAX 8

struct modes {
	char *text; /* what `name` points into */
	const char *name[MODES_MAX];
	unsigned int count; /* 0: the mode is not touched */
	char chip[SYSFS_CHIP_BYTES]; /* "": no kernel driver in the path */
	char found[SYSFS_MODE_BYTES]; /* at the start; "": none to restore */
	bool changed;
};

/**
 * modes_parse() - "stock,auto"
 * @bad: set to a word that is no mode; untouched if @text is no list at all
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM.
 */
int modes_parse(struct modes *m, const char *text, const char **bad);

/**
 * modes_prepare() - find out whether the modes can be set, and what to restore
 * @m:      with the modes asked for; @m->count becomes 0 on a stock kernel, which has nothing to switch
 * @chip:   "tpm0", "" if no kernel driver is in the path
 * @target: name for messages
 * @err:    VTF_EXIT_MISSING if a mode is asked for that this kernel does not have
 *
 * Return: 0, -1.
 */
int modes_prepare(struct modes *m, const char *chip, const char *target, struct vtf_error *err);

/* How many turns one repetition has, at least 1. */
static inline unsigned int modes_turns(const struct modes *m)
{
	return m->count ? m->count : 1;
}

/* The mode of a turn; NULL if there is none, for want of a driver. */
const char *modes_name(const struct modes *m, unsigned int turn);

/* Switches to the mode of a turn. Return: 0, -1. */
int modes_set(struct modes *m, unsigned int turn, struct vtf_error *err);

/* Back to what was found, with a message for @command if that fails. Return: an exit code. */
enum vtf_exit modes_restore(const struct modes *m, const char *command);

void modes_free(struct modes *m);

/**
 * modes_tpm_process() - the process of the TPM, for its CPU time
 * @pid:     as the user named it; 0: not
 * @swtpm:   whether a swtpm of this machine may be behind the driver
 * @command: name for the notice that there are several
 * @err:     VTF_EXIT_USAGE if there is no process @pid
 *
 * Return: its PID; 0 if it is not known; -1.
 */
pid_t modes_tpm_process(pid_t pid, bool swtpm, const char *command, struct vtf_error *err);

#endif
