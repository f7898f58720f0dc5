/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cpus.h"
#include "boot/efi_border.h"

/* UEFI PI specification vol. 2, "EFI_MP_SERVICES_PROTOCOL"; gnu-efi 3.0.15 does not have it. */
#define MP_SERVICES_GUID                                                                           \
    {                                                                                              \
        0x3fdda605, 0xa76e, 0x4f46,                                                                \
        {                                                                                          \
            0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08                                         \
        }                                                                                          \
    }
#define PROCESSOR_AS_BSP  (1u << 0)
#define PROCESSOR_ENABLED (1u << 1)
#define PROCESSOR_HEALTHY (1u << 2)

struct processor_information {
    UINT64 processor_id;
    UINT32 status_flag;
    UINT32 package, core, thread;
    UINT32 extended[6];
};

typedef struct mp_services MP_SERVICES;
typedef VOID(EFIAPI *AP_PROCEDURE)(VOID *argument);

struct mp_services {
    EFI_STATUS(EFIAPI *get_number_of_processors)(MP_SERVICES *, UINTN *all, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_processor_info)
    (MP_SERVICES *, UINTN number, struct processor_information *);
    EFI_STATUS(EFIAPI *startup_all_aps)
    (MP_SERVICES *, AP_PROCEDURE, BOOLEAN single, EFI_EVENT, UINTN timeout_us, VOID *argument,
     UINTN **failed);
    EFI_STATUS(EFIAPI *startup_this_ap)
    (MP_SERVICES *, AP_PROCEDURE, UINTN number, EFI_EVENT, UINTN timeout_us, VOID *argument,
     BOOLEAN *finished);
    EFI_STATUS(EFIAPI *switch_bsp)(MP_SERVICES *, UINTN number, BOOLEAN enable_old);
    EFI_STATUS(EFIAPI *enable_disable_ap)
    (MP_SERVICES *, UINTN number, BOOLEAN enable, UINT32 *health);
    EFI_STATUS(EFIAPI *who_am_i)(MP_SERVICES *, UINTN *number);
};

static MP_SERVICES *services;

static void only_boot_cpu(struct cpus *cpus, const char *why)
{
    *cpus = (struct cpus){.count = 1, .usable = 1, .only_boot = why};
    cpus->cpu[0] = (struct cpu_slot){.usable = true, .boot = true};
}

/* No CPU was flagged as the boot CPU: it is the one that asks. */
static void find_boot_cpu(struct cpus *cpus)
{
    UINTN number = 0;

    if (services->who_am_i(services, &number) != EFI_SUCCESS || number >= cpus->count) {
        only_boot_cpu(cpus, "the firmware's MP services do not say which CPU this is");
        return;
    }
    cpus->boot = (unsigned)number;
    cpus->usable += !cpus->cpu[number].usable;
    cpus->cpu[number].boot = cpus->cpu[number].usable = true;
}

void cpus_find(struct cpus *cpus)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN all = 0, enabled = 0;

    if (EFI_SYSTEM->BootServices->LocateProtocol(&guid, 0, (void **)&services) != EFI_SUCCESS) {
        only_boot_cpu(cpus, "the firmware has no MP services");
        return;
    }
    if (services->get_number_of_processors(services, &all, &enabled) != EFI_SUCCESS || all == 0) {
        only_boot_cpu(cpus, "the firmware's MP services do not work");
        return;
    }
    *cpus = (struct cpus){.count = all < CPUS_MAX ? (unsigned)all : CPUS_MAX};
    for (unsigned i = 0; i < cpus->count; i++) {
        struct processor_information info = {0};

        if (services->get_processor_info(services, i, &info) != EFI_SUCCESS)
            continue;
        cpus->cpu[i].apic_id = info.processor_id;
        cpus->cpu[i].boot = info.status_flag & PROCESSOR_AS_BSP;
        cpus->cpu[i].usable = cpus->cpu[i].boot || ((info.status_flag & PROCESSOR_ENABLED) &&
                                                    (info.status_flag & PROCESSOR_HEALTHY));
        if (cpus->cpu[i].boot)
            cpus->boot = i;
        cpus->usable += cpus->cpu[i].usable;
    }
    if (!cpus->cpu[cpus->boot].boot)
        find_boot_cpu(cpus);
}

enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us)
{
    EFI_STATUS status;

    if (cpus->cpu[number].boot) {
        task(argument);
        return STATUS_OK;
    }
    status = services->startup_this_ap(services, task, number, 0, timeout_us, argument, 0);
    if (status == EFI_TIMEOUT)
        return STATUS_TIMEOUT;
    return status == EFI_SUCCESS ? STATUS_OK : STATUS_START_FAILED;
}
