/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers the results of a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SEND_SEND_H
#define BARECOUNT_BOOT_SEND_SEND_H

#include "boot/plan/run.h"

/*
 * Delivers a run's files to a volume (the run's own or, if that fails, another), to the plan's
 * server, and over the serial line.
 */
struct delivery deliver(const struct run *run);

/*
 * Sends the run as framed lines over the serial line, if the plan's `frames` asks for it. `taken`:
 * the results are on a volume or a server. True if all lines were sent, whether received or not.
 */
bool frames_after(const struct run *run, bool taken);

/* Sends the run as framed lines on the user's request. */
void frames_again(const struct run *run);

/*
 * Sends a run's files to the plan's server; `name` becomes the prefix UUID-NNNN of their names.
 * UUID is the machine's SMBIOS UUID, or "no-uuid-" and a NIC's address. NNNN is a number under
 * which the server has no results.csv yet. run.json is sent last, so it marks a complete set. True
 * if all files were sent. A failure is also noted in the run's records; see store_finish_notes().
 */
bool upload_run(const struct run *run, char name[UPLOAD_NAME_BYTES]);

#endif
