/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs tasks on several CPUs at the same time through EFI_MP_SERVICES_PROTOCOL. */
#include "boot/efi/mp.h"
#include "boot/efi/firmware.h"
#include "boot/efi/park.h"
#include "boot/cpu/watch.h"

/* This is not on a stack, because a late CPU may still read it. */
static struct {
    volatile bool is_open;
    struct together *volatile of_boot_cpu; /* null: none */
    uint64_t boot_apic_id;
} gate;

/* A CPU that has finished its own task watches the boot CPU. */
static void run_together(void *argument)
{
    struct together *together = argument;

    together->entered = true;
    while (!gate.is_open)
        cpu_pause();
    together->task(together->argument);
    together->finished = true;
    if (gate.of_boot_cpu)
        watch_until(gate.boot_apic_id, &gate.of_boot_cpu->finished);
}

static void EFIAPI enter_together(void *argument)
{
    run_together(argument);
}

static void start_together(const struct cpus *cpus, struct together *together, uint64_t timeout_us)
{
    EFI_EVENT ended = 0;

    together->is_parked = park_give(together->cpu, run_together, together, &together->entered);
    together->status = together->is_parked ? STATUS_OK : STATUS_START_FAILED;
    if (together->is_parked)
        return;
    if (EFI_SYSTEM->BootServices->CreateEvent(0, 0, 0, 0, &ended) != EFI_SUCCESS)
        return;
    together->ended = ended;
    if (mp_start(cpus, together->cpu, enter_together, &together->entered, together, ended,
                 timeout_us) == EFI_SUCCESS)
        together->status = STATUS_OK;
}

/*
 * The firmware signals the event when the task has ended or the CPU has been reset after the
 * timeout.
 */
static void wait_ended(struct together *together, uint64_t timeout_us)
{
    if (together->is_parked)
        park_wait(together->cpu, timeout_us);
    else if (!mp_wait_event(together->ended, timeout_us + START_RETRY_US))
        together->ended = 0; /* not closed, because the firmware may still signal it */
    if (!together->finished)
        together->status = STATUS_TIMEOUT;
}

/*
 * While its timer is stopped, the firmware does not notice that other CPUs finish. Therefore the
 * timer is stopped only while the boot CPU runs its own task.
 */
static void run_own(struct together *own, uint64_t timeout_us)
{
    uint64_t watchdog_us;

    if (!own) {
        gate.is_open = true;
        return;
    }
    watchdog_us = firmware_watchdog(timeout_us + WATCHDOG_MARGIN_US);
    firmware_timer_stop();
    gate.is_open = true;
    own->task(own->argument);
    own->finished = true;
    firmware_timer_go_on();
    firmware_watchdog(watchdog_us);
    own->status = STATUS_OK;
}

void cpus_run_together(const struct cpus *cpus, struct together *together, unsigned count,
                       uint64_t timeout_us)
{
    gate.is_open = false;
    gate.of_boot_cpu = 0;
    gate.boot_apic_id = cpus->cpu[cpus->boot].apic_id;
    for (unsigned i = 0; i < count; i++)
        if (cpus->cpu[together[i].cpu].boot)
            gate.of_boot_cpu = &together[i];
    /* The timeout includes the first CPU's wait at the gate until the last CPU has started. */
    timeout_us += START_ALL_US + (uint64_t)count * START_ONE_US;
    for (unsigned i = 0; i < count; i++) {
        together[i].ended = 0;
        together[i].entered = together[i].finished = false;
        if (&together[i] != gate.of_boot_cpu)
            start_together(cpus, &together[i], timeout_us);
    }
    for (unsigned i = 0; i < count; i++)
        if (&together[i] != gate.of_boot_cpu && together[i].status == STATUS_OK)
            mp_wait_flag(&together[i].entered);
    run_own(gate.of_boot_cpu, timeout_us);
    for (unsigned i = 0; i < count; i++)
        if (&together[i] != gate.of_boot_cpu && together[i].status == STATUS_OK)
            wait_ended(&together[i], timeout_us);
    for (unsigned i = 0; i < count; i++)
        if (together[i].ended)
            efi_close(together[i].ended);
}

static void nothing(void *argument)
{
    (void)argument;
}

void cpus_try_together(const struct cpus *cpus, unsigned number)
{
    static bool is_known;
    static struct together together; /* static, because a late CPU may still read it */

    together = (struct together){.cpu = number, .task = nothing};
    if (!is_known)
        cpus_run_together(cpus, &together, 1, 0);
    is_known = true;
}
