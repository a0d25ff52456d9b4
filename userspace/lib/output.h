/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results: the JSON document that every measuring command makes, CSV of its
 * points, files that are never half-written, and progress for a person.
 *
 * Document (schema/result.schema.json):
 *   { "schema": 1, "kind": "extend", "conditions": {...}, "points": [ {...}, ... ] }
 * A key whose value is not known is left out: there is no NaN, null, -1 or
 * empty string in a document. So a reader must expect any key to be absent;
 * for example a point measured through a swtpm socket has no "mode", since no
 * kernel driver is in the path.
 */
#ifndef VTF_OUTPUT_H
#define VTF_OUTPUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VTF_SCHEMA 1

/**
 * output_doc_new() - an empty result document
 * @kind:       "extend", "floor", ...
 * @conditions: object from conditions_gather(); owned by the document afterwards; may be NULL
 *
 * Return: the document, to be freed with json_object_put(); NULL without memory.
 */
struct json_object *output_doc_new(const char *kind, struct json_object *conditions);

/**
 * output_doc_add() - append a point
 * @doc:   from output_doc_new()
 * @point: an object; owned by the document afterwards
 */
void output_doc_add(struct json_object *doc, struct json_object *point);

/**
 * output_doc_points() - the array of points of a document
 * @doc: a document
 *
 * Return: the array (borrowed), NULL if there is none.
 */
struct json_object *output_doc_points(struct json_object *doc);

/*
 * Add one key. A value that is not known is left out: NULL or an empty string,
 * a number that is not finite. Decimals are cut to @decimals digits after the point.
 */
void output_add_str(struct json_object *obj, const char *key, const char *value);
void output_add_u64(struct json_object *obj, const char *key, uint64_t value);
void output_add_bool(struct json_object *obj, const char *key, bool value);
void output_add_num(struct json_object *obj, const char *key, double value, int decimals);

/**
 * output_write_atomic() - replace a file as a whole or not at all
 * @path: file to write; its directory must exist
 * @data: contents
 * @len:  bytes
 *
 * Writes a temporary file beside @path, syncs it, renames it over @path and
 * syncs the directory. Whoever opens @path sees the old or the new contents,
 * also after a crash or a kill at any moment. The mode of a new file is 0666
 * less the umask; an old file keeps its mode. /dev/stdout, a pipe or a
 * character device is written to directly.
 *
 * Return: 0, or negative errno (@path is untouched).
 */
int output_write_atomic(const char *path, const void *data, size_t len);

/**
 * output_check() - whether output_write_atomic() has a chance, before any work is done
 *
 * Return: 0, or negative errno.
 */
int output_check(const char *path);

/**
 * output_write_json() - write a document
 * @path: file (as output_write_atomic()); NULL: stdout
 * @doc:  a document
 *
 * Return: 0, or negative errno.
 */
int output_write_json(const char *path, struct json_object *doc);

/**
 * output_csv() - print points as CSV with a header line (RFC 4180)
 * @to:     stream
 * @points: array of flat objects
 *
 * Columns are the union of all keys, in the order in which they first appear;
 * a missing value is an empty field; an array is joined with '+'.
 */
void output_csv(FILE *to, struct json_object *points);

/*
 * Progress with an estimate of the time left, on stderr and only if that is a
 * terminal; otherwise every call does nothing.
 */
struct output_progress {
	bool on;
	uint64_t start_ns;
	double expected_s; /* length of everything; 0: not known */
};

void output_progress_start(struct output_progress *p, double expected_s);
/* @fmt: what is being done now */
void output_progress_say(const struct output_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Clears the line, so that the result starts on an empty one. */
void output_progress_end(const struct output_progress *p);

#endif
