// SPDX-License-Identifier: GPL-2.0
/* Result files in: parsed strictly, with the place of a fault, and taken apart into boots and points. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

#define FILE_MAX_BYTES (64L << 20) /* a sweep of hundreds of points is under 1 MiB */
#define JSON_MAX_DEPTH 32
#define COUNT_MAX 1000000 /* clients, digests in a command */
#define LIST_MAX 1000000000L /* entries */

const char *const report_metric_names[METRIC_COUNT] = {
	[METRIC_EXTENDS_PER_S] = "extends_per_s",
	[METRIC_COMMANDS_PER_S] = "commands_per_s",
	[METRIC_MIN_US] = "min_us",
	[METRIC_P50_US] = "p50_us",
	[METRIC_P90_US] = "p90_us",
	[METRIC_P99_US] = "p99_us",
	[METRIC_P999_US] = "p999_us",
	[METRIC_MAX_US] = "max_us",
	[METRIC_CPU_US] = "cpu_us_per_extend",
	[METRIC_CPU_CLIENT_US] = "cpu_client_us_per_extend",
	[METRIC_CPU_KERNEL_US] = "cpu_kernel_us_per_extend",
	[METRIC_CPU_TPM_US] = "cpu_tpm_us_per_extend",
	[METRIC_IDLE_PCT] = "idle_pct",
	[METRIC_LOOKS] = "looks_per_command",
	[METRIC_SLEEPS] = "sleeps_per_command",
	[METRIC_WAKEUPS] = "wakeups_per_command",
	[METRIC_TPM_EXTENDS_PER_S] = "tpm_extends_per_s",
	[METRIC_UPDATE_DIFFERENCE] = "update_difference",
	[METRIC_LIST_ENTRIES] = "list_entries",
	[METRIC_LIST_ENTRIES_END] = "list_entries_end",
	[METRIC_VIOLATIONS] = "violations",
	[METRIC_TIMEOUTS] = "timeouts",
	[METRIC_COMMANDS_PER_EXTEND] = "commands_per_extend",
	[METRIC_MEAN_BATCH] = "mean_batch",
	[METRIC_IMA_WAIT_P50] = "ima_wait_p50_us_below",
	[METRIC_IMA_WAIT_P99] = "ima_wait_p99_us_below",
};

/* The file that is being read, for complaints, and what its points inherit. */
struct source {
	const char *path;
	const char *boot_id; /* of a file that names none; NULL: the file is a boot */
	struct json_object *root;
	struct json_object *conditions; /* of the file; NULL if it has none */
	struct vtf_error *error;
};

__attribute__((format(printf, 2, 3))) static int complain(const struct source *source,
							   const char *format, ...)
{
	char text[VTF_ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args); // NOLINT(clang-analyzer-valist.Uninitialized)
	va_end(args);
	vtf_error_set(source->error, VTF_EXIT_VERIFY, "%s: %s", source->path, text);
	return -EBADMSG;
}

static int slurp(const char *path, char **text, size_t *length)
{
	FILE *in = fopen(path, "re");
	struct stat st;
	int err = 0;

	*text = NULL;
	if (!in)
		return -errno;
	if (fstat(fileno(in), &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	if (err)
		goto out;

	*text = malloc(FILE_MAX_BYTES + 1);
	if (!*text) {
		err = -ENOMEM;
		goto out;
	}
	*length = fread(*text, 1, FILE_MAX_BYTES + 1, in);
	if (ferror(in))
		err = errno ? -errno : -EIO;
	else if (*length > FILE_MAX_BYTES)
		err = -EFBIG;
out:
	if (err) {
		free(*text);
		*text = NULL;
	}
	fclose(in);
	return err;
}

static int complain_at(const struct source *source, const char *text, size_t offset,
		       const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < offset; i++) {
		column++;
		if (text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	vtf_error_set(source->error, VTF_EXIT_VERIFY, "%s:%zu:%zu: %s", source->path, line, column,
		      what);
	return -EBADMSG;
}

static int parse(struct source *source, const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_MAX_DEPTH);
	enum json_tokener_error error;
	size_t end;
	int err = 0;

	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	source->root = json_tokener_parse_ex(tokener, text, (int)length);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);

	if (error == json_tokener_continue)
		err = complain_at(source, text, length, length ? "the file ends inside the JSON"
							       : "the file is empty");
	else if (error != json_tokener_success)
		err = complain_at(source, text, end, json_tokener_error_desc(error));
	while (!err && end < length) {
		if (!strchr(" \t\r\n", text[end]) || !text[end])
			err = complain_at(source, text, end, "more text after the JSON");
		end++;
	}
	json_tokener_free(tokener);
	return err;
}

/* The member, or NULL if it is not there, with a complaint in *err if it is not of @type. */
static struct json_object *member(const struct source *source, struct json_object *object,
				  const char *where, const char *name, enum json_type type,
				  int *err)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		return NULL;
	if (json_object_get_type(value) == type)
		return value;
	*err = complain(source, "%s%s%s: %s expected, %s found", where, *where ? "." : "", name,
			json_type_to_name(type), json_type_to_name(json_object_get_type(value)));
	return NULL;
}

/* Any number that is finite. */
static double signed_figure(const struct source *source, struct json_object *object,
			    const char *where, const char *name, int *err)
{
	struct json_object *value;
	enum json_type type;

	if (!json_object_object_get_ex(object, name, &value))
		return NAN;
	type = json_object_get_type(value);
	if ((type == json_type_int || type == json_type_double) &&
	    isfinite(json_object_get_double(value)))
		return json_object_get_double(value);
	*err = complain(source, "%s.%s: a finite number expected, %s found", where, name,
			json_object_to_json_string(value));
	return NAN;
}

/* A figure: any number that is finite and not negative. */
static double figure(const struct source *source, struct json_object *object, const char *where,
		     const char *name, int *err)
{
	struct json_object *value;
	enum json_type type;
	double number;

	if (!json_object_object_get_ex(object, name, &value))
		return NAN;
	type = json_object_get_type(value);
	number = json_object_get_double(value);
	if ((type == json_type_int || type == json_type_double) && isfinite(number) && number >= 0)
		return number;
	*err = complain(source, "%s.%s: a number, finite and not negative, expected, %s found",
			where, name, json_object_to_json_string(value));
	return NAN;
}

/* A small whole number; 0 if nothing is said. */
static int count(const struct source *source, struct json_object *object, const char *where,
		 const char *name, int *err)
{
	double number = figure(source, object, where, name, err);

	if (isnan(number))
		return 0;
	if (number > COUNT_MAX) {
		*err = complain(source, "%s.%s: more than %d", where, name, COUNT_MAX);
		return 0;
	}
	return (int)number;
}

/* Words that a point may say itself or leave to its conditions. */
static const char *word(const struct source *source, struct json_object *point,
			struct json_object *conditions, const char *where, const char *name,
			int *err)
{
	struct json_object *value = member(source, point, where, name, json_type_string, err);

	if (!value && conditions)
		value = member(source, conditions, "conditions", name, json_type_string, err);
	return value ? json_object_get_string(value) : "";
}

/* "sha256" or ["sha1", "sha256"]. */
static int join_banks(const struct source *source, struct json_object *value, const char *where,
		      char *text, size_t size)
{
	size_t used = 0;

	if (json_object_is_type(value, json_type_string)) {
		snprintf(text, size, "%s", json_object_get_string(value));
		for (char *comma = text; (comma = strchr(comma, ',')) != NULL;)
			*comma = '+';
		return 0;
	}
	if (!json_object_is_type(value, json_type_array))
		return complain(source, "%s: a string or an array expected", where);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *bank = json_object_array_get_idx(value, i);
		int n;

		if (!json_object_is_type(bank, json_type_string))
			return complain(source, "%s[%zu]: a string expected", where, i);
		n = snprintf(text + used, size - used, "%s%s", i ? "+" : "",
			     json_object_get_string(bank));
		if (n < 0 || (size_t)n >= size - used)
			return complain(source, "%s: longer than any list of banks", where);
		used += (size_t)n;
	}
	return 0;
}

static int read_banks(const struct source *source, struct json_object *point,
		      struct json_object *conditions, const char *where, struct report_setting *to)
{
	static const char *const names[] = { "banks", "bank" };
	struct json_object *value;
	char path[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (json_object_object_get_ex(point, names[i], &value)) {
			snprintf(path, sizeof(path), "%s.%s", where, names[i]);
			return join_banks(source, value, path, to->banks, sizeof(to->banks));
		}
	}
	if (conditions && json_object_object_get_ex(conditions, "banks", &value))
		return join_banks(source, value, "conditions.banks", to->banks, sizeof(to->banks));
	return 0;
}

static int read_setting(const struct source *source, struct json_object *point,
			struct json_object *conditions, const char *where,
			struct report_setting *to)
{
	struct json_object *threads;
	double asked;
	int err = 0;

	to->workload = word(source, point, NULL, where, "kind", &err);
	if (!*to->workload)
		to->workload = word(source, point, NULL, where, "workload", &err);
	to->guest = word(source, point, conditions, where, "guest", &err);
	to->device = word(source, point, NULL, where, "device", &err);
	to->target = word(source, point, NULL, where, "target", &err);
	to->kernel = word(source, point, conditions, where, "kernel", &err);
	to->transport = word(source, point, NULL, where, "transport", &err);
	to->mode = word(source, point, NULL, where, "mode", &err);
	to->processes = count(source, point, where, "processes", &err);
	to->digests_per_command = count(source, point, where, "digests_per_command", &err);
	asked = figure(source, point, where, "list_entries_asked", &err);
	if (asked > LIST_MAX)
		err = complain(source, "%s.list_entries_asked: more than %ld", where, LIST_MAX);
	else if (!isnan(asked))
		to->list_entries_asked = (long)asked;
	threads = member(source, point, where, "threads", json_type_boolean, &err);
	to->threads = threads && json_object_get_boolean(threads);
	if (!err)
		err = read_banks(source, point, conditions, where, to);
	if (!err && !*to->workload)
		err = complain(source, "%s: neither kind nor workload says what was measured",
			       where);
	return err;
}

static int read_point(const struct source *source, struct json_object *json,
		      struct json_object *conditions, const char *where, struct report_point *to)
{
	struct json_object *verified;
	int err = read_setting(source, json, conditions, where, &to->setting);

	for (int m = 0; m < METRIC_COUNT; m++)
		to->metric[m] = (m == METRIC_UPDATE_DIFFERENCE ? signed_figure : figure)(
			source, json, where, report_metric_names[m], &err);
	to->errors = figure(source, json, where, "errors", &err);
	if (isnan(to->errors))
		to->errors = 0;
	verified = member(source, json, where, "verified", json_type_boolean, &err);
	if (verified)
		to->verified = json_object_get_boolean(verified) ? VERIFIED_YES : VERIFIED_NO;
	if (!err && isnan(to->metric[METRIC_EXTENDS_PER_S]))
		err = complain(source, "%s: no extends_per_s", where);
	return err;
}

/* What makes conditions of two boots the same: all that does not pass. */
static bool same_machine(struct json_object *a, struct json_object *b)
{
	static const char *const passing[] = { "boot_id", "date_utc", "ima_list_entries" };
	struct json_object *copies[2] = { NULL, NULL };
	bool same = false;

	if (json_object_deep_copy(a, &copies[0], NULL) || json_object_deep_copy(b, &copies[1], NULL))
		goto out;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		json_object_object_del(copies[0], passing[i]);
		json_object_object_del(copies[1], passing[i]);
	}
	same = json_object_equal(copies[0], copies[1]);
out:
	json_object_put(copies[0]);
	json_object_put(copies[1]);
	return same;
}

/* Files of one boot may each know something: an ESAPI run names TSS2, a floor does not. The first word holds. */
static int add_conditions(struct report_boot *boot, struct json_object *conditions)
{
	if (!conditions)
		return 0;
	json_object_object_foreach(conditions, name, value)
	{
		if (json_object_object_get_ex(boot->conditions, name, NULL))
			continue;
		if (json_object_object_add(boot->conditions, name, json_object_get(value)))
			return -ENOMEM;
	}
	return 0;
}

/* The boot with this id, made if there is none; @conditions: what this file says about it, or NULL. */
static int find_boot(struct report *report, const char *id, struct json_object *conditions,
		     size_t *index)
{
	struct report_boot *boot;

	for (*index = 0; *index < report->boot_count; (*index)++)
		if (!strcmp(report->boots[*index].id, id))
			return add_conditions(&report->boots[*index], conditions);
	boot = reallocarray(report->boots, report->boot_count + 1, sizeof(*boot));
	if (!boot)
		return -ENOMEM;
	report->boots = boot;
	boot += report->boot_count++;
	*boot = (struct report_boot){ .id = strdup(id), .conditions = json_object_new_object() };
	if (!boot->id || !boot->conditions)
		return -ENOMEM;
	return add_conditions(boot, conditions);
}

static void number_machines(struct report *report)
{
	int machines = 0;

	for (size_t i = 0; i < report->boot_count; i++) {
		struct report_boot *boot = &report->boots[i];

		boot->machine = -1;
		for (size_t j = 0; j < i && boot->machine < 0; j++)
			if (same_machine(report->boots[j].conditions, boot->conditions))
				boot->machine = report->boots[j].machine;
		if (boot->machine < 0)
			boot->machine = machines++;
	}
}

/* The entry of a merged file's boots[] that this point names; NULL in files as measured. */
static int merged_boot(const struct source *source, struct json_object *point, const char *where,
		       struct json_object **conditions, int *number)
{
	struct json_object *boots, *boot, *value;
	int err = 0;

	*number = 0;
	boots = member(source, source->root, "", "boots", json_type_array, &err);
	value = member(source, point, where, "boot", json_type_int, &err);
	if (err || !boots || !value)
		return err;
	*number = json_object_get_int(value);
	for (size_t i = 0; i < json_object_array_length(boots); i++) {
		boot = json_object_array_get_idx(boots, i);
		if (!json_object_is_type(boot, json_type_object))
			return complain(source, "boots[%zu]: an object expected", i);
		value = member(source, boot, "boots[]", "boot", json_type_int, &err);
		if (!err && value && json_object_get_int(value) == *number) {
			*conditions = member(source, boot, "boots[]", "conditions",
					     json_type_object, &err);
			return err;
		}
	}
	return complain(source, "%s.boot: boots[] has no number %d", where, *number);
}

static int point_boot(struct report *report, const struct source *source,
		      struct json_object *json, const char *where, size_t *index)
{
	struct json_object *conditions = source->conditions, *value;
	char id[4096];
	int number, err;

	err = merged_boot(source, json, where, &conditions, &number);
	if (err)
		return err;
	if (conditions && json_object_object_get_ex(conditions, "boot_id", &value))
		snprintf(id, sizeof(id), "%s", json_object_get_string(value));
	else if (source->boot_id && !number)
		snprintf(id, sizeof(id), "%s", source->boot_id);
	else
		snprintf(id, sizeof(id), "%s#%d", source->path, number);
	return find_boot(report, id, conditions, index);
}

/* Each point says itself what it would else inherit, so that points alone can be read and compared. */
static int add_inherited(struct report_point *point, struct json_object *json)
{
	const char *const inherited[][2] = { { "guest", point->setting.guest },
					     { "kernel", point->setting.kernel },
					     { "banks", point->setting.banks } };

	for (size_t i = 0; i < sizeof(inherited) / sizeof(*inherited); i++)
		if (*inherited[i][1] && !json_object_object_get_ex(json, inherited[i][0], NULL) &&
		    json_object_object_add(json, inherited[i][0],
					   json_object_new_string(inherited[i][1])))
			return -ENOMEM;
	return 0;
}

static int add_point(struct report *report, const struct source *source, struct json_object *json,
		     size_t number)
{
	struct report_point *point;
	char where[48];
	int err;

	snprintf(where, sizeof(where), "points[%zu]", number);
	if (!json_object_is_type(json, json_type_object))
		return complain(source, "%s: an object expected", where);
	point = reallocarray(report->points, report->point_count + 1, sizeof(*point));
	if (!point)
		return -ENOMEM;
	report->points = point;
	point += report->point_count;
	memset(point, 0, sizeof(*point));
	err = point_boot(report, source, json, where, &point->boot);
	/* The number holds in that file only, and a point must look the same wherever it is read from. */
	json_object_object_del(json, "boot");
	if (!err)
		err = read_point(source, json, report->boots[point->boot].conditions, where, point);
	if (!err)
		err = add_inherited(point, json);
	if (err)
		return err;

	/* Equal to the last digit of every figure: the same measurement, given twice. */
	for (size_t i = 0; i < report->point_count; i++)
		if (report->points[i].boot == point->boot &&
		    json_object_equal(report->points[i].json, json)) {
			vtf_error_set(source->error, VTF_EXIT_USAGE,
				      "%s: %s was read before, from this or another file",
				      source->path, where);
			return -EEXIST;
		}
	point->json = json_object_get(json);
	report->point_count++;
	return 0;
}

static int check_head(struct source *source)
{
	static const char *const kinds[] = { "extend", "floor", "report", "sweep" };
	struct json_object *value;
	int err = 0;

	if (!json_object_is_type(source->root, json_type_object))
		return complain(source, "a JSON object expected");
	value = member(source, source->root, "", "schema", json_type_int, &err);
	if (err)
		return err;
	if (!value)
		return complain(source, "no schema number: not a result of vtpmfast");
	if (json_object_get_int(value) != VTF_SCHEMA)
		return complain(source, "schema %d, this version reads schema %d",
				json_object_get_int(value), VTF_SCHEMA);
	source->conditions = member(source, source->root, "", "conditions", json_type_object, &err);
	value = member(source, source->root, "", "kind", json_type_string, &err);
	if (err || !value)
		return err;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(json_object_get_string(value), kinds[i]))
			return 0;
	return complain(source, "kind \"%s\": only extend, floor, sweep and merged reports are read here",
			json_object_get_string(value));
}

int report_load(struct report *report, const char *path, const char *boot_id,
		struct vtf_error *error)
{
	struct source source = { .path = path, .boot_id = boot_id, .error = error };
	struct json_object *points;
	char *text = NULL;
	size_t length = 0;
	int err;

	err = slurp(path, &text, &length);
	if (err || !text) {
		vtf_error_set(error, VTF_EXIT_USAGE, "cannot read %s: %s", path, strerror(-err));
		return err;
	}
	err = parse(&source, text, length);
	if (!err)
		err = check_head(&source);
	if (err)
		goto out;
	points = member(&source, source.root, "", "points", json_type_array, &err);
	if (!err && !points)
		err = complain(&source, "no points: not a result of vtpmfast");
	for (size_t i = 0; !err && i < json_object_array_length(points); i++)
		err = add_point(report, &source, json_object_array_get_idx(points, i), i);
	number_machines(report);
	report->incomplete_count += json_object_object_get_ex(source.root, "incomplete", NULL) != 0;
out:
	json_object_put(source.root);
	free(text);
	return err;
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->point_count; i++)
		json_object_put(report->points[i].json);
	for (size_t i = 0; i < report->boot_count; i++) {
		json_object_put(report->boots[i].conditions);
		free(report->boots[i].id);
	}
	free(report->points);
	free(report->boots);
	memset(report, 0, sizeof(*report));
}
