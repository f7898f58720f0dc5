/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Under Secure Boot, only signed code may run: the program with its built-in kernels, and the
 * kernels in signed plans. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_SECURE_BOOT_H
#define BARECOUNT_BOOT_EFI_SECURE_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/journal/record.h"

/* Whether the firmware starts only signed programs. */
enum secure_boot secure_boot(void);

/*
 * Whether Secure Boot is on, and this program was not signed with scripts/sign --unsigned-kernels.
 */
bool secure_boot_refuses_unsigned(void);

/* Null if the firmware accepts the PE image's signature; otherwise the name of the error. */
const char *secure_boot_fault(const void *image, size_t bytes);

/*
 * Measures a file into PCR 9 of the TPM, if there is one, with `what` as the event's text. Reports
 * a failure as a remark.
 */
void secure_boot_measure(const char *what, const void *file, size_t bytes);

#endif
