/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with files of the stick other than the plan, and what is to be said of the machine:
 * found before the first screen, which shows it; each run's run.json has it too, once. Boot CPU
 * only.
 */
#ifndef BARECOUNT_BOOT_EFI_COMPLAINTS_H
#define BARECOUNT_BOOT_EFI_COMPLAINTS_H

#include "pmu/journal/record.h"

/* As many are kept; the last of them says that there are more. */
#define COMPLAINTS_MAX 300u

void complaints_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is no fault of the stick's or the plan's. */
void complaints_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned complaints(void);

/* A note from 0 on, NOTE_ERROR or NOTE_REMARK. */
const struct note *complaint(unsigned index);

#endif
