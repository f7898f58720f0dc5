/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes after a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_MENU_H
#define BARECOUNT_BOOT_MENU_H

#include "boot/plan/run.h"

/*
 * Does what the plan says for the end, or asks. True: run again, with the plan at
 * request->plan_path. False: back to the firmware. Does not return when the machine is shut down or
 * reset.
 */
bool menu_after(const struct run *run, struct request *request);

/* Leaves what was said on the screen for a while, or until a key is pressed. */
void menu_pause(void);

#endif
