/* SPDX-License-Identifier: BSD-2-Clause */
/* The main function, the command line before a run and the menu after it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_MAIN_H
#define BARECOUNT_BOOT_MAIN_H

#include "boot/plan/run.h"

/* All that the program does. True: the last run was written whole, or the question answered. */
bool barecount_main(void);

/*
 * Before a run that is estimated above an hour, where there are a screen and a keyboard: says so,
 * and waits ten seconds for a key. False: Esc or Q was pressed, the run is not wanted.
 */
bool menu_before(const struct run *run);

/*
 * Does what the plan says for the end, or asks, as it does after a run that was not wanted. True:
 * run again, with the plan at request->plan_path. False: back to the firmware. Does not return when
 * the machine is shut down or reset.
 */
bool menu_after(const struct run *run, bool is_wanted, struct request *request);

/* Leaves what was said on the screen for a while, or until a key is pressed. */
void menu_pause(void);

/* Takes the command line. False, after saying why, when it is not as expected. */
bool command_take(struct request *request);

/* Says what is asked for. False: something is wrong with what it is about. */
bool command_answer(struct run *run);

#endif
