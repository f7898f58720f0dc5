/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cpu.h"
#include "boot/efi_mp.h"
#include "boot/firmware.h"
#include "boot/park.h"
#include "pmu/mwait.h"

#define PARK_BYTES 4096u /* beyond any line that MONITOR watches (CPUID.05H:EBX) */

#define CPUID_ECX_MONITOR (1u << 3)
#define PARK_WAKE_US      5000000u /* the firmware looks every 100 ms of its clock */

/* What one CPU watches, in a page of its own: nobody writes there but to wake it. */
struct parking {
    volatile uint32_t leave;
    volatile bool entered;
    volatile bool waits; /* false, once it has entered: it has no MONITOR */
    EFI_EVENT ended;     /* null: the CPU is not parked */
    bool failed;         /* it did not come or go as it should; it is left alone */
};
_Static_assert(sizeof(struct parking) <= PARK_BYTES, "it has a page");

static char *pages; /* of all CPUs */

static struct parking *parking_of(unsigned number)
{
    return (struct parking *)(pages + (size_t)number * PARK_BYTES);
}

/* On each CPU: those of other types may have other states. */
static bool find_hint(uint32_t *hint)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(0, 0, &regs);
    if (regs.eax < PARK_LEAF)
        return false;
    cpu_read_cpuid(PARK_LEAF, 0, &regs);
    *hint = mwait_deepest_hint(&regs);
    cpu_read_cpuid(1, 0, &regs);
    return regs.ecx & CPUID_ECX_MONITOR;
}

/* On the parked CPU. NMIs, SMIs and stray writes end an MWAIT too: then it waits again. */
static void EFIAPI wait_parked(void *argument)
{
    struct parking *parking = argument;
    uint64_t flags = cpu_flags_then_cli();
    uint32_t hint = 0;

    parking->waits = find_hint(&hint);
    parking->entered = true;
    while (parking->waits && !parking->leave) {
        cpu_clflush(&parking->leave); /* models 1DH, 2EH, 2FH want it, or they miss the store */
        cpu_monitor(&parking->leave);
        if (!parking->leave)
            cpu_mwait(hint);
    }
    if (flags & RFLAGS_IF)
        cpu_sti();
}

/* Starts it; the time that it stays has no bound, so the firmware gets none. */
static bool start_parking(const struct cpus *cpus, unsigned number, struct parking *parking)
{
    EFI_BOOT_SERVICES *boot = EFI_SYSTEM->BootServices;

    parking->leave = 0;
    parking->entered = false;
    if (boot->CreateEvent(0, 0, 0, 0, &parking->ended) != EFI_SUCCESS) {
        parking->ended = 0;
        return false;
    }
    if (mp_start(cpus, number, wait_parked, &parking->entered, parking, parking->ended, 0) ==
        EFI_SUCCESS)
        return mp_wait_flag(&parking->entered) && parking->waits;
    boot->CloseEvent(parking->ended);
    parking->ended = 0;
    return false;
}

enum status park_cpu(const struct cpus *cpus, unsigned number)
{
    struct parking *parking;

    if (!pages)
        pages = firmware_memory(cpus->count * (size_t)PARK_BYTES);
    if (!pages)
        return STATUS_NO_MEMORY;
    parking = parking_of(number);
    if (parking->ended || parking->failed)
        return STATUS_OK;
    parking->failed = !start_parking(cpus, number, parking);
    return parking->failed ? STATUS_START_FAILED : STATUS_OK;
}

bool park_has(unsigned number)
{
    return pages && parking_of(number)->ended && !parking_of(number)->failed;
}

/* The firmware looks every 100 ms which CPUs have ended, and signals their events. */
enum status park_wake(unsigned number)
{
    struct parking *parking = pages ? parking_of(number) : 0;

    if (!parking || !parking->ended)
        return STATUS_OK;
    parking->leave = 1;
    if (!mp_wait_event(parking->ended, PARK_WAKE_US)) {
        parking->failed = true;
        return STATUS_TIMEOUT;
    }
    EFI_SYSTEM->BootServices->CloseEvent(parking->ended);
    parking->ended = 0;
    return STATUS_OK;
}
