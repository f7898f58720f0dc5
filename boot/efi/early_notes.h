/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors of volumes or of the stick's files (except the plan), and remarks on the machine. The
 * first screen shows them, and each run's run.json records them. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_EARLY_NOTES_H
#define BARECOUNT_BOOT_EFI_EARLY_NOTES_H

#include "pmu/journal/record.h"

/* If there are more notes than this, the last note says so. */
#define EARLY_NOTES_MAX 300u

void early_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds a note that is not an error in the stick's files. */
void early_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned early_notes(void);

/* `index` counts from 0; the kind is NOTE_ERROR or NOTE_REMARK. */
const struct note *early_note(unsigned index);

#endif
