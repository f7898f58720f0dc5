/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Under Secure Boot, only code that a signature covers may run: the program with its built-in
 * kernels, and the kernels in signed plans. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_SECURE_BOOT_H
#define BARECOUNT_BOOT_EFI_SECURE_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/journal/record.h"

/* Whether the firmware starts only signed programs. */
enum secure_boot secure_boot(void);

/*
 * Whether the firmware starts only signed programs, and this program was not signed with
 * scripts/sign --unsigned-kernels.
 */
bool secure_boot_refuses_unsigned(void);

/*
 * Lets the firmware verify a PE image as it verifies a program. Null if the firmware accepts the
 * image's signature; otherwise the name of the firmware's error.
 */
const char *secure_boot_fault(const void *image, size_t bytes);

/*
 * Measures a file into the TPM, in PCR 9 as GRUB does, with `what` as the event's text. An error is
 * reported as a remark (boot/efi/early_notes.h). Does nothing if there is no TPM.
 */
void secure_boot_measure(const char *what, const void *file, size_t bytes);

#endif
