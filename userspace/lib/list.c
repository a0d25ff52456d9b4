// SPDX-License-Identifier: GPL-2.0
#include "list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* strtoul() alone would take "-1", " 1" and "+1". */
static int parse_uint(const char **text, unsigned long *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	*value = strtoul(*text, &end, 10);
	if (errno)
		return -ERANGE;
	*text = end;
	return 0;
}

static int parse_range(const char **text, unsigned long *first, unsigned long *last)
{
	int rc = parse_uint(text, first);

	if (rc)
		return rc;
	*last = *first;
	if (**text == '-') {
		(*text)++;
		rc = parse_uint(text, last);
		if (rc)
			return rc;
	}
	return *last < *first ? -EINVAL : 0;
}

static int is_in(unsigned long value, const unsigned int *list, size_t n)
{
	while (n--)
		if (list[n] == value)
			return 1;
	return 0;
}

int list_parse_ints(const char *text, unsigned int min, unsigned int max, unsigned int *out,
		    size_t room)
{
	size_t n = 0;

	for (;;) {
		unsigned long first, last;
		int rc = parse_range(&text, &first, &last);

		if (rc)
			return rc;
		if (first < min || last > max)
			return -ERANGE;
		for (unsigned long v = first; v <= last; v++) {
			if (n == room)
				return -E2BIG;
			if (is_in(v, out, n))
				return -EINVAL;
			out[n++] = (unsigned int)v;
		}
		if (!*text)
			return (int)n;
		if (*text++ != ',')
			return -EINVAL;
	}
}

int list_split(char *text, const char **words, size_t room)
{
	size_t n = 0;

	for (;;) {
		char *comma = strchr(text, ',');

		if (comma)
			*comma = '\0';
		if (!*text)
			return -EINVAL;
		if (n == room)
			return -E2BIG;
		for (size_t i = 0; i < n; i++)
			if (!strcmp(words[i], text))
				return -EINVAL;
		words[n++] = text;
		if (!comma)
			return (int)n;
		text = comma + 1;
	}
}
