/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi_mp.h"
#include "boot/firmware.h"

static volatile bool gate_open;

/* On each CPU. The gate opens when all are there, or the boot CPU has waited long enough. */
static void EFIAPI enter_together(void *argument)
{
    struct together *together = argument;

    together->entered = true;
    while (!gate_open)
        __asm__ volatile("pause");
    together->task(together->argument);
    together->finished = true;
}

static void start_together(const struct cpus *cpus, struct together *together, uint64_t timeout_us)
{
    EFI_EVENT ended = 0;

    together->status = STATUS_START_FAILED;
    if (EFI_SYSTEM->BootServices->CreateEvent(0, 0, 0, 0, &ended) != EFI_SUCCESS)
        return;
    together->ended = ended;
    if (mp_start(cpus, together->cpu, enter_together, &together->entered, together, ended,
                 timeout_us) == EFI_SUCCESS)
        together->status = STATUS_OK;
}

/* The firmware signals the event when the task has ended, or when it has taken the CPU back. */
static void wait_ended(struct together *together, uint64_t timeout_us)
{
    mp_wait_event(together->ended, timeout_us + START_RETRY_US);
    if (!together->finished)
        together->status = STATUS_TIMEOUT;
}

/*
 * The firmware takes CPUs back by its timer, so that stands still only as long as the boot CPU
 * would not serve it anyway.
 */
static void run_own(struct together *own)
{
    if (!own) {
        gate_open = true;
        return;
    }
    firmware_timer_stop();
    gate_open = true;
    own->task(own->argument);
    firmware_timer_go_on();
    own->status = STATUS_OK;
}

void cpus_run_together(const struct cpus *cpus, struct together *together, unsigned count,
                       uint64_t timeout_us)
{
    struct together *own = 0;

    gate_open = false;
    /* The first CPU waits at the gate until the last has been started. */
    timeout_us += START_ALL_US + (uint64_t)count * START_ONE_US;
    for (unsigned i = 0; i < count; i++) {
        together[i].ended = 0;
        together[i].entered = together[i].finished = false;
        if (cpus->cpu[together[i].cpu].boot)
            own = &together[i];
        else
            start_together(cpus, &together[i], timeout_us);
    }
    for (unsigned i = 0; i < count; i++)
        if (&together[i] != own && together[i].status == STATUS_OK)
            mp_wait_flag(&together[i].entered);
    run_own(own);
    for (unsigned i = 0; i < count; i++)
        if (&together[i] != own && together[i].status == STATUS_OK)
            wait_ended(&together[i], timeout_us);
    for (unsigned i = 0; i < count; i++)
        if (together[i].ended)
            EFI_SYSTEM->BootServices->CloseEvent(together[i].ended);
}
