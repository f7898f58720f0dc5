/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line asks for beside a run. */
#ifndef BARECOUNT_BOOT_COMMAND_H
#define BARECOUNT_BOOT_COMMAND_H

#include "boot/plan/run.h"

/* Takes the command line. False, after saying why, when it is not as expected. */
bool command_take(struct request *request);

/* Says what is asked for. False: something is wrong with what it is about. */
bool command_answer(struct run *run);

#endif
