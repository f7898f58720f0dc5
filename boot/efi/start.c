/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts CPUs, and repeats INIT and STARTUP if they get lost. */
#include "boot/cpu/start.h"
#include "boot/efi/mp.h"
#include "boot/efi/firmware.h"
#include "boot/cpu/watch.h"

MP_SERVICES *EFI_MP;

/*
 * OVMF's MP services wait forever if a CPU does not run after INIT and STARTUP. Therefore a timer
 * checks whether the CPU has started.
 */
#define START_LOOK_US    50000u
#define INIT_WAIT_US     10000u
#define STARTUP_WAIT_US  200u
#define EFI_TICKS_PER_US 10u

/* Only one start is in progress at a time. */
struct start {
    volatile bool *entered; /* set by the CPU */

    uint64_t apic_id;
    uint64_t timeout_us; /* time limit of the task */
    bool seen;           /* *entered at the last look */
    uint64_t waited_us;  /* µs since the last event: the start, `seen` becoming true, or a retry */
    uint64_t bound_us;   /* limit of waited_us */
    unsigned retries;
};

static struct start start;           /* current or last */
static unsigned restarts[CPUS_MAX];  /* since cpus_take_restarts() */
static EFI_STATUS refused[CPUS_MAX]; /* status of each CPU's last start */
static bool one_at_a_time;

/*
 * Repeats the INIT and STARTUP that the firmware has sent since start_mark(). The firmware's
 * startup code is in place, because the firmware still waits for the CPU. Does nothing if the last
 * command was not a STARTUP: in that case the firmware wakes CPUs in another way.
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
 * When a task exceeds its time, the firmware starts the CPU again, and this start may get lost too.
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

/*
 * Null, and the start is not watched, if no timer event can be made or if this CPU cannot send
 * commands.
 */
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
    uint64_t watchdog_us = firmware_watchdog(timeout_us + WATCHDOG_MARGIN_US);
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
    firmware_watchdog(watchdog_us);
    if (watch)
        efi_close(watch);
    restarts[number] += start.retries;
    one_at_a_time |= ended && status == EFI_UNSUPPORTED;
    refused[number] = status == EFI_TIMEOUT ? EFI_SUCCESS : status;
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

const char *cpus_start_error(unsigned number)
{
    return refused[number] == EFI_SUCCESS ? 0 : efi_status_name(refused[number]);
}

bool cpus_one_at_a_time(void)
{
    return one_at_a_time;
}

unsigned cpus_take_restarts(unsigned number)
{
    unsigned taken = restarts[number];

    restarts[number] = 0;
    return taken;
}
