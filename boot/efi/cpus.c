/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds CPUs through EFI_MP_SERVICES_PROTOCOL and runs tasks on one CPU at a time. */
#include "boot/efi/mp.h"
#include "boot/efi/firmware.h"
#include "boot/efi/park.h"

struct single {
    void (*task)(void *argument);
    void *argument;
    volatile bool entered;
};

static void only_boot_cpu(struct cpus *cpus, uint32_t apic_id, const char *why)
{
    *cpus = (struct cpus){.count = 1, .usable = 1, .only_boot = why};
    cpus->cpu[0] = (struct cpu_slot){.apic_id = apic_id, .usable = true, .boot = true};
}

/* For firmware that flags no CPU as the boot CPU. */
static void find_boot_cpu(struct cpus *cpus, uint32_t apic_id)
{
    UINTN number = 0;

    if (EFI_MP->who_am_i(EFI_MP, &number) != EFI_SUCCESS || number >= cpus->count) {
        only_boot_cpu(cpus, apic_id, "the firmware's MP services do not say which CPU this is");
        return;
    }
    cpus->boot = (unsigned)number;
    cpus->usable += !cpus->cpu[number].usable;
    cpus->cpu[number].apic_id = apic_id;
    cpus->cpu[number].boot = cpus->cpu[number].usable = true;
    cpus->cpu[number].lack = CPU_LACKS_NOTHING;
}

static enum cpu_lack lack_of(uint32_t status_flag)
{
    if (status_flag & PROCESSOR_AS_BSP)
        return CPU_LACKS_NOTHING;
    if (!(status_flag & PROCESSOR_HEALTHY))
        return CPU_UNHEALTHY;
    return status_flag & PROCESSOR_ENABLED ? CPU_LACKS_NOTHING : CPU_DISABLED;
}

static void find_cpu(struct cpu_slot *cpu, unsigned number)
{
    struct processor_information info = {0};

    *cpu = (struct cpu_slot){.lack = CPU_UNKNOWN};
    if (EFI_MP->get_processor_info(EFI_MP, number, &info) != EFI_SUCCESS)
        return;
    cpu->apic_id = info.processor_id;
    cpu->package = info.package;
    cpu->boot = info.status_flag & PROCESSOR_AS_BSP;
    cpu->lack = lack_of(info.status_flag);
    cpu->usable = cpu->lack == CPU_LACKS_NOTHING;
}

void cpus_find(struct cpus *cpus, uint32_t boot_apic_id)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN all = 0, enabled = 0;

    EFI_MP = efi_any_interface(&guid);
    if (!EFI_MP) {
        only_boot_cpu(cpus, boot_apic_id, "the firmware has no MP services");
        return;
    }
    if (EFI_MP->get_number_of_processors(EFI_MP, &all, &enabled) != EFI_SUCCESS || all == 0) {
        only_boot_cpu(cpus, boot_apic_id, "the firmware's MP services do not work");
        return;
    }
    *cpus = (struct cpus){.count = all < CPUS_MAX ? (unsigned)all : CPUS_MAX};
    cpus->left_out = (unsigned)all - cpus->count;
    for (unsigned i = 0; i < cpus->count; i++) {
        find_cpu(&cpus->cpu[i], i);
        if (cpus->cpu[i].boot)
            cpus->boot = i;
        cpus->usable += cpus->cpu[i].usable;
    }
    if (!cpus->cpu[cpus->boot].boot)
        find_boot_cpu(cpus, boot_apic_id);
}

static void run_single(void *argument)
{
    struct single *single = argument;

    single->entered = true;
    single->task(single->argument);
}

static void EFIAPI enter_single(void *argument)
{
    run_single(argument);
}

enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us)
{
    static struct single single; /* static, since a CPU that timed out may read it */
    uint64_t watchdog_us;
    EFI_STATUS status;

    if (cpus->cpu[number].boot) {
        watchdog_us = firmware_watchdog(timeout_us + WATCHDOG_MARGIN_US);
        firmware_timer_stop();
        task(argument);
        firmware_timer_go_on();
        firmware_watchdog(watchdog_us);
        return STATUS_OK;
    }
    single = (struct single){.task = task, .argument = argument};
    if (park_give(number, run_single, &single, &single.entered))
        return park_wait(number, timeout_us) ? STATUS_OK : STATUS_TIMEOUT;
    status = mp_start(cpus, number, enter_single, &single.entered, &single, 0, timeout_us);
    if (status == EFI_TIMEOUT)
        return STATUS_TIMEOUT;
    return status == EFI_SUCCESS ? STATUS_OK : STATUS_START_FAILED;
}
