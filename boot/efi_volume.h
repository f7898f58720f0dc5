/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_EFI_VOLUME_H
#define BARECOUNT_BOOT_EFI_VOLUME_H

#include "boot/efi_border.h"

/* The root of the volume that files.h describes, or null. */
EFI_FILE_HANDLE volume_choose(void);

/* What volume_choose() gave the root of, and the volume that the program was loaded from; or null.
 */
EFI_HANDLE volume_of_results(void);
EFI_HANDLE volume_of_program(void);

#endif
