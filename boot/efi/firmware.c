/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware services that take one call: time, waits, watchdog, reset. */
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/efi/firmware.h"
#include "boot/efi/secure_boot.h"
#include "pmu/base/out.h"
#include "pmu/base/text.h"

#define US_PER_S      1000000u
#define FIRST_YEAR    2025u    /* an earlier date means that the clock is not set */
#define WATCHDOG_CODE 0x10000u /* lower codes are reserved for firmware */

const unsigned short *firmware_load_options(size_t *units)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *loaded = efi_interface(EFI_IMAGE, &guid);

    *units = 0;
    if (!loaded || !loaded->LoadOptions)
        return 0;
    *units = loaded->LoadOptionsSize / sizeof(CHAR16);
    return loaded->LoadOptions;
}

static bool watchdog_runs;

/* EFI_UNSUPPORTED: there is no watchdog (UEFI specification, "SetWatchdogTimer()"). */
void firmware_watchdog_off(void)
{
    EFI_STATUS status = EFI_SYSTEM->BootServices->SetWatchdogTimer(0, 0, 0, 0);

    watchdog_runs = status != EFI_SUCCESS && status != EFI_UNSUPPORTED;
}

bool firmware_watchdog_runs(void)
{
    return watchdog_runs;
}

uint64_t firmware_watchdog(uint64_t us)
{
    static uint64_t set_us;
    const uint64_t before_us = set_us;

    if (watchdog_runs) /* a watchdog that is set now could not be stopped later */
        return 0;
    set_us = us;
    if (us == 0)
        firmware_watchdog_off();
    else
        EFI_SYSTEM->BootServices->SetWatchdogTimer(us / US_PER_S + 1, WATCHDOG_CODE, 0, 0);
    return before_us;
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

/* Whether a time is valid (UEFI specification, "GetTime()") and not before FIRST_YEAR. */
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
    run->secure_boot = secure_boot();
    firmware_describe_smbios(run);
}
