/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's types, which only boot/efi/, boot/net/ and boot/entry.c know. */
#ifndef BARECOUNT_BOOT_EFI_BORDER_H
#define BARECOUNT_BOOT_EFI_BORDER_H

#include <stdbool.h>

#include <efi.h>

extern EFI_HANDLE EFI_IMAGE;
extern EFI_SYSTEM_TABLE *EFI_SYSTEM;

/* Null: no such table. */
void *efi_table(const EFI_GUID *guid);

/* Null: no such protocol. */
void *efi_interface(EFI_HANDLE handle, EFI_GUID *protocol);
void *efi_any_interface(EFI_GUID *protocol);

/* Class and subclass of a handle's PCI device, such as 0C03H; PCI_CLASS_NONE: not a PCI device. */
#define PCI_CLASS_NONE 0xffffu
uint16_t efi_pci_class(EFI_HANDLE handle);

/*
 * Returns the first node of `type` and `subtype` in a device path, and its length in *bytes. Null:
 * there is no such node, or the path is damaged.
 */
const uint8_t *efi_path_node(const uint8_t *path, uint8_t type, uint8_t subtype, uint32_t *bytes);

/*
 * Firmware older than UEFI 2.0, and some boards with a boot logo, hide text until a program sets
 * CONSOLE_TEXT (Intel's EDK, ConsoleControl.h).
 */
#define CONSOLE_CONTROL_GUID                                                                       \
    {                                                                                              \
        0xf42f7782, 0x012e, 0x4c12,                                                                \
        {                                                                                          \
            0x99, 0x56, 0x49, 0xf9, 0x43, 0x04, 0xf7, 0x21                                         \
        }                                                                                          \
    }
enum console_mode { CONSOLE_TEXT, CONSOLE_GRAPHICS };
struct console_control {
    void *get_mode;
    EFI_STATUS(EFIAPI *set_mode)(struct console_control *, enum console_mode mode);
};

/* Whether the device path of `handle` begins with the path of `device`. */
bool efi_leads_through(EFI_HANDLE handle, EFI_HANDLE device);

void efi_close(EFI_EVENT event);

/* Null is allowed. */
void efi_free(void *pool);

/* All handles with a protocol. Free the list even if it is empty. */
struct efi_handles {
    EFI_HANDLE *at;
    UINTN count;
    EFI_STATUS status; /* EFI_NOT_FOUND: none */
};
struct efi_handles efi_handles_of(EFI_GUID *protocol);
void efi_handles_free(struct efi_handles *handles);

/*
 * A table of texts for status codes; the last row has null words. efi_words_of() returns null if
 * the table does not list the status.
 */
struct efi_words {
    EFI_STATUS status;
    const char *words;
};
const char *efi_words_of(const struct efi_words *table, EFI_STATUS status);

/* "EFI_VOLUME_FULL" etc.; UEFI specification, appendix "Status Codes". */
const char *efi_status_name(EFI_STATUS status);

#endif
