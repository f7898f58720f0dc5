/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/border.h"
#include "boot/efi/firmware.h"

/* UEFI specification, "Globally Defined Variables": a byte, 1 when images have to be signed. */
enum secure_boot firmware_secure_boot(void)
{
    EFI_GUID guid = EFI_GLOBAL_VARIABLE;
    UINT8 value = 0;
    UINTN size = sizeof(value);

    if (EFI_SYSTEM->RuntimeServices->GetVariable(L"SecureBoot", &guid, 0, &size, &value) !=
            EFI_SUCCESS ||
        size != sizeof(value))
        return SECURE_BOOT_UNKNOWN;
    return value == 1 ? SECURE_BOOT_ON : SECURE_BOOT_OFF;
}
