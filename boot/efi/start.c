/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts of CPUs that the firmware may wait for without a bound. */
#include "boot/cpu/start.h"
#include "boot/efi/mp.h"
#include "boot/efi/firmware.h"
#include "boot/cpu/watch.h"

MP_SERVICES *EFI_MP;

/*
 * Firmware that sends a CPU INIT and STARTUP may wait without a bound until it runs: OVMF's MP
 * services count the timeout that they are given from then on. A timer looks whether it does.
 */
#define START_LOOK_US    50000u
#define INIT_WAIT_US     10000u
#define STARTUP_WAIT_US  200u
#define EFI_TICKS_PER_US 10u

/* One start at a time. */
struct start {
    volatile bool *entered; /* which the started CPU sets */

    uint64_t apic_id;
    uint64_t timeout_us; /* of the task */
    bool seen;           /* entered, when the timer looked last */
    uint64_t waited_us;  /* since something happened */
    uint64_t bound_us;   /* of that */
    unsigned retries;
};

static struct start start;          /* the present one, or the last */
static unsigned restarts[CPUS_MAX]; /* of each CPU, until they are taken */

/*
 * INIT and STARTUP once more, as the firmware has sent them since the start was marked: its code
 * for a CPU that starts is still in its place, for it waits for that CPU. Where it sent nothing it
 * wakes CPUs in a way of its own, and nothing is done.
 */
static void start_again(void)
{
    uint8_t vector;

    if (!start_was_sent(&vector) || !start_send_init(start.apic_id))
        return;
    start.retries++;
    firmware_wait_us(INIT_WAIT_US);
    start_send_startup(start.apic_id, vector);
    firmware_wait_us(STARTUP_WAIT_US);
    start_send_startup(start.apic_id, vector);
}

/*
 * Called by the firmware's timer on the boot CPU, while that waits. A CPU that did enter, and is
 * held beyond its bound, is started by the firmware to get it back: that start may be lost too.
 */
static void EFIAPI look_at_start(EFI_EVENT event, void *unused)
{
    (void)event, (void)unused;
    watch_look_at_all();
    start.waited_us += START_LOOK_US;
    if (*start.entered && !start.seen) {
        start.seen = true;
        start.waited_us = 0;
        start.bound_us = start.timeout_us + START_RETRY_US;
    }
    if (start.waited_us < start.bound_us || start.retries == START_RETRIES)
        return;
    start.waited_us = 0;
    start.bound_us = START_RETRY_US;
    start_again();
}

/* Null: the firmware gives none, or nobody could send a command; then nobody looks. */
static EFI_EVENT watch_start(void)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;
    EFI_EVENT event = 0;

    if (!start_mark() || boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
                                           look_at_start, 0, &event) != EFI_SUCCESS)
        return 0;
    if (boot->SetTimer(event, TimerPeriodic, START_LOOK_US * EFI_TICKS_PER_US) == EFI_SUCCESS)
        return event;
    efi_close(event);
    return 0;
}

EFI_STATUS mp_start(const struct cpus *cpus, unsigned number, AP_PROCEDURE enter,
                    volatile bool *entered, void *argument, EFI_EVENT ended, uint64_t timeout_us)
{
    EFI_EVENT watch;
    EFI_STATUS status;

    start = (struct start){
        .entered = entered,
        .apic_id = cpus->cpu[number].apic_id,
        .timeout_us = timeout_us,
        .bound_us = START_RETRY_US,
    };
    watch = watch_start();
    status = EFI_MP->startup_this_ap(EFI_MP, enter, number, ended, timeout_us, argument, 0);
    if (watch)
        efi_close(watch);
    restarts[number] += start.retries;
    return status;
}

bool mp_wait_flag(const volatile bool *flag)
{
    for (uint64_t us = 0; us < START_RETRY_US && !*flag; us += GATE_POLL_US)
        firmware_wait_us(GATE_POLL_US);
    return *flag;
}

bool mp_wait_event(EFI_EVENT ended, uint64_t timeout_us)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;
    uint64_t us = 0;

    while (boot->CheckEvent(ended) == EFI_NOT_READY) {
        if (us >= timeout_us)
            return false;
        watch_look_at_all();
        firmware_wait_us(GATE_POLL_US);
        us += GATE_POLL_US;
    }
    return true;
}

unsigned cpus_take_restarts(unsigned number)
{
    unsigned taken = restarts[number];

    restarts[number] = 0;
    return taken;
}
