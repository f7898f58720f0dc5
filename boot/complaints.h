/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with files of the stick other than the plan: found before the first screen, which
 * shows it; each run's run.json has it too. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_COMPLAINTS_H
#define BARECOUNT_BOOT_COMPLAINTS_H

/* As many are kept; the last of them says that there are more. */
#define COMPLAINTS_MAX 300u

void complaints_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned complaints(void);

/* A sentence, from 0 on. */
const char *complaint(unsigned index);

#endif
