/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_STATS_H
#define VTF_STATS_H

#include <stddef.h>

/**
 * stats_median() - the median; sorts @v in place
 * @v: numbers, none of them NaN
 * @n: how many
 *
 * Return: the middle one, or the mean of the middle two; NAN if @n is 0.
 */
double stats_median(double *v, size_t n);

#endif
