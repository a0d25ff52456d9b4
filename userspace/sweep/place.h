/* SPDX-License-Identifier: GPL-2.0 */
/* Where the files of a sweep lie. */
#ifndef VTF_PLACE_H
#define VTF_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

#define PLACE_PATH_BYTES 192
#define PLACE_UUID_BYTES 37

struct place {
	char path[PLACE_PATH_BYTES];	 /* an empty directory of our own */
	char fsuuid[PLACE_UUID_BYTES]; /* of its file system, as IMA's policy writes it; "": not known */
	bool mounted;			 /* a tmpfs of our own, in a mount namespace of our own */
	int namespace, directory;	 /* that we came from; -1 */
};

/**
 * place_mount() - a fresh tmpfs that nobody else sees
 *
 * This process gets a mount namespace of its own and mounts over some directory
 * there; children inherit it. So however the program ends, nothing is left: no
 * mount, no file, no directory. While it is mounted, paths below that directory
 * mean something else; place_leave() goes back.
 *
 * Return: 0, -1 with @err set (VTF_EXIT_MISSING without the permission).
 */
int place_mount(struct place *p, struct vtf_error *err);

/**
 * place_in_directory() - a fresh directory below @dir
 *
 * Return: 0, -1 with @err set (VTF_EXIT_MISSING).
 */
int place_in_directory(struct place *p, const char *dir, struct vtf_error *err);

/* Removes everything, and returns to the namespace and the directory that we came from. */
void place_leave(struct place *p);

/**
 * place_room() - how many small files it can hold without starving the machine
 *
 * Half of the free memory, for files that are memory; half of what is free on
 * the file system else. UINT64_MAX if neither is known.
 */
uint64_t place_room(const struct place *p);

#endif
