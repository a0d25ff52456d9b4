/* SPDX-License-Identifier: GPL-2.0 */
/* Lists on the command line. Nothing may stand in one twice: it would be measured twice under one name. */
#ifndef VTF_LIST_H
#define VTF_LIST_H

#include <stddef.h>

/**
 * list_parse_ints() - "1,2,4-8" to numbers
 * @text: numbers and inclusive ranges, separated by commas; no blanks
 * @min:  smallest number allowed
 * @max:  largest number allowed
 * @out:  receives the numbers in the order given
 * @room: numbers that fit
 *
 * Return: how many (at least 1), -EINVAL if it is no such list or names a number twice, -ERANGE if a
 * number is outside of @min..@max, -E2BIG if there are more than @room.
 */
int list_parse_ints(const char *text, unsigned int min, unsigned int max, unsigned int *out,
		    size_t room);

/**
 * list_split() - cut "a,b,c" at the commas, in place
 * @text:  changed: commas become NULs
 * @words: receives pointers into @text
 * @room:  words that fit
 *
 * Return: how many (at least 1), -EINVAL for an empty word or one that was there before, -E2BIG.
 */
int list_split(char *text, const char **words, size_t room);

#endif
