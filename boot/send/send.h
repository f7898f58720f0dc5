/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers the results of a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SEND_SEND_H
#define BARECOUNT_BOOT_SEND_SEND_H

#include "boot/plan/run.h"

/*
 * Delivers a measured run's files to its volume, or to another volume that accepts them. Also sends
 * the files to the plan's server, and over the serial line if the plan's `frames` asks for it.
 */
struct delivery deliver(const struct run *run);

/*
 * Sends the run as framed lines over the serial line (pmu/files/frames.h) if the plan's `frames`
 * asks for it. `taken` says that the results are on a volume or a server. True if all lines were
 * sent; it is not known whether they were received.
 */
bool frames_after(const struct run *run, bool taken);

/* Sends the run as framed lines on the user's request, perhaps again to fill gaps. */
void frames_again(const struct run *run);

/*
 * Sends a run's files to the plan's server and reports the outcome. The files' names are
 * UUID-NNNN-results.csv etc. UUID is the machine's SMBIOS UUID, or "no-uuid-" and a NIC's address;
 * NNNN is a number under which the server has no results.csv yet, so that no run is overwritten.
 * run.json is sent last, so it marks a complete set. A failure is also noted in the run's records;
 * see store_finish_notes(). True if all files were sent; `name` is the prefix of their names
 * (UUID-NNNN).
 */
bool upload_run(const struct run *run, char name[UPLOAD_NAME_BYTES]);

#endif
