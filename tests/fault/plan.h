/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_PLAN_H
#define FAULT_PLAN_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What a scripted TPM does wrong, and when. A rule is written
 *
 *	COMMAND[:FIRST[-[LAST]]]=ACTION[,VALUE]
 *
 * and is tried against every command; the first rule that matches is taken.
 * COMMAND is a name of TPM 2.0 part 3 (PCR_Extend), a command code in hex or
 * `any`. FIRST and LAST count the commands with this code, from 1.
 */
enum fault_action {
	FAULT_NONE,
	FAULT_DELAY,	/* answer VALUE ms later; the kernel must take it */
	FAULT_LATE,	/* the same, but the kernel may have given up */
	FAULT_DROP,	/* never answer */
	FAULT_RC,	/* do nothing and answer with the response code VALUE */
	FAULT_FIRST,	/* of the events of an extend do the first, and answer as if done */
	FAULT_SIZE,	/* answer with the first VALUE bytes only */
	FAULT_DIE,	/* end at once, as by kill -9 */
	FAULT_HANGUP,	/* close the TPM's end, but live on */
};

enum { FAULT_RULES_MAX = 32, FAULT_CODES_MAX = 64 };

struct fault_rule {
	bool any_code;
	uint32_t code;
	uint32_t first;
	uint32_t last;
	enum fault_action action;
	uint32_t value;
};

struct fault_plan {
	struct fault_rule rules[FAULT_RULES_MAX];
	unsigned int rule_count;
	/* how many commands with each code were seen so far */
	struct {
		uint32_t code;
		uint32_t seen;
	} codes[FAULT_CODES_MAX];
	unsigned int code_count;
	/* each answer to an extend comes after opening and reading the next file in it */
	DIR *reads;
	/* the log says of each extend what is in it and how many entries IMA has */
	bool events;
};

/* Appends the rule in @text. Returns 0, or -EINVAL or -ENOSPC. */
int fault_plan_add(struct fault_plan *plan, const char *text);

/*
 * Counts one command with @code and returns the rule that it meets, or NULL.
 * @seen: its number among the commands with this code, from 1
 */
const struct fault_rule *fault_plan_next(struct fault_plan *plan, uint32_t code,
					 uint32_t *seen);

/* The name of a command code, or NULL where we have none */
const char *fault_command_name(uint32_t code);
const char *fault_action_name(enum fault_action action);

#endif
