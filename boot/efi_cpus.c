/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cpu_start.h"
#include "boot/cpus.h"
#include "boot/efi_border.h"
#include "boot/firmware.h"

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

/*
 * Firmware that sends a CPU INIT and STARTUP may wait without a bound until it runs: OVMF's MP
 * services count the timeout that they are given from then on. A timer looks whether it does.
 */
#define START_LOOK_US    50000u
#define START_RETRY_US   1000000u /* a CPU starts within milliseconds; on a busy host, later */
#define START_RETRIES    3u
#define INIT_WAIT_US     10000u
#define STARTUP_WAIT_US  200u
#define EFI_TICKS_PER_US 10u
#define GATE_POLL_US     100u
#define START_ONE_US     20000u /* INIT, 10 ms, STARTUP; twice as much */
#define START_ALL_US     (2u * (START_RETRIES + 2u) * START_RETRY_US) /* two CPUs do not hear it */

/* A task that the boot CPU waits for. */
struct single {
    void (*task)(void *argument);
    void *argument;
    volatile bool entered;
};

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

static MP_SERVICES *services;
static struct start start;
static volatile bool gate_open; /* of cpus_run_together() */
static unsigned restarts[CPUS_MAX];

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

static void EFIAPI enter_single(void *argument)
{
    struct single *single = argument;

    single->entered = true;
    single->task(single->argument);
}

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
    boot->CloseEvent(event);
    return 0;
}

/* Starts a CPU, which calls `enter`. With an event the call returns at once. */
static EFI_STATUS start_cpu(const struct cpus *cpus, unsigned number, AP_PROCEDURE enter,
                            volatile bool *entered, void *argument, EFI_EVENT ended,
                            uint64_t timeout_us)
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
    status = services->startup_this_ap(services, enter, number, ended, timeout_us, argument, 0);
    if (watch)
        EFI_SYSTEM->BootServices->CloseEvent(watch);
    restarts[number] += start.retries;
    return status;
}

enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us)
{
    static struct single single; /* which a CPU that comes late still finds */
    EFI_STATUS status;

    if (cpus->cpu[number].boot) {
        task(argument);
        return STATUS_OK;
    }
    single = (struct single){.task = task, .argument = argument};
    status = start_cpu(cpus, number, enter_single, &single.entered, &single, 0, timeout_us);
    if (status == EFI_TIMEOUT)
        return STATUS_TIMEOUT;
    return status == EFI_SUCCESS ? STATUS_OK : STATUS_START_FAILED;
}

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
    if (start_cpu(cpus, together->cpu, enter_together, &together->entered, together, ended,
                  timeout_us) == EFI_SUCCESS)
        together->status = STATUS_OK;
}

/* Waits until a CPU that was started has entered. */
static void wait_entered(const struct together *together)
{
    for (uint64_t us = 0; us < START_RETRY_US && !together->entered; us += GATE_POLL_US)
        firmware_wait_us(GATE_POLL_US);
}

/* The firmware signals the event when the task has ended, or when it has taken the CPU back. */
static void wait_ended(struct together *together, uint64_t timeout_us)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;
    uint64_t us = 0;

    while (boot->CheckEvent(together->ended) == EFI_NOT_READY && us < timeout_us + START_RETRY_US) {
        firmware_wait_us(GATE_POLL_US);
        us += GATE_POLL_US;
    }
    if (!together->finished)
        together->status = STATUS_TIMEOUT;
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
            wait_entered(&together[i]);
    gate_open = true;
    if (own) {
        own->task(own->argument);
        own->status = STATUS_OK;
    }
    for (unsigned i = 0; i < count; i++)
        if (&together[i] != own && together[i].status == STATUS_OK)
            wait_ended(&together[i], timeout_us);
    for (unsigned i = 0; i < count; i++)
        if (together[i].ended)
            EFI_SYSTEM->BootServices->CloseEvent(together[i].ended);
}

unsigned cpus_take_restarts(unsigned number)
{
    unsigned taken = restarts[number];

    restarts[number] = 0;
    return taken;
}
