/* SPDX-License-Identifier: GPL-2.0 */
/* Orderly end on SIGINT, SIGTERM and SIGHUP. */
#ifndef VTF_SIGNALS_H
#define VTF_SIGNALS_H

/*
 * From now on these signals only set a flag and interrupt whatever blocks, so
 * that the caller can restore what it changed. A signal that was ignored
 * (nohup) stays ignored.
 */
void signals_catch(void);

/* For child processes: ignore them, since the parent ends its children itself. */
void signals_ignore(void);

/* Number of the signal that has arrived, 0 if none. */
int signals_pending(void);

#endif
