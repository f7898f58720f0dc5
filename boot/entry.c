/* SPDX-License-Identifier: BSD-2-Clause */
/* Where firmware enters the program. */
#include "boot/efi/border.h"
#include "boot/main.h"

/* Its answer: 0 when the run was written whole, an error otherwise. */
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_IMAGE = image;
    EFI_SYSTEM = system;
    return barecount_main() ? EFI_SUCCESS : EFI_ABORTED;
}
