// SPDX-License-Identifier: GPL-2.0
/* The merged document, and the conditions under which all of it was measured, in one line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct json_object *report_common_conditions(const struct report *report)
{
	struct json_object *common = json_object_new_object();

	if (!common || !report->boot_count)
		return common;
	json_object_object_foreach(report->boots[0].conditions, name, value)
	{
		bool same = true;

		for (size_t i = 1; same && i < report->boot_count; i++) {
			struct json_object *other;

			same = json_object_object_get_ex(report->boots[i].conditions, name,
							 &other) &&
			       json_object_equal(value, other);
		}
		if (same)
			json_object_object_add(common, name, json_object_get(value));
	}
	return common;
}

static struct json_object *boots_array(const struct report *report)
{
	struct json_object *boots = json_object_new_array();

	for (size_t i = 0; boots && i < report->boot_count; i++) {
		struct json_object *boot = json_object_new_object();

		json_object_object_add(boot, "boot", json_object_new_int((int)i + 1));
		json_object_object_add(boot, "conditions",
				       json_object_get(report->boots[i].conditions));
		json_object_array_add(boots, boot);
	}
	return boots;
}

static struct json_object *point_with_boot(const struct report_point *point)
{
	struct json_object *copy = NULL;

	if (json_object_deep_copy(point->json, &copy, NULL))
		return NULL;
	json_object_object_add(copy, "boot", json_object_new_int((int)point->boot + 1));
	return copy;
}

struct json_object *report_merged(const struct report *report)
{
	struct json_object *root = json_object_new_object();
	struct json_object *points = json_object_new_array();

	if (!root || !points)
		goto out_no_memory;
	json_object_object_add(root, "schema", json_object_new_int(VTF_SCHEMA));
	json_object_object_add(root, "kind", json_object_new_string("report"));
	json_object_object_add(root, "conditions", report_common_conditions(report));
	json_object_object_add(root, "boots", boots_array(report));
	for (size_t i = 0; i < report->point_count; i++) {
		struct json_object *point = point_with_boot(&report->points[i]);

		if (!point)
			goto out_no_memory;
		json_object_array_add(points, point);
	}
	json_object_object_add(root, "points", points);
	return root;

out_no_memory:
	json_object_put(points);
	json_object_put(root);
	return NULL;
}

/* One condition as a reader wants it; empty if it adds nothing. */
static void describe(FILE *out, const char *name, const char *prefix, struct json_object *value)
{
	if (json_object_is_type(value, json_type_boolean))
		fprintf(out, "%s %s", prefix, json_object_get_boolean(value) ? "on" : "off");
	else if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			fprintf(out, "%s%s", i ? "+" : *prefix ? prefix : "",
				json_object_get_string(json_object_array_get_idx(value, i)));
	else if (!strcmp(name, "date_utc"))
		fprintf(out, "%s%.10s", prefix, json_object_get_string(value));
	else
		fprintf(out, "%s%s", prefix, json_object_get_string(value));
}

/* Every value that the boots have of one condition, each once. */
static void describe_all(FILE *out, const struct report *report, const char *name,
			 const char *prefix, bool *first)
{
	struct json_object *value, *earlier;
	bool said = false;

	for (size_t i = 0; i < report->boot_count; i++) {
		bool seen = false;

		if (!json_object_object_get_ex(report->boots[i].conditions, name, &value))
			continue;
		for (size_t j = 0; !seen && j < i; j++)
			seen = json_object_object_get_ex(report->boots[j].conditions, name,
							 &earlier) &&
			       (json_object_equal(value, earlier) || !strcmp(name, "date_utc"));
		if (seen)
			continue;
		if (said)
			fputs(" / ", out);
		else
			fputs(*first ? "" : ", ", out);
		describe(out, name, said ? "" : prefix, value);
		said = true;
		*first = false;
	}
}

int report_conditions_line(const struct report *report, char **text)
{
	static const char *const said[][2] = {
		{ "kernel_release", "Linux " },	  { "guest", "guest " },
		{ "accelerator", "accelerator " }, { "cpus", "CPUs " },
		{ "cpu_pinned", "pinned to CPU " }, { "swtpm_version", "swtpm " },
		{ "libtpms_version", "libtpms " }, { "banks", "banks " },
		{ "hmac", "HMAC " },		  { "ima_policy", "IMA policy " },
		{ "tool_version", "vtpmfast " },   { "date_utc", "" },
	};
	size_t size = 0;
	FILE *out = open_memstream(text, &size);
	bool first = true;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		describe_all(out, report, said[i][0], said[i][1], &first);
	return fclose(out) ? -ENOMEM : 0;
}
