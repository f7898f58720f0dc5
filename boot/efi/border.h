/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by boot/efi/ and boot/net/, which alone know the firmware's types. */
#ifndef BARECOUNT_BOOT_EFI_BORDER_H
#define BARECOUNT_BOOT_EFI_BORDER_H

#include <efi.h>

extern EFI_HANDLE EFI_IMAGE;
extern EFI_SYSTEM_TABLE *EFI_SYSTEM;

/* A configuration table of the firmware, or null. */
void *efi_table(const EFI_GUID *guid);

/* What a handle has of a protocol, and what any handle has; null: nothing. */
void *efi_interface(EFI_HANDLE handle, EFI_GUID *protocol);
void *efi_any_interface(EFI_GUID *protocol);

/* The first node of a kind in a device path, and its bytes; null: it has none, or is damaged. */
const uint8_t *efi_path_node(const uint8_t *path, uint8_t type, uint8_t subtype, uint32_t *bytes);

void efi_close(EFI_EVENT event);

/* What the firmware has allocated; null is nothing. */
void efi_free(void *pool);

/* The handles that have a protocol, none where nobody has it; to be given back in any case. */
struct efi_handles {
    EFI_HANDLE *at;
    UINTN count;
    EFI_STATUS status; /* EFI_NOT_FOUND: nobody has it */
};
struct efi_handles efi_handles_of(EFI_GUID *protocol);
void efi_handles_free(struct efi_handles *handles);

/* Words for a status, from a table that ends with null words; null: it has none. */
struct efi_words {
    EFI_STATUS status;
    const char *words;
};
const char *efi_words_of(const struct efi_words *table, EFI_STATUS status);

/* "EFI_VOLUME_FULL" and the like; UEFI specification, appendix "Status Codes". */
const char *efi_status_name(EFI_STATUS status);

#endif
