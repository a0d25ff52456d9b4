/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Templates of a measurement list: which fields an entry has, and what form
 * each field must have.
 *
 * Source: Linux 6.12, security/integrity/ima/ima_template.c (names, formats,
 * limits) and ima_template_lib.c (what a field holds). All numbers are
 * little-endian: what x86 writes, and any other machine with
 * ima_canonical_fmt.
 */
#ifndef VTF_IMA_TEMPLATE_H
#define VTF_IMA_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IMA_TEMPLATE_NUM_FIELDS_MAX, IMA_TEMPLATE_FIELD_ID_MAX_LEN; a format joins fields with '|' */
#define IMA_MAX_FIELDS 15
#define IMA_MAX_FIELD_ID_BYTES 16
#define IMA_MAX_NAME_BYTES (IMA_MAX_FIELDS * (IMA_MAX_FIELD_ID_BYTES + 1) - 1)
/* A field is one kmalloc(): KMALLOC_MAX_SIZE with pages of 4 KiB. */
#define IMA_MAX_FIELD_BYTES (4U << 20)
/* Of all fields of an entry together; far above what the kernel can fill with files. */
#define IMA_MAX_DATA_BYTES (16U << 20)
/* A path in an n-ng field: PATH_MAX, its NUL included. */
#define IMA_MAX_PATH_BYTES 4096U
/* Name in the template "ima" and in n fields: IMA_EVENT_NAME_LEN_MAX, and its NUL. */
#define IMA_EVENT_NAME_BYTES 256U
/* A digest in the template "ima". */
#define IMA_LEGACY_DIGEST_BYTES 20U

enum ima_field_form {
	IMA_FORM_DIGEST,      /* d: bare sha1 or md5 */
	IMA_FORM_ALGO_DIGEST, /* d-ng: "sha256:" NUL digest */
	IMA_FORM_TYPE_DIGEST, /* d-ngv2: "ima:sha256:" NUL digest */
	IMA_FORM_NAME,	      /* n: NUL-terminated, short */
	IMA_FORM_PATH,	      /* n-ng: NUL-terminated */
	IMA_FORM_STRING,      /* xattrnames: NUL-terminated or nothing */
	IMA_FORM_U16,	      /* number of that size, or nothing */
	IMA_FORM_U32,
	IMA_FORM_U32_LIST, /* xattrlengths */
	IMA_FORM_BYTES,	   /* anything */
};

struct ima_field_type {
	const char *id;
	enum ima_field_form form;
	bool may_be_empty;
};

struct ima_template {
	char name[IMA_MAX_NAME_BYTES + 1]; /* as in the list */
	bool legacy; /* "ima": no lengths in the list, and a hash of its own kind */
	unsigned int count;
	const struct ima_field_type *field[IMA_MAX_FIELDS];
};

/**
 * ima_template_find() - the fields that a name stands for
 * @name: name of a template, or the format itself ("d-ng|n-ng|sig")
 * @len:  bytes at @name
 * @t:    receives the template; its contents are undefined on failure
 *
 * Return: NULL, else a static text: what is wrong with the name.
 */
const char *ima_template_find(const char *name, size_t len, struct ima_template *t);

/**
 * ima_hash_bytes() - length of a digest by the kernel's name of the algorithm
 * @name: not NUL-terminated
 * @len:  bytes at @name
 *
 * Return: bytes, 0 if the kernel has no such algorithm.
 */
size_t ima_hash_bytes(const char *name, size_t len);

/**
 * ima_field_check() - whether a field has the form that its type requires
 * @type:      type
 * @data:      @len bytes
 * @violation: the entry is a violation, so a digest in it must be zeros
 *
 * Return: NULL, else a static text: what is wrong.
 */
const char *ima_field_check(const struct ima_field_type *type, const uint8_t *data, size_t len,
			    bool violation);

#endif
