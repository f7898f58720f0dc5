/* SPDX-License-Identifier: BSD-2-Clause */
/* Parks CPUs in MWAIT, or lets a CPU watch the boot CPU. */
#include "boot/cpu/start.h"
#include "boot/cpu/traps.h"
#include "boot/efi/mp.h"
#include "boot/efi/firmware.h"
#include "boot/efi/park.h"
#include "pmu/cpu/mwait.h"

#define PARK_BYTES 4096u /* more than any line that MONITOR watches (CPUID.05H:EBX) */

#define PAUSES_PER_LOOK 10000u /* at most about a millisecond */

#define CPUID_ECX_MONITOR   (1u << 3)
#define CPUID_POWER         0x80000007u
#define CPUID_EDX_INVARIANT (1u << 8)
#define PARK_GIVE_US        500000u      /* before an NMI; long, because the NMI costs a sample */
#define PARK_WAKE_US        5000000u     /* far above PARK_LOOK_US */
#define PARK_NMI_TICKS      (1ull << 32) /* longer than an SMI */

/* A CPU's page. Other CPUs write to its first cache line only to wake the CPU. */
struct parking {
    volatile uint32_t leave;
    volatile bool awake; /* pauses instead of sleeping */
    volatile bool entered;
    volatile bool waits;           /* false: the CPU lacks MONITOR */
    volatile bool left;            /* returning to the firmware */
    volatile bool nmi_coming;      /* an NMI was announced */
    volatile uint32_t given, done; /* tasks received, tasks ended */
    void (*volatile task)(void *argument);
    void *volatile argument;
    EFI_EVENT ended;         /* null: not parked */
    struct watched *watched; /* null: sleeps in MWAIT */
    uint64_t apic_id;
    bool failed; /* the CPU did not start, end a task or return in time */
    bool lost;   /* the CPU did not end a task in time, and has not returned since */
    bool by_nmi; /* woken by an NMI */
};
_Static_assert(sizeof(struct parking) <= PARK_BYTES / 2, "a parking must fit into half a page");
_Static_assert(sizeof(struct cpu_context) <= PARK_BYTES / 2, "a context must fit into half a page");

static char *pages; /* one for each CPU */

static struct parking *parking_of(unsigned number)
{
    return (struct parking *)(pages + (size_t)number * PARK_BYTES);
}

/* For the NMI handler. */
static struct cpu_context *context_of(struct parking *parking)
{
    return (struct cpu_context *)((char *)parking + PARK_BYTES / 2);
}

static struct cpuid_regs leaf_or_zero(uint32_t leaf)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(leaf & 0x80000000u, 0, &regs);
    if (regs.eax < leaf)
        return (struct cpuid_regs){0};
    cpu_read_cpuid(leaf, 0, &regs);
    return regs;
}

/* Each CPU calls this itself, because types of cores differ in their sleep states. */
static bool find_hint(uint32_t *hint)
{
    struct cpuid_regs states = leaf_or_zero(PARK_LEAF);

    *hint = mwait_deepest_hint(&states, leaf_or_zero(CPUID_POWER).edx & CPUID_EDX_INVARIANT);
    return leaf_or_zero(0).eax >= PARK_LEAF && leaf_or_zero(1).ecx & CPUID_ECX_MONITOR;
}

/* Executes PAUSE between two looks, so as not to disturb the bus or a sibling. */
static void watch(const struct parking *parking)
{
    while (!parking->leave) {
        watch_look(parking->watched);
        for (unsigned i = 0; i < PAUSES_PER_LOOK && !parking->leave; i++)
            cpu_pause();
    }
}

/*
 * Waits for an NMI that another CPU has announced, because the NMI must not reach the firmware's
 * handler. The fence orders the store to `left` before the load of `nmi_coming`.
 */
static void await_nmi(struct parking *parking)
{
    uint64_t start = cpu_tsc();

    parking->left = true;
    cpu_fence();
    while (parking->nmi_coming && *(volatile uint32_t *)&context_of(parking)->nmis == 0 &&
           cpu_tsc() - start < PARK_NMI_TICKS)
        cpu_pause();
}

static void run_task(struct parking *parking)
{
    parking->task(parking->argument);
    parking->done = parking->given;
}

static void sleep(struct parking *parking, uint32_t hint)
{
    cpu_clflush(&parking->leave); /* without this, Intel's models 1DH, 2EH and 2FH miss stores */
    cpu_monitor(&parking->leave);
    if (!parking->leave && !parking->awake && parking->given == parking->done)
        cpu_mwait(hint);
}

/* Executes MWAIT in a loop, because NMIs, SMIs and stray writes also end it. */
static void EFIAPI wait_parked(void *argument)
{
    struct parking *parking = argument;
    uint64_t flags = cpu_flags_then_cli();
    uint32_t hint = 0;

    traps_install(context_of(parking));
    parking->waits = parking->watched || find_hint(&hint);
    parking->entered = true;
    if (parking->watched)
        watch(parking);
    while (parking->waits && !parking->leave)
        if (parking->given != parking->done)
            run_task(parking);
        else if (parking->awake)
            cpu_pause();
        else
            sleep(parking, hint);
    await_nmi(parking);
    traps_remove(context_of(parking));
    if (flags & RFLAGS_IF)
        cpu_sti();
}

/* The CPU may stay parked indefinitely, so there is no timeout. */
static enum status start_parking(const struct cpus *cpus, unsigned number, struct parking *parking)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;

    parking->leave = 0;
    parking->awake = parking->by_nmi = false;
    parking->entered = parking->left = parking->nmi_coming = false;
    parking->given = parking->done = 0;
    parking->apic_id = cpus->cpu[number].apic_id;
    if (boot->CreateEvent(0, 0, 0, 0, &parking->ended) != EFI_SUCCESS) {
        parking->ended = 0;
        return STATUS_START_FAILED;
    }
    if (mp_start(cpus, number, wait_parked, &parking->entered, parking, parking->ended, 0) !=
        EFI_SUCCESS) {
        efi_close(parking->ended);
        parking->ended = 0;
        return STATUS_START_FAILED;
    }
    if (!mp_wait_flag(&parking->entered)) {
        parking->leave = 1; /* if the CPU starts later, it leaves at once */
        return STATUS_START_FAILED;
    }
    return parking->waits ? STATUS_OK : STATUS_NO_MONITOR;
}

bool park_ready(const struct cpus *cpus)
{
    if (!pages)
        pages = firmware_memory(cpus->count * (size_t)PARK_BYTES);
    return pages;
}

static enum status park(const struct cpus *cpus, unsigned number, struct watched *watched)
{
    struct parking *parking = parking_of(number);
    enum status status;

    parking->watched = watched;
    status = start_parking(cpus, number, parking);
    parking->failed = status != STATUS_OK;
    return status;
}

bool park_is_settled(unsigned number)
{
    return parking_of(number)->ended || parking_of(number)->failed;
}

bool park_has_failed(unsigned number)
{
    return pages && parking_of(number)->failed;
}

enum status park_cpu(const struct cpus *cpus, unsigned number)
{
    return park_is_settled(number) ? STATUS_OK : park(cpus, number, 0);
}

enum status park_as_guard(const struct cpus *cpus, unsigned number, struct watched *watched)
{
    if (!park_ready(cpus))
        return STATUS_NO_MEMORY;
    if (park_is_settled(number))
        return STATUS_START_FAILED;
    return park(cpus, number, watched);
}

static bool wait_woken(const volatile bool *flag, uint64_t timeout_us)
{
    for (uint64_t us = 0; us < timeout_us && !*flag; us += GATE_POLL_US)
        firmware_wait_us(GATE_POLL_US);
    return *flag;
}

bool park_give(unsigned number, void (*task)(void *argument), void *argument,
               const volatile bool *started)
{
    struct parking *parking = pages ? parking_of(number) : 0;

    if (!parking || !parking->ended || parking->failed || parking->watched)
        return false;
    parking->task = task;
    parking->argument = argument;
    cpu_fence();
    parking->given++;
    if (parking->awake || wait_woken(started, PARK_GIVE_US))
        return true;
    parking->awake = true;
    parking->by_nmi = start_send_nmi(parking->apic_id);
    return true;
}

bool park_wait(unsigned number, uint64_t timeout_us)
{
    struct parking *parking = parking_of(number);

    for (uint64_t us = 0; us < timeout_us && parking->done != parking->given; us += GATE_POLL_US) {
        watch_look_at_all();
        firmware_wait_us(GATE_POLL_US);
    }
    if (parking->done == parking->given)
        return true;
    parking->failed = parking->lost = true;
    parking->leave = 1; /* if the CPU wakes later, it must not begin the task */
    return false;
}

bool park_lost(unsigned number)
{
    return pages && parking_of(number)->lost;
}

bool park_has(unsigned number)
{
    const struct parking *parking = parking_of(number);

    return pages && parking->ended && !parking->failed && !parking->watched && !parking->awake;
}

void park_keep_awake(unsigned number, bool awake)
{
    struct parking *parking = parking_of(number);

    if (parking->awake != awake) /* a needless store would wake the CPU */
        parking->awake = awake;
}

bool park_is_awake(unsigned number)
{
    const struct parking *parking = parking_of(number);

    return pages && parking->ended && !parking->failed && parking->awake;
}

void park_call_all(const struct cpus *cpus)
{
    for (unsigned i = 0; pages && i < cpus->count; i++)
        parking_of(i)->leave = 1;
}

/*
 * False if the CPU has left by itself, or if no NMI can be sent. The fence orders the store to
 * `nmi_coming` before the load of `left`.
 */
static bool send_nmi(struct parking *parking)
{
    wait_woken(&parking->left, PARK_STORE_US);
    context_of(parking)->nmis = 0; /* a stray NMI may have been counted before */
    parking->nmi_coming = true;
    cpu_fence();
    if (!parking->left && start_send_nmi(parking->apic_id))
        return true;
    parking->nmi_coming = false;
    return false;
}

/* The firmware polls for CPUs that have returned, and then signals their events. */
enum status park_wake(unsigned number, bool *by_nmi)
{
    struct parking *parking = pages ? parking_of(number) : 0;

    *by_nmi = false;
    if (!parking || !parking->ended)
        return STATUS_OK;
    parking->leave = 1;
    *by_nmi = parking->by_nmi;
    *by_nmi |= parking->entered && !parking->watched && send_nmi(parking) &&
               parking->done == parking->given; /* if they differ, the CPU hangs in a task */
    if (!mp_wait_event(parking->ended, parking->entered ? PARK_WAKE_US : 0)) {
        parking->failed = true;
        return STATUS_TIMEOUT;
    }
    efi_close(parking->ended);
    parking->ended = 0;
    parking->lost = false;
    return STATUS_OK;
}
