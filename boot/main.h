/* SPDX-License-Identifier: BSD-2-Clause */
/* The main function, the command line, and the menu around a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_MAIN_H
#define BARECOUNT_BOOT_MAIN_H

#include "boot/plan/run.h"

/*
 * Runs the program. True if the last run was neither cancelled nor refused, and was written
 * completely. If the command line asks for something other than a run: true if the request
 * succeeded.
 */
bool barecount_main(void);

/*
 * If a run is estimated to take more than an hour and the machine has a screen and a keyboard,
 * shows the estimate and waits ten seconds for a key. False if the user cancelled with Esc or Q.
 */
bool menu_before(const struct run *run);

/*
 * Does what the plan says for the end of a run. After a run that was cancelled before it began,
 * shows the menu first, and does what the plan says only if no key is pressed within 30 s. Shows no
 * menu if the program was started with arguments. True: run again, with the plan at
 * request->plan_path. False: return to the firmware. Does not return if the machine is shut down or
 * reset.
 */
bool menu_after(const struct run *run, bool is_wanted, struct request *request);

/* Leaves the text on the screen for ten seconds, with a countdown, or until a key is pressed. */
void menu_pause(void);

/* Parses the command line. If the command line is invalid, prints an error and returns false. */
bool command_take(struct request *request);

/*
 * Answers a request other than a run. False if there was an error, or if the requested list is
 * empty.
 */
bool command_answer(struct run *run);

#endif
