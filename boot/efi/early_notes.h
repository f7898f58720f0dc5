/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with files of the stick other than the plan, and what is to be said of the machine:
 * found before the first screen, which shows it; each run's run.json has it too, once. Boot CPU
 * only.
 */
#ifndef BARECOUNT_BOOT_EFI_EARLY_NOTES_H
#define BARECOUNT_BOOT_EFI_EARLY_NOTES_H

#include "pmu/journal/record.h"

/* As many are kept; the last of them says that there are more. */
#define EARLY_NOTES_MAX 300u

void early_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is no fault of the stick's or the plan's. */
void early_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned early_notes(void);

/* A note from 0 on, NOTE_ERROR or NOTE_REMARK. */
const struct note *early_note(unsigned index);

#endif
