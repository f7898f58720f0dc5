/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/efi/firmware.h"
#include "pmu/base/out.h"
#include "pmu/base/text.h"

EFI_HANDLE EFI_IMAGE;
EFI_SYSTEM_TABLE *EFI_SYSTEM;

#define US_PER_S      1000000u
#define FIRST_YEAR    2025u    /* of this program: a clock that is behind it is not set */
#define WATCHDOG_CODE 0x10000u /* those below are the firmware's own */

const unsigned short *firmware_load_options(size_t *units)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *loaded = 0;

    *units = 0;
    if (EFI_SYSTEM->BootServices->HandleProtocol(EFI_IMAGE, &guid, (void **)&loaded) !=
            EFI_SUCCESS ||
        !loaded->LoadOptions)
        return 0;
    *units = loaded->LoadOptionsSize / sizeof(CHAR16);
    return loaded->LoadOptions;
}

void *efi_table(const EFI_GUID *guid)
{
    const uint64_t *wanted = (const uint64_t *)guid;

    for (UINTN i = 0; i < EFI_SYSTEM->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry = &EFI_SYSTEM->ConfigurationTable[i];
        const uint64_t *found = (const uint64_t *)&entry->VendorGuid;

        if (found[0] == wanted[0] && found[1] == wanted[1])
            return entry->VendorTable;
    }
    return 0;
}

struct efi_handles efi_handles_of(EFI_GUID *protocol)
{
    struct efi_handles handles = {.count = 0};
    EFI_STATUS status = EFI_SYSTEM->BootServices->LocateHandleBuffer(ByProtocol, protocol, 0,
                                                                     &handles.count, &handles.at);

    if (status != EFI_SUCCESS)
        handles = (struct efi_handles){.count = 0};
    handles.status = status;
    return handles;
}

void efi_handles_free(struct efi_handles *handles)
{
    if (handles->at)
        EFI_SYSTEM->BootServices->FreePool(handles->at);
}

const char *efi_status_name(EFI_STATUS status)
{
    static const struct {
        EFI_STATUS status;
        const char *name;
    } NAMES[] = {
        {EFI_SUCCESS, "EFI_SUCCESS"},
        {EFI_INVALID_PARAMETER, "EFI_INVALID_PARAMETER"},
        {EFI_UNSUPPORTED, "EFI_UNSUPPORTED"},
        {EFI_NOT_READY, "EFI_NOT_READY"},
        {EFI_DEVICE_ERROR, "EFI_DEVICE_ERROR"},
        {EFI_WRITE_PROTECTED, "EFI_WRITE_PROTECTED"},
        {EFI_OUT_OF_RESOURCES, "EFI_OUT_OF_RESOURCES"},
        {EFI_VOLUME_CORRUPTED, "EFI_VOLUME_CORRUPTED"},
        {EFI_VOLUME_FULL, "EFI_VOLUME_FULL"},
        {EFI_NO_MEDIA, "EFI_NO_MEDIA"},
        {EFI_MEDIA_CHANGED, "EFI_MEDIA_CHANGED"},
        {EFI_NOT_FOUND, "EFI_NOT_FOUND"},
        {EFI_ACCESS_DENIED, "EFI_ACCESS_DENIED"},
        {EFI_TIMEOUT, "EFI_TIMEOUT"},
        {EFI_ABORTED, "EFI_ABORTED"},
        {EFI_WARN_DELETE_FAILURE, "EFI_WARN_DELETE_FAILURE"},
    };

    for (unsigned i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (NAMES[i].status == status)
            return NAMES[i].name;
    return "an unnamed EFI error";
}

static bool watchdog_runs;

/* EFI_UNSUPPORTED: there is none (UEFI specification, "SetWatchdogTimer()"). */
void firmware_watchdog_off(void)
{
    EFI_STATUS status = EFI_SYSTEM->BootServices->SetWatchdogTimer(0, 0, 0, 0);

    watchdog_runs = status != EFI_SUCCESS && status != EFI_UNSUPPORTED;
}

bool firmware_watchdog_runs(void)
{
    return watchdog_runs;
}

void firmware_watchdog(uint64_t us)
{
    EFI_SYSTEM->BootServices->SetWatchdogTimer(us / US_PER_S + 1, WATCHDOG_CODE, 0, 0);
}

void firmware_wait_us(uint64_t us)
{
    EFI_SYSTEM->BootServices->Stall(us);
}

void firmware_shut_down(void)
{
    EFI_SYSTEM->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, 0);
}

void firmware_reboot(void)
{
    EFI_SYSTEM->RuntimeServices->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, 0);
}

/* UEFI specification, "GetTime()", but for the first year. */
static bool is_date(const EFI_TIME *time)
{
    return time->Year >= FIRST_YEAR && time->Year <= 9999 && time->Month >= 1 &&
           time->Month <= 12 && time->Day >= 1 && time->Day <= 31 && time->Hour <= 23 &&
           time->Minute <= 59 && time->Second <= 59;
}

bool firmware_time(char text[FIRMWARE_TIME_BYTES])
{
    struct out out = out_buffer(text, FIRMWARE_TIME_BYTES);
    EFI_TIME time = {0};
    EFI_STATUS status = EFI_SYSTEM->RuntimeServices->GetTime(&time, 0);

    if (status == EFI_SUCCESS)
        out_printf(&out, "%04u-%02u-%02uT%02u:%02u:%02u", time.Year, time.Month, time.Day,
                   time.Hour, time.Minute, time.Second);
    else
        out_text(&out, efi_status_name(status));
    if (status == EFI_SUCCESS && time.TimeZone == 0)
        out_char(&out, 'Z');
    out_end(&out);
    return status == EFI_SUCCESS && is_date(&time);
}

static void copy_wide(char *to, size_t size, const CHAR16 *from)
{
    struct out out = out_buffer(to, size);

    for (; from && *from; from++)
        out_char(&out, text_printable(*from));
    out_end(&out);
}

void firmware_describe(struct run_record *run)
{
    copy_wide(run->firmware_vendor, sizeof(run->firmware_vendor), EFI_SYSTEM->FirmwareVendor);
    run->firmware_revision = EFI_SYSTEM->FirmwareRevision;
    run->uefi_revision = EFI_SYSTEM->Hdr.Revision;
    run->secure_boot = firmware_secure_boot();
    firmware_describe_smbios(run);
}
