// SPDX-License-Identifier: GPL-2.0
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* TPM 2.0 library specification, part 2, table 12 (TPM_CC) */
static const struct {
	uint32_t code;
	const char *name;
} commands[] = {
	{ 0x00000126, "HierarchyChangeAuth" },
	{ 0x0000012b, "PCR_Allocate" },
	{ 0x0000013d, "PCR_Reset" },
	{ 0x00000143, "SelfTest" },
	{ 0x00000144, "Startup" },
	{ 0x00000145, "Shutdown" },
	{ 0x00000131, "CreatePrimary" },
	{ 0x00000158, "Quote" },
	{ 0x00000161, "ContextLoad" },
	{ 0x00000162, "ContextSave" },
	{ 0x00000165, "FlushContext" },
	{ 0x00000176, "StartAuthSession" },
	{ 0x0000017a, "GetCapability" },
	{ 0x0000017b, "GetRandom" },
	{ 0x0000017c, "GetTestResult" },
	{ 0x0000017e, "PCR_Read" },
	{ 0x00000181, "ReadClock" },
	{ 0x00000182, "PCR_Extend" },
	/* not the TPM's: the proxy driver's own, answered by the server */
	{ 0x20001000, "SetLocality" },
};

static const struct {
	const char *name;
	enum fault_action action;
	bool takes_value;
} actions[] = {
	{ "none", FAULT_NONE, false },	 { "delay", FAULT_DELAY, true },
	{ "late", FAULT_LATE, true },	 { "drop", FAULT_DROP, false },
	{ "rc", FAULT_RC, true },	 { "size", FAULT_SIZE, true },
	{ "first", FAULT_FIRST, false },
	{ "die", FAULT_DIE, false },	 { "hangup", FAULT_HANGUP, false },
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
	ACTIONS = sizeof(actions) / sizeof(actions[0]),
};

const char *fault_command_name(uint32_t code)
{
	for (unsigned int i = 0; i < COMMANDS; i++)
		if (commands[i].code == code)
			return commands[i].name;
	return NULL;
}

const char *fault_action_name(enum fault_action action)
{
	for (unsigned int i = 0; i < ACTIONS; i++)
		if (actions[i].action == action)
			return actions[i].name;
	return "?";
}

/* Moves *text past the number; anything but digits there is an error. */
static int parse_u32(const char **text, int base, uint32_t *value)
{
	unsigned long number;
	char *end;

	if (!strchr("0123456789", **text) || !**text)
		return -EINVAL;
	errno = 0;
	number = strtoul(*text, &end, base);
	if (errno || end == *text || number > UINT32_MAX)
		return -EINVAL;
	*text = end;
	*value = (uint32_t)number;
	return 0;
}

/* True if the first @len characters of @text are @word and no more */
static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(text, word, len) == 0;
}

static int parse_command(const char **text, struct fault_rule *rule)
{
	size_t len = strcspn(*text, ":=");

	if (strncmp(*text, "0x", 2) == 0)
		return parse_u32(text, 16, &rule->code);
	if (is_word(*text, len, "any")) {
		rule->any_code = true;
		*text += len;
		return 0;
	}
	for (unsigned int i = 0; i < COMMANDS; i++) {
		if (!is_word(*text, len, commands[i].name))
			continue;
		rule->code = commands[i].code;
		*text += len;
		return 0;
	}
	return -EINVAL;
}

/* `:3` the third, `:3-` from the third on, `:3-5`; nothing: every one */
static int parse_range(const char **text, struct fault_rule *rule)
{
	int rc;

	rule->first = 1;
	rule->last = UINT32_MAX;
	if (**text != ':')
		return 0;
	++*text;
	rc = parse_u32(text, 10, &rule->first);
	if (rc)
		return rc;
	rule->last = rule->first;
	if (**text != '-')
		return 0;
	++*text;
	rule->last = UINT32_MAX;
	if (**text == '=')
		return 0;
	return parse_u32(text, 10, &rule->last);
}

static int parse_action(const char *text, struct fault_rule *rule)
{
	size_t len = strcspn(text, ",");

	for (unsigned int i = 0; i < ACTIONS; i++) {
		if (!is_word(text, len, actions[i].name))
			continue;
		rule->action = actions[i].action;
		text += len;
		if (!actions[i].takes_value)
			return *text ? -EINVAL : 0;
		if (*text++ != ',' || parse_u32(&text, 0, &rule->value))
			return -EINVAL;
		return *text ? -EINVAL : 0;
	}
	return -EINVAL;
}

int fault_plan_add(struct fault_plan *plan, const char *text)
{
	struct fault_rule rule = { .any_code = false };
	int rc;

	if (plan->rule_count == FAULT_RULES_MAX)
		return -ENOSPC;
	rc = parse_command(&text, &rule);
	if (!rc)
		rc = parse_range(&text, &rule);
	if (!rc && *text++ != '=')
		rc = -EINVAL;
	if (!rc)
		rc = parse_action(text, &rule);
	if (!rc && (!rule.first || rule.last < rule.first))
		rc = -EINVAL;
	if (!rc)
		plan->rules[plan->rule_count++] = rule;
	return rc;
}

static uint32_t count(struct fault_plan *plan, uint32_t code)
{
	for (unsigned int i = 0; i < plan->code_count; i++)
		if (plan->codes[i].code == code)
			return ++plan->codes[i].seen;
	/* full: codes that nobody can have a numbered rule for */
	if (plan->code_count == FAULT_CODES_MAX)
		return 1;
	plan->codes[plan->code_count].code = code;
	plan->codes[plan->code_count].seen = 1;
	plan->code_count++;
	return 1;
}

const struct fault_rule *fault_plan_next(struct fault_plan *plan, uint32_t code,
					 uint32_t *seen)
{
	*seen = count(plan, code);
	for (unsigned int i = 0; i < plan->rule_count; i++) {
		const struct fault_rule *rule = &plan->rules[i];

		if (!rule->any_code && rule->code != code)
			continue;
		if (*seen >= rule->first && *seen <= rule->last)
			return rule;
	}
	return NULL;
}
