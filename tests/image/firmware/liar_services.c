/* SPDX-License-Identifier: BSD-2-Clause */
/* The false boot services and runtime services. */
#include "tests/image/firmware/liar.h"

#include "boot/efi/border.h"
#include "boot/efi/mp.h"

#include <efipciio.h>

#define WILD 0xffu /* each byte of the time, with the lie clock_wild */

/* PI specification vol. 2 "EFI_TIMER_ARCH_PROTOCOL". */
static const EFI_GUID TICK_GUID = {
    0x26baccb3, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};
static const EFI_GUID MP_GUID = MP_SERVICES_GUID;
static const EFI_GUID IMAGE_GUID = LOADED_IMAGE_PROTOCOL;
static const EFI_GUID SERIAL_GUID = SERIAL_IO_PROTOCOL;
static const EFI_GUID TPM_GUID = {
    0x607f766c, 0x7455, 0x42be, {0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f}};
static const EFI_GUID TEXT_GUID = SIMPLE_TEXT_OUTPUT_PROTOCOL;
static const EFI_GUID CONTROL_GUID = CONSOLE_CONTROL_GUID;
static const EFI_GUID PCI_GUID = EFI_PCI_IO_PROTOCOL_GUID;
static const EFI_GUID FILES_GUID = SIMPLE_FILE_SYSTEM_PROTOCOL;

static EFI_BOOT_SERVICES boot;
static EFI_RUNTIME_SERVICES runtime;

/* ---- memory ---- */

static bool is_scarce(UINTN pages)
{
    return (uint64_t)held.pages + pages > lies.kib.value / 4 && lie_acts(&lies.kib);
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN count,
                                        EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS status;

    if (lie_now(&lies.pages) || is_scarce(count))
        return EFI_OUT_OF_RESOURCES;
    status = REAL->BootServices->AllocatePages(how, type, count, at);
    if (status != EFI_SUCCESS)
        return status;
    held.pages += (int64_t)count;
    map_as_data(*at, count);
    return status;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS at, UINTN count)
{
    EFI_STATUS status;

    map_as_free(at, count);
    status = REAL->BootServices->FreePages(at, count);
    held.pages -= status == EFI_SUCCESS ? (int64_t)count : 0;
    return status;
}

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN bytes, VOID **at)
{
    EFI_STATUS status;

    if (lie_now(&lies.pool))
        return EFI_OUT_OF_RESOURCES;
    status = REAL->BootServices->AllocatePool(type, bytes, at);
    held.pools += status == EFI_SUCCESS;
    return status;
}

static EFI_STATUS EFIAPI free_pool(VOID *at)
{
    EFI_STATUS status = REAL->BootServices->FreePool(at);

    held.pools -= status == EFI_SUCCESS;
    return status;
}

static EFI_STATUS EFIAPI memory_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                    UINTN *each, UINT32 *version)
{
    EFI_STATUS status;

    if (lie_now(&lies.map))
        return EFI_DEVICE_ERROR;
    status = REAL->BootServices->GetMemoryMap(bytes, map, key, each, version);
    for (UINTN at = 0; status == EFI_SUCCESS && lies.reserved.told && at < *bytes; at += *each) {
        EFI_MEMORY_DESCRIPTOR *range = (EFI_MEMORY_DESCRIPTOR *)((char *)map + at);

        if (range->Type == EfiReservedMemoryType && lie_acts(&lies.reserved))
            range->Type = (UINT32)lies.reserved.value;
    }
    return status;
}

/* ---- events and time ---- */

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      VOID *context, EFI_EVENT *event)
{
    EFI_STATUS status;

    if (lie_now(&lies.event))
        return EFI_OUT_OF_RESOURCES;
    status = REAL->BootServices->CreateEvent(type, level, notify, context, event);
    held.events += status == EFI_SUCCESS;
    return status;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    EFI_STATUS status = REAL->BootServices->CloseEvent(event);

    held.events -= status == EFI_SUCCESS;
    return status;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY how, UINT64 when)
{
    if (lie_now(&lies.timer))
        return EFI_DEVICE_ERROR;
    return REAL->BootServices->SetTimer(event, how, when);
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN bytes, CHAR16 *text)
{
    if (lie_now(&lies.watchdog))
        return EFI_DEVICE_ERROR;
    if (lie_acts(&lies.no_watchdog))
        return EFI_UNSUPPORTED;
    return REAL->BootServices->SetWatchdogTimer(seconds, code, bytes, text);
}

static EFI_STATUS EFIAPI stall(UINTN us)
{
    return REAL->BootServices->Stall(lie_acts(&lies.stall) ? us * lies.stall.value : us);
}

/* ---- protocols ---- */

/* The interface that the program gets for a protocol, or null. */
static void *interface_of(const EFI_GUID *guid, void *interface)
{
    if (same_guid(guid, &FILES_GUID))
        return lie_of_files(interface);
    if (same_guid(guid, &MP_GUID))
        return lie_acts(&lies.no_mp) ? 0 : lie_of_cpus(interface);
    if (same_guid(guid, &SERIAL_GUID))
        return lie_acts(&lies.no_serial) ? 0 : lie_of_serial(interface);
    if (same_guid(guid, &TICK_GUID))
        return lie_acts(&lies.no_tick) ? 0 : lie_of_tick(interface);
    if (same_guid(guid, &PCI_GUID))
        return lie_of_pci(interface);
    if (same_guid(guid, &IMAGE_GUID) && lie_acts(&lies.no_image))
        return 0;
    return lie_of_net(guid, interface);
}

static EFI_STATUS found_or_not(const EFI_GUID *guid, void **interface, EFI_STATUS status)
{
    if (status == EFI_SUCCESS)
        *interface = interface_of(guid, *interface);
    return status == EFI_SUCCESS && !*interface ? EFI_NOT_FOUND : status;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    return found_or_not(guid, interface,
                        REAL->BootServices->HandleProtocol(handle, guid, interface));
}

/*
 * HashLogExtendEvent() is the third function of EFI_TCG2_PROTOCOL (TCG EFI Protocol Specification).
 */
static EFI_STATUS EFIAPI hash_log_extend_event(VOID *this, UINT64 flags, EFI_PHYSICAL_ADDRESS data,
                                               UINT64 bytes, VOID *event)
{
    (void)this, (void)flags, (void)data, (void)bytes, (void)event;
    return EFI_DEVICE_ERROR;
}

static void *failing_tpm(void)
{
    static void *calls[] = {0, 0, hash_log_extend_event};

    return calls;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    if (same_guid(guid, &TPM_GUID) && lie_acts(&lies.tpm)) {
        *interface = failing_tpm();
        return EFI_SUCCESS;
    }
    if (same_guid(guid, &CONTROL_GUID) && lie_acts(&lies.hidden_text)) {
        *interface = lie_of_console_control();
        return EFI_SUCCESS;
    }
    return found_or_not(guid, interface,
                        REAL->BootServices->LocateProtocol(guid, registration, interface));
}

static EFI_STATUS EFIAPI connect_controller(EFI_HANDLE handle, EFI_HANDLE *drivers,
                                            EFI_DEVICE_PATH *rest, BOOLEAN recursive)
{
    lies.connect.calls++;
    if (lie_acts(&lies.connect_us))
        REAL->BootServices->Stall(lies.connect_us.value);
    return REAL->BootServices->ConnectController(handle, drivers, rest, recursive);
}

static bool is_volume_hidden(const EFI_GUID *guid)
{
    return guid && same_guid(guid, &FILES_GUID) && lies.connect.calls < lies.connect.value &&
           lie_acts(&lies.connect);
}

static EFI_STATUS EFIAPI locate_handles(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, VOID *key,
                                        UINTN *count, EFI_HANDLE **handles)
{
    EFI_STATUS status;

    if (lie_now(&lies.handles))
        return EFI_OUT_OF_RESOURCES;
    if (is_volume_hidden(guid) ||
        (guid && same_guid(guid, &TEXT_GUID) && lie_acts(&lies.no_terminal)))
        return EFI_NOT_FOUND;
    status = REAL->BootServices->LocateHandleBuffer(how, guid, key, count, handles);
    held.pools += status == EFI_SUCCESS;
    return status;
}

/*
 * In EFI 1.10, SetMem() is the last boot service, and ResetSystem() is the last runtime service.
 */
static void drop_newer(void)
{
    boot.CreateEventEx = 0;
    runtime.UpdateCapsule = 0;
    runtime.QueryCapsuleCapabilities = 0;
    runtime.QueryVariableInfo = 0;
}

void lie_of_services(void)
{
    boot = *REAL->BootServices;
    boot.AllocatePages = allocate_pages;
    boot.FreePages = free_pages;
    boot.AllocatePool = allocate_pool;
    boot.FreePool = free_pool;
    boot.GetMemoryMap = memory_map;
    boot.CreateEvent = create_event;
    boot.CloseEvent = close_event;
    boot.SetTimer = set_timer;
    boot.SetWatchdogTimer = set_watchdog;
    boot.Stall = stall;
    boot.HandleProtocol = handle_protocol;
    boot.LocateProtocol = locate_protocol;
    boot.LocateHandleBuffer = locate_handles;
    boot.ConnectController = connect_controller;
    FALSE_SYSTEM.BootServices = &boot;
}

/* ---- runtime services ---- */

static EFI_STATUS EFIAPI get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    EFI_STATUS status;

    if (lie_acts(&lies.clock_fails))
        return EFI_DEVICE_ERROR;
    status = REAL->RuntimeServices->GetTime(time, capabilities);
    if (lie_acts(&lies.clock_year))
        time->Year = (UINT16)lies.clock_year.value;
    if (lie_acts(&lies.clock_wild))
        REAL->BootServices->SetMem(time, sizeof(*time), WILD);
    return status;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *bytes, VOID *data)
{
    if (lie_acts(&lies.variable))
        return EFIERR(lies.variable.value);
    return REAL->RuntimeServices->GetVariable(name, vendor, attributes, bytes, data);
}

/* GNU-EFI's declaration returns a status; in the specification, the function is void. */
static EFI_STATUS EFIAPI reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
                                      CHAR16 *data)
{
    if (lie_acts(&lies.no_reset))
        return EFI_UNSUPPORTED;
    return REAL->RuntimeServices->ResetSystem(type, status, bytes, data);
}

void lie_of_runtime(void)
{
    runtime = *REAL->RuntimeServices;
    runtime.GetTime = get_time;
    runtime.GetVariable = get_variable;
    runtime.ResetSystem = reset_system;
    FALSE_SYSTEM.RuntimeServices = &runtime;
    if (lie_acts(&lies.old_services))
        drop_newer();
}
