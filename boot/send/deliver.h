/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a run on their way out. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SEND_DELIVER_H
#define BARECOUNT_BOOT_SEND_DELIVER_H

#include "boot/plan/run.h"

/*
 * A run that was measured: its files go to its volume, or to another one that takes them; to the
 * plan's server; and over the serial line, as the plan's `frames` has it.
 */
struct delivery deliver(const struct run *run);

#endif
