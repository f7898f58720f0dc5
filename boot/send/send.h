/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a run on their way out. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SEND_SEND_H
#define BARECOUNT_BOOT_SEND_SEND_H

#include "boot/plan/run.h"

/*
 * A run that was measured: its files go to its volume, or to another one that takes them; to the
 * plan's server; and over the serial line, as the plan's `frames` has it.
 */
struct delivery deliver(const struct run *run);

/*
 * At the end of a run, as framed lines over the serial line (pmu/files/frames.h), as the plan's
 * `frames` has it. taken: a volume or a server has the results. True: all lines went out; that
 * somebody received them nobody knows.
 */
bool frames_after(const struct run *run, bool taken);

/* Once more, because the user asks for it: the same lines, so that those that were lost come. */
void frames_again(const struct run *run);

/*
 * The files of a run to the server of the plan, as UUID-NNNN-results.csv and so on: the machine's
 * UUID of SMBIOS, "no-uuid-" and a NIC's address where there is none, and a number. Nothing on the
 * server is overwritten. run.json goes last: with it the set is complete.
 *
 * Sends the run, and says what was sent, what was not, why, and what to do. What was not is a NOTE
 * of the run too: store_finish_notes(). True: all of it is there, its files' names start with
 * `name` (UUID-NNNN).
 */
bool upload_run(const struct run *run, char name[UPLOAD_NAME_BYTES]);

#endif
