/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a run to the server of the plan, as UUID-NNNN-results.csv and so on: the machine's
 * UUID of SMBIOS, "no-uuid-" and a NIC's address where there is none, and a number. Nothing on the
 * server is overwritten. run.json goes last: with it the set is complete. Boot CPU only, behind the
 * measurement.
 */
#ifndef BARECOUNT_BOOT_SEND_UPLOAD_H
#define BARECOUNT_BOOT_SEND_UPLOAD_H

#include "boot/plan/run.h"

/*
 * Sends the run, and says what was sent, what was not, why, and what to do. What was not is a NOTE
 * of the run too: store_finish_notes(). True: all of it is there, its files' names start with
 * `name` (UUID-NNNN).
 */
bool upload_run(const struct run *run, char name[UPLOAD_NAME_BYTES]);

#endif
