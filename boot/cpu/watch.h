/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches the kernels of other CPUs, and sends an NMI to end a kernel that exceeds its time limit.
 * Calls no firmware. The watching CPU's local APIC must be as the firmware has set it up.
 */
#ifndef BARECOUNT_BOOT_CPU_WATCH_H
#define BARECOUNT_BOOT_CPU_WATCH_H

#include "boot/cpu/cpu.h"

struct watched {
    struct cpu_context *context;
    uint64_t apic_id;
    uint64_t bound_ticks; /* time limit of a window in the watcher's TSC ticks; 0: not watched */
    uint64_t again_ticks; /* time between two NMIs */
    uint64_t since;       /* time stamp when `seen` was first read, or when the last NMI was sent */
    uint32_t seen;        /* context->windows at the last watch_look() */
    uint32_t asked;       /* number of NMIs requested for this window */
};

/* Converts microseconds to TSC ticks, rounded up. */
uint64_t watch_ticks(uint64_t us, uint64_t tsc_hz);

/* If tsc_hz is 0, the CPU is not watched. */
struct watched watch_of(struct cpu_context *context, uint64_t apic_id, uint64_t bound_us,
                        uint64_t tsc_hz);

/*
 * Ends the CPU's kernel if it has exceeded its time limit. Call this often. The calls for one
 * `watched` must all be on the same CPU.
 */
void watch_look(struct watched *watched);

/*
 * Sends an NMI to end `window`, an odd value of context->windows. False if the CPU has left the
 * window, if another CPU is sending an NMI, or if sending failed.
 */
bool watch_end(struct cpu_context *context, uint64_t apic_id, uint32_t window);

/* Like watch_end(), for the CPU's current window; also false if the CPU is in no window. */
bool watch_end_now(struct cpu_context *context, uint64_t apic_id);

/*
 * Sets the CPUs that the boot CPU watches while it waits in the firmware. The array must stay valid
 * until the next call; a count of 0 ends the watch.
 */
void watch_while_waiting(struct watched *watched, unsigned count);
void watch_look_at_all(void);

/*
 * Watches the CPU with `apic_id` until *over is true. Returns at once if watch_while_waiting() did
 * not name this CPU. Call this on a CPU that has finished its own task.
 */
void watch_until(uint64_t apic_id, const volatile bool *over);

#endif
