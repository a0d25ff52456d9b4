/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VTF_REPORT_CHART_H
#define VTF_REPORT_CHART_H

#include <stdio.h>

#include "report.h"

/* The gnuplot script of a chart, data included. Return: 0, -ENODATA without anything to draw, -ENOMEM, -EIO. */
int chart_script(FILE *out, const struct report_chart *chart, const struct report *report,
		 const struct report_rows *rows);

/* What stands over it. */
const char *chart_title(enum report_chart_kind kind);

#endif
