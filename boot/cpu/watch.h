/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU that watches the kernels of others, and ends those that hang: by an NMI, after their time
 * is up. A kernel that is in time notices nothing but the reads of one word, between its windows.
 * Calls no firmware; on any CPU whose local APIC is in the firmware's state.
 */
#ifndef BARECOUNT_BOOT_CPU_WATCH_H
#define BARECOUNT_BOOT_CPU_WATCH_H

#include "boot/cpu/cpu.h"

/* What one watcher knows of a CPU. */
struct watched {
    struct cpu_context *context;
    uint64_t apic_id;
    uint64_t bound_ticks; /* of the watcher's time stamp: a window takes no longer; 0: unwatched */
    uint64_t again_ticks; /* behind an NMI, until it is sent again */
    uint64_t since;       /* time stamp of the first look at `seen`, or of the last NMI */
    uint32_t seen;        /* context->windows at the last look */
    uint32_t asked;       /* NMIs for that window */
    bool ends_itself;     /* by its spare counter */
};

/* Ticks of the time stamp: no fewer than that, and little more. */
uint64_t watch_ticks(uint64_t us, uint64_t tsc_hz);

/* Without a time stamp's frequency nobody is watched. */
struct watched watch_of(struct cpu_context *context, uint64_t apic_id, uint64_t bound_us,
                        uint64_t tsc_hz);

/* To be called again and again, far more often than the bound. One watcher for each `watched`. */
void watch_look(struct watched *watched);

/*
 * Ends window `window` of a CPU, an odd number that was read from context->windows, if the CPU is
 * still in it. False: it is not, another CPU is about to end it, or no NMI could be sent.
 */
bool watch_end(struct cpu_context *context, uint64_t apic_id, uint32_t window);

/*
 * The same of the window that the CPU is in now, if it is in one: for who knows that it has been
 * in it for too long, as it waits for that CPU.
 */
bool watch_end_now(struct cpu_context *context, uint64_t apic_id);

/*
 * What the boot CPU watches while it waits in the firmware for others (boot/efi/mp.h): these CPUs,
 * until it is told of no others. The array must stay.
 */
void watch_while_waiting(struct watched *watched, unsigned count);
void watch_look_at_all(void);

/*
 * On a CPU that has ended its own task before them: watches the one of these with an APIC ID,
 * until *over.
 */
void watch_until(uint64_t apic_id, const volatile bool *over);

#endif
