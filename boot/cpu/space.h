/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space in which one CPU runs a kernel at privilege level (CPL) 0 or 3. Its page tables
 * map the firmware's memory as supervisor-only, read-only and not executable, with two exceptions:
 * the program's code that runs in the space is executable, and the exception stacks are writable.
 * The page tables also map a copy of the kernel (executable and read-only), its buffer, and a stack
 * with nothing mapped below it. Therefore a wild write or jump raises #PF. The space's page tables
 * and IDT are in use only during a trip. While a kernel is loaded, the GDT is a copy of the
 * firmware's GDT, with user segments and a TSS added.
 *
 * A kernel runs with IF = 0, CR0.WP = CR0.AM = 1 and the firmware's CR4.PCE and CR4.TSD. At CPL 3,
 * it also has IOPL = 0, no I/O ports and null data segments (base 0). INT3 raises #BP at either
 * CPL. If the firmware has set CR4.PGE, a trip clears it, so that no kernel uses the firmware's
 * global TLB entries. If the firmware has not set CR4.PGE, space_load() sets it and makes the
 * kernel's pages global, so that their TLB entries survive the entry into the space.
 */
#ifndef BARECOUNT_BOOT_CPU_SPACE_H
#define BARECOUNT_BOOT_CPU_SPACE_H

#include "boot/cpu/cpu.h"
#include "boot/cpu/window.h"
#include "kernels/kernel.h"
#include "pmu/base/status.h"

/* Opaque. */
struct cpu_space;

/* A kernel to run on one CPU. All addresses are valid outside the space. */
struct space_kernel {
    const struct kernel_use *use;
    void *buffer;       /* whole pages that only this buffer uses; null: no buffer */
    void *first_buffer; /* role 0's buffer, of the same size; null: `buffer` is role 0's */
    uint64_t role;      /* the CPU's index among those that run the kernel */
    unsigned cpl;       /* 0 or 3 */
};

/*
 * space_bytes() returns the size in bytes of a space for kernels whose record has at most
 * record_bytes, and whose buffer needs at most buffer_tables page tables. space_buffer_tables()
 * computes the number of page tables for one buffer.
 */
uint64_t space_bytes(uint64_t record_bytes, uint32_t buffer_tables);
uint32_t space_buffer_tables(uint64_t buffer_bytes, uint32_t page_bytes);

/*
 * Makes a space in page-aligned memory of space_bytes(), on any CPU. The memory must be kept until
 * the program ends, because the task register of the CPU that used the space may still point into
 * it.
 */
struct cpu_space *space_make(void *memory, uint64_t record_bytes, uint32_t buffer_tables);

/*
 * Copies a kernel into the space and maps it. Call this on the measured CPU between cpu_enter() and
 * the first trip. The original kernel must stay in place until space_unload(). Returns
 * STATUS_NO_SPACE if the space is too small or the GDT cannot be extended, STATUS_NO_PAGES if the
 * CPU lacks the 1 GiB pages that the buffer needs, and STATUS_NO_MEMORY_TYPE if the CPU lacks the
 * plan's memory type.
 *
 * Call space_unload() even after a failure. space_unload() restores the CPU, except that TR keeps
 * the program's TSS if LTR would refuse the firmware's selector.
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
 * Each trip returns WINDOW_DONE or WINDOW_FAULTED. After WINDOW_FAULTED, the context describes the
 * exception. Addresses in the context are translated to addresses outside the space.
 *
 * space_prepare() calls the kernel's `prepare`, if any. The next window starts with the registers
 * that `prepare` left, except RAX, RCX and RDX.
 *
 * space_window() writes `open_value` to `open_msr`, calls the kernel, and writes 0 to `open_msr`.
 * `open_msr` is a global control register, or the event select register of the pass's first general
 * counter. If `open_msr` is 0, no counter is started.
 */
unsigned space_prepare(struct cpu_space *space, const struct window *window);
void space_choose_window(struct cpu_space *space, uint32_t open_msr, uint64_t open_value);
unsigned space_window(struct cpu_space *space, struct window *window);

/* Like space_window(), but with free-running counters and only at CPL 0. */
struct deltas;
unsigned space_deltas(struct cpu_space *space, struct deltas *deltas);

/*
 * Call this after a trip. Restores the CPU state that the kernel has changed since space_load().
 * Returns the forbidden changes as bits of CHANGED_LIST, or 0 if an exception ended the kernel.
 */
uint32_t space_changed(struct cpu_space *space);

#endif
