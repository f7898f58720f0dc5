/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as it goes on. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_PROGRESS_H
#define BARECOUNT_BOOT_RUN_PROGRESS_H

#include "boot/plan/run.h"

/* A run that goes on, and its journal as it is read back for the console. */
struct progress {
    struct run *run;
    struct view view;
    struct journal_cursor cursor;
};

/*
 * Takes what was appended to the journal into the view; reports the results among it. On the stick
 * it is with the next store_sync(): before a kernel runs, and at a CPU's end.
 */
void progress_catch_up(struct progress *p);

#endif
