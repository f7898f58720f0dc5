/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches the kernels of other CPUs and sends an NMI to end those that exceed their time. Kernels
 * that stay within their time are not disturbed, except that another CPU reads one word of their
 * context. Calls no firmware. The local APIC of the watching CPU must be as the firmware has set it
 * up.
 */
#ifndef BARECOUNT_BOOT_CPU_WATCH_H
#define BARECOUNT_BOOT_CPU_WATCH_H

#include "boot/cpu/cpu.h"

/* One watcher's view of a CPU. */
struct watched {
    struct cpu_context *context;
    uint64_t apic_id;
    uint64_t bound_ticks; /* time limit of a window, in the watcher's TSC ticks; 0: not watched */
    uint64_t again_ticks; /* ticks from one NMI to the next for the same window */
    uint64_t since;       /* time stamp when `seen` was first read, or of the last NMI */
    uint32_t seen;        /* context->windows at the last watch_look() */
    uint32_t asked;       /* attempts to end this window by an NMI */
};

/* Converts µs to time stamp ticks, with the frequency rounded up to the next MHz. */
uint64_t watch_ticks(uint64_t us, uint64_t tsc_hz);

/* Returns what watch_look() needs to watch a CPU; if tsc_hz is 0, the CPU is not watched. */
struct watched watch_of(struct cpu_context *context, uint64_t apic_id, uint64_t bound_us,
                        uint64_t tsc_hz);

/*
 * Ends the CPU's kernel if the kernel has exceeded its time limit. Call this function many times
 * within the time limit; for one `watched`, always on the same CPU.
 */
void watch_look(struct watched *watched);

/*
 * Sends an NMI to end `window`, an odd number read from context->windows, if the CPU is still in
 * it. False if the CPU has left the window, if another CPU is sending an NMI, or if the NMI could
 * not be sent.
 */
bool watch_end(struct cpu_context *context, uint64_t apic_id, uint32_t window);

/*
 * Ends the window that the CPU is in now, if any. For callers that have found the window overdue.
 */
bool watch_end_now(struct cpu_context *context, uint64_t apic_id);

/*
 * Sets the CPUs that the boot CPU watches while it waits in the firmware for other CPUs
 * (boot/efi/mp.h). The array must stay valid until the next call; a count of 0 ends the watch.
 */
void watch_while_waiting(struct watched *watched, unsigned count);
void watch_look_at_all(void);

/*
 * Watches the CPU with `apic_id` until *over is true, if that CPU was passed to
 * watch_while_waiting(). Call this on a CPU that has finished its own task.
 */
void watch_until(uint64_t apic_id, const volatile bool *over);

#endif
