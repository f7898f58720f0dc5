/* SPDX-License-Identifier: BSD-2-Clause */
/* The last run as framed lines over the serial line: pmu/files/frames.h. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SEND_FRAMES_H
#define BARECOUNT_BOOT_SEND_FRAMES_H

#include "boot/plan/run.h"

/*
 * At the end of a run, as the plan's `frames` has it. taken: a volume or a server has the results.
 * True: all lines went out; that somebody received them nobody knows.
 */
bool frames_after(const struct run *run, bool taken);

/* Once more, because the user asks for it: the same lines, so that those that were lost come. */
void frames_again(const struct run *run);

#endif
