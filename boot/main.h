/* SPDX-License-Identifier: BSD-2-Clause */
/* The main function, the command line, and the menu around a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_MAIN_H
#define BARECOUNT_BOOT_MAIN_H

#include "boot/plan/run.h"

/*
 * True if the last run was neither cancelled nor refused, and was written completely. If the
 * command line asks for something other than a run: true if the request succeeded.
 */
bool barecount_main(void);

/*
 * If the run may take more than an hour, and there are a screen and a keyboard, shows the estimate
 * and waits ten seconds for a key. False if the user cancelled with Esc or Q.
 */
bool menu_before(const struct run *run);

/*
 * Does what the plan's at_end= says. After a cancelled run, first shows the menu and waits 30 s for
 * a key. Shows no menu if the program was started with arguments. Returns true if another run is
 * wanted, with the plan at request->plan_path, and false to return to the firmware.
 */
bool menu_after(const struct run *run, bool is_wanted, struct request *request);

/* Leaves the text on the screen for ten seconds, or until a key is pressed. */
void menu_pause(void);

/* If the command line is invalid, prints an error and returns false. */
bool command_take(struct request *request);

/*
 * Does what the command line asks for if that is not a run. False if there was an error, or if a
 * list of events or kernels would be empty.
 */
bool command_answer(struct run *run);

#endif
