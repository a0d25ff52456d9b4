/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a worker of `vtpmfast sweep` does over and over. A workload says what
 * one access is; the harness owns processes, pinning, start gate, warm-up,
 * clock and counting. One workload is one file here; add it to workloads.c.
 *
 * Files lie in one directory per worker and are named by their number, so that
 * no two workers wait for each other's directory. Every file that is ever made
 * has a content of its own (work_content()), so the first access to it is a
 * measurement that IMA has not seen yet.
 */
#ifndef VTF_WORKLOAD_H
#define VTF_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cpu.h"

#define WORK_NAME_BYTES 24
#define WORK_CONTENT_BYTES 128
#define WORK_HEAD_BYTES 256 /* of a file, before its content of its own */
#define WORK_NONCE_BYTES 64
/* As many workers as there are may lend each other their directories. */
#define WORK_DIRS_MAX 64

/* What all workers of one point have in common. */
struct work_place {
	char path[256]; /* directory of the directories, for what needs a path */
	char nonce[WORK_NONCE_BYTES]; /* text that no other point of this or an earlier run has */
	int dir[WORK_DIRS_MAX]; /* one directory per worker: path/0, path/1, ... */
	unsigned int dirs;
};

/* One worker. */
struct work {
	const struct work_place *place;
	unsigned int worker;
	uint64_t made; /* files that this worker has made; the number of the next one */
	struct cpu_times children; /* CPU time of processes that accesses started and waited for */
};

/* A file made beforehand. */
struct work_file {
	unsigned int dir; /* index of its directory */
	uint64_t number;
};

struct workload {
	const char *name;
	const char *description;
	/* Rule of an IMA policy that measures it, without the condition on the file system. */
	const char *rule;
	/* Whether this machine can do it: 0, or why not. NULL: every machine can. */
	const char *(*unable)(void);
	/* Makes the next file, before the timed part: 0, negative errno. NULL: needs none. */
	int (*prepare)(struct work *w);
	/* One access, to @file if the workload prepares files: 0, negative errno. */
	int (*run)(struct work *w, const struct work_file *file);
	/* Removes a file that prepare() made: 0, negative errno. */
	int (*cleanup)(struct work *w, const struct work_file *file);
};

extern const struct workload workload_read, workload_create, workload_exec, workload_mmap;

/* All of them, NULL at the end. */
extern const struct workload *const workloads[];

/* NULL: there is none with that name. */
const struct workload *workload_find(const char *name);

/* What the workloads share. */

/* Name of file @number within its directory. */
void work_name(uint64_t number, char name[WORK_NAME_BYTES]);

/**
 * work_content() - a text that no other file has
 *
 * Return: its length.
 */
size_t work_content(const struct work *w, uint64_t number, char text[WORK_CONTENT_BYTES]);

/* Makes a file of @head (may be empty) and a content of its own, and closes it: 0, negative errno. */
int work_make(const struct work *w, uint64_t number, const void *head, size_t head_len,
	      unsigned int mode);

/* prepare() for a plain file with a content of its own. */
int work_prepare_plain(struct work *w);

/* cleanup() for all of them: removes the name. */
int work_unlink(struct work *w, const struct work_file *file);

#endif
