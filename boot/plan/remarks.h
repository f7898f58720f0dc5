/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_PLAN_REMARKS_H
#define BARECOUNT_BOOT_PLAN_REMARKS_H

#include "boot/plan/machine.h"

/*
 * What is to be said of the machine and its firmware before anything runs, as remarks of
 * boot/efi/early_notes.h: CPUs that are not measured, a clock that is not set, a watchdog that runs
 * on. Boot CPU only, once.
 */
void remarks_find(const struct machine *machine);

#endif
