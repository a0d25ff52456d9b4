// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json_object *output_doc_new(const char *kind, struct json_object *conditions)
{
	struct json_object *doc = json_object_new_object();

	if (!doc) {
		json_object_put(conditions);
		return NULL;
	}
	json_object_object_add(doc, "schema", json_object_new_int(VTF_SCHEMA));
	json_object_object_add(doc, "kind", json_object_new_string(kind));
	json_object_object_add(doc, "conditions",
			       conditions ? conditions : json_object_new_object());
	json_object_object_add(doc, "points", json_object_new_array());
	return doc;
}

struct json_object *output_doc_points(struct json_object *doc)
{
	struct json_object *points = NULL;

	if (!json_object_object_get_ex(doc, "points", &points) ||
	    !json_object_is_type(points, json_type_array))
		return NULL;
	return points;
}

void output_doc_add(struct json_object *doc, struct json_object *point)
{
	struct json_object *points = output_doc_points(doc);

	if (points && point)
		json_object_array_add(points, point);
}

void output_add_str(struct json_object *obj, const char *key, const char *value)
{
	if (value && *value)
		json_object_object_add(obj, key, json_object_new_string(value));
}

void output_add_u64(struct json_object *obj, const char *key, uint64_t value)
{
	json_object_object_add(obj, key, json_object_new_uint64(value));
}

void output_add_bool(struct json_object *obj, const char *key, bool value)
{
	json_object_object_add(obj, key, json_object_new_boolean(value));
}

void output_add_num(struct json_object *obj, const char *key, double value, int decimals)
{
	char text[64];

	if (!isfinite(value))
		return;
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	json_object_object_add(obj, key, json_object_new_double_s(strtod(text, NULL), text));
}
