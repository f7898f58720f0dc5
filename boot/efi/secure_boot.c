/* SPDX-License-Identifier: BSD-2-Clause */
/* Secure Boot's state, signatures that the firmware verifies, and measurements by the TPM. */
#include "boot/efi/secure_boot.h"
#include "boot/efi/border.h"
#include "boot/efi/early_notes.h"
#include "pmu/base/text.h"

/* Volatile, because scripts/sign --unsigned-kernels writes "yes" over the "no " in the image. */
static const volatile char UNSIGNED_KERNELS[] = "barecount unsigned kernels: no ";
#define ANSWER_AT (sizeof(UNSIGNED_KERNELS) - sizeof("no "))

/*
 * The variable SecureBoot is a byte that is 1 if images must be signed (UEFI specification,
 * "Globally Defined Variables"). If the variable exists but cannot be read, Secure Boot may be on.
 */
enum secure_boot secure_boot(void)
{
    EFI_GUID guid = EFI_GLOBAL_VARIABLE;
    UINT8 value = 0;
    UINTN size = sizeof(value);
    EFI_STATUS status =
        EFI_SYSTEM->RuntimeServices->GetVariable(L"SecureBoot", &guid, 0, &size, &value);

    if (status == EFI_NOT_FOUND || status == EFI_UNSUPPORTED)
        return SECURE_BOOT_UNKNOWN;
    return status == EFI_SUCCESS && value == 0 ? SECURE_BOOT_OFF : SECURE_BOOT_ON;
}

bool secure_boot_refuses_unsigned(void)
{
    return secure_boot() == SECURE_BOOT_ON && UNSIGNED_KERNELS[ANSWER_AT] != 'y';
}

/* UEFI specification, "Memory Mapped Device Path": some firmware wants a path for each image. */
struct memory_path {
    EFI_DEVICE_PATH node;
    UINT32 memory_type;
    UINT64 first, last;
    EFI_DEVICE_PATH end;
} __attribute__((packed));

/* After EFI_SECURITY_VIOLATION the image is loaded all the same, so it must be unloaded. */
const char *secure_boot_fault(const void *image, size_t bytes)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;
    EFI_HANDLE loaded = 0;
    EFI_STATUS status;
    struct memory_path path = {
        .node = {HARDWARE_DEVICE_PATH, HW_MEMMAP_DP, {offsetof(struct memory_path, end), 0}},
        .memory_type = EfiLoaderData,
        .first = (uintptr_t)image,
        .last = (uintptr_t)image + bytes - 1,
        .end = {END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, {sizeof(path.end), 0}},
    };

    status =
        boot->LoadImage(FALSE, EFI_IMAGE, (EFI_DEVICE_PATH *)&path, (void *)image, bytes, &loaded);
    if (loaded)
        boot->UnloadImage(loaded);
    return status == EFI_SUCCESS ? 0 : efi_status_name(status);
}

/* TCG EFI Protocol Specification, section 6; TCG PC Client Platform Firmware Profile, section 10 */
#define TCG2_GUID                                                                                  \
    {                                                                                              \
        0x607f766c, 0x7455, 0x42be,                                                                \
        {                                                                                          \
            0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f                                         \
        }                                                                                          \
    }
#define PCR_FILES     9u
#define EV_IPL        0xdu
#define EVENT_VERSION 1u
#define TEXT_BYTES    128u

struct tcg2_event {
    UINT32 size;
    UINT32 header_size;
    UINT16 header_version;
    UINT32 pcr, type;
    char text[TEXT_BYTES];
} __attribute__((packed));
#define HEAD_BYTES offsetof(struct tcg2_event, text)

struct tcg2 {
    void *get_capability, *get_event_log;
    EFI_STATUS(EFIAPI *hash_log_extend_event)
    (struct tcg2 *, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 bytes, struct tcg2_event *);
};

void secure_boot_measure(const char *what, const void *file, size_t bytes)
{
    EFI_GUID guid = TCG2_GUID;
    struct tcg2 *tpm = efi_any_interface(&guid);
    struct tcg2_event event = {
        .header_size = HEAD_BYTES - offsetof(struct tcg2_event, header_size),
        .header_version = EVENT_VERSION,
        .pcr = PCR_FILES,
        .type = EV_IPL,
    };
    EFI_STATUS status;

    if (!tpm)
        return;
    text_copy(event.text, sizeof(event.text), what);
    event.size = (UINT32)(HEAD_BYTES + text_length(event.text) + 1);
    status = tpm->hash_log_extend_event(tpm, 0, (uintptr_t)file, bytes, &event);
    /* EFI_VOLUME_FULL: the file was measured, but the event log is full. */
    if (status != EFI_SUCCESS && status != EFI_VOLUME_FULL)
        early_remark("%s: the TPM did not take its measurement: %s", what, efi_status_name(status));
}
