/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Under Secure Boot only code that a signature covers runs: the program with its built-in kernels,
 * and signed plans. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_SECURE_BOOT_H
#define BARECOUNT_BOOT_EFI_SECURE_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/journal/record.h"

/* Whether the firmware only starts signed programs. */
enum secure_boot secure_boot(void);

/* Whether it does, and the program was not signed with scripts/sign --unsigned-kernels. */
bool secure_boot_refuses_unsigned(void);

/*
 * Has the firmware verify a PE image as it does a program's. Null if its signature is accepted;
 * otherwise the firmware's error by name.
 */
const char *secure_boot_fault(const void *image, size_t bytes);

/*
 * Measures a file into the TPM, in PCR 9 as GRUB does, with `what` as the event's text. An error is
 * an early remark; nothing happens without a TPM.
 */
void secure_boot_measure(const char *what, const void *file, size_t bytes);

#endif
