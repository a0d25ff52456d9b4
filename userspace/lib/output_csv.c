// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* RFC 4180: quote a field that has a separator, a quote or a line break in it. */
static void put_field(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void put_value(FILE *to, struct json_object *value)
{
	if (!value)
		return;
	if (!json_object_is_type(value, json_type_array)) {
		put_field(to, json_object_get_string(value));
		return;
	}
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		if (i)
			fputc('+', to);
		put_field(to, json_object_get_string(json_object_array_get_idx(value, i)));
	}
}

/* An ordered set of keys: json-c objects keep the order of insertion. */
static struct json_object *collect_columns(struct json_object *points)
{
	struct json_object *columns = json_object_new_object();

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);

		json_object_object_foreach(point, key, value) {
			(void)value;
			if (!json_object_object_get_ex(columns, key, NULL))
				json_object_object_add(columns, key, NULL);
		}
	}
	return columns;
}

void output_csv(FILE *to, struct json_object *points)
{
	struct json_object *columns = collect_columns(points);
	const char *separator = "";

	json_object_object_foreach(columns, name, unused) {
		(void)unused;
		fputs(separator, to);
		put_field(to, name);
		separator = ",";
	}
	fputc('\n', to);
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);

		separator = "";
		json_object_object_foreach(columns, column, ignored) {
			struct json_object *value = NULL;

			(void)ignored;
			fputs(separator, to);
			json_object_object_get_ex(point, column, &value);
			put_value(to, value);
			separator = ",";
		}
		fputc('\n', to);
	}
	json_object_put(columns);
}
