/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_EXTEND_EVENTS_H
#define FAULT_EXTEND_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Appends to @log what the PCR_Extend in @command does, and how many entries
 * IMA's list has at this moment. The TPM has not carried it out yet and whoever
 * sent it waits for the answer, so what the PCR holds is known exactly: nobody
 * else can see list and PCR at the same moment.
 */
void extend_events_log(FILE *log, const uint8_t *command, size_t bytes);

/*
 * Takes all but the first event, a digest of each bank, from the PCR_Extend in
 * @command. Returns its new size; one that is malformed stays as it is.
 */
size_t extend_events_keep_first(uint8_t *command, size_t bytes);

#endif
