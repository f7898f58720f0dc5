/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space in which one CPU runs a kernel at privilege level 0 or 3 (CPL). The space's page
 * tables map everything that the firmware maps, but as supervisor-only, read-only and not
 * executable, with two exceptions: the few instructions of the program that run in the space are
 * executable, and the exception stacks are writable. The page tables also map a copy of the kernel
 * (its record and code, executable and read-only), the kernel's buffer, and a stack with nothing
 * mapped below it. Therefore a wild write or jump raises #PF. While a kernel is loaded, the GDT is
 * a copy of the firmware's GDT, with user segments and a TSS added. The space's page tables and IDT
 * are in use only during a trip, while the CPU is in the space.
 *
 * A kernel runs with IF = 0, CR0.WP = CR0.AM = 1 and the firmware's CR4.PCE and CR4.TSD. A kernel
 * at CPL 3 also has IOPL = 0, no I/O ports and null data segments (base 0). INT3 raises #BP at
 * either CPL. If the firmware has left CR4.PGE clear, the kernel's pages are global, so that their
 * TLB entries survive the CR3 write that enters the space. If the firmware has set CR4.PGE, a trip
 * clears CR4.PGE, so that the kernel cannot use the firmware's global TLB entries.
 */
#ifndef BARECOUNT_BOOT_CPU_SPACE_H
#define BARECOUNT_BOOT_CPU_SPACE_H

#include "boot/cpu/cpu.h"
#include "boot/cpu/window.h"
#include "kernels/kernel.h"
#include "pmu/base/status.h"

/* The space of one CPU; opaque. */
struct cpu_space;

/*
 * A kernel to run on one CPU. All addresses are those of the firmware's mapping, outside the space.
 */
struct space_kernel {
    const struct kernel_use *use;
    void *buffer;       /* whole pages that only this buffer uses; null: no buffer */
    void *first_buffer; /* buffer of the CPU with role 0, of the same size; null: `buffer` itself */
    uint64_t role;      /* the CPU's index among those that run the kernel (kernels/kernel.h) */
    unsigned cpl;       /* 0 or 3 */
};

/*
 * The size in bytes of a space for kernels whose record and code have at most record_bytes bytes,
 * and whose buffer needs at most buffer_tables page tables. space_buffer_tables() computes the
 * number of page tables for one buffer.
 */
uint64_t space_bytes(uint64_t record_bytes, uint32_t buffer_tables);
uint32_t space_buffer_tables(uint64_t buffer_bytes, uint32_t page_bytes);

/*
 * Makes a space in page-aligned memory of space_bytes(). The memory belongs to one CPU until the
 * program ends, because the CPU's task register may still point into this memory. Any CPU may call
 * this function.
 */
struct cpu_space *space_make(void *memory, uint64_t record_bytes, uint32_t buffer_tables);

/*
 * Copies a kernel into the space and maps it. The original kernel must stay in place until
 * space_unload(). Call this on the measured CPU between cpu_enter() and the first trip. Returns
 * STATUS_NO_SPACE if the space is too small or the segments cannot be added to a copy of the GDT,
 * STATUS_NO_PAGES if the buffer needs 1 GiB pages and the CPU has none, and STATUS_NO_MEMORY_TYPE
 * if the CPU cannot give the buffer the memory type that the plan asks for. Call space_unload()
 * whatever this function returns. space_unload() restores the CPU, except that TR keeps the
 * program's TSS if LTR would not accept the firmware's selector.
 */
enum status space_load(struct cpu_space *space, struct cpu_context *context,
                       const struct space_kernel *kernel);
void space_unload(struct cpu_space *space);

/*
 * For a CPU that was reset before space_unload(): marks the space as unloaded and restores
 * IA32_PAT.
 */
void space_restore(struct cpu_space *space);

/*
 * Each trip returns WINDOW_DONE or WINDOW_FAULTED. After WINDOW_FAULTED, the context holds the
 * exception. Addresses in `window` and in the context are those of the firmware's mapping, outside
 * the space.
 *
 * space_prepare() calls the kernel's `prepare` if there is one. The next window starts with the
 * registers as `prepare` left them or, if there is no `prepare`, with their initial values; only
 * RAX, RCX and RDX have other values.
 *
 * space_window() writes the `open_value` of the last space_choose_window() to its `open_msr`, calls
 * the kernel, and writes 0 to `open_msr` to stop the counters. pmu_program() chooses `open_msr`: a
 * global control register, or the event select register of the pass's first general counter. If
 * `open_msr` is 0, no counter is started.
 */
unsigned space_prepare(struct cpu_space *space, const struct window *window);
void space_choose_window(struct cpu_space *space, uint32_t open_msr, uint64_t open_value);
unsigned space_window(struct cpu_space *space, struct window *window);

/* Like space_window(), but with free-running counters and only at CPL 0; see boot/cpu/window.h. */
struct deltas;
unsigned space_deltas(struct cpu_space *space, struct deltas *deltas);

/*
 * Restores the CPU state that the kernel has changed since space_load(), and returns the changes
 * that are not allowed, as bits of CHANGED_LIST (pmu/counters/changed.h), or 0 if an exception
 * ended the kernel. Call this after a trip.
 */
uint32_t space_changed(struct cpu_space *space);

#endif
