/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where kernels run, at CPL 0 and 3 alike. A CPU gets page tables of its own: everything that the
 * firmware maps, for CPL 0 alone, read-only and not executable but for the few instructions of ours
 * that run there; and a copy of the kernel (its record and code, which may be run and not written),
 * the kernel's buffer, and a stack with nothing below it. So a wild write or jump is a #PF. A GDT,
 * which is the firmware's and user segments behind it, and a TSS with stacks for exceptions are in
 * place while a kernel is loaded; tables and interrupt table only during a trip to the kernel.
 *
 * What a kernel finds: IF = 0, CR0.WP = CR0.AM = 1, at CPL 3 IOPL = 0, no I/O, null data segments
 * (their base is 0), RDPMC and RDTSC as CR4.PCE and CR4.TSD were found. INT3 is allowed at CPL 3,
 * so that it is #BP as at CPL 0. A kernel's own pages are global, so that what is cached of them
 * outlives the way there; not where firmware has CR4.PGE set itself, since its own pages may be
 * global then and would be open to the kernel.
 */
#ifndef BARECOUNT_BOOT_CPU_SPACE_H
#define BARECOUNT_BOOT_CPU_SPACE_H

#include "boot/cpu/cpu.h"
#include "boot/cpu/window.h"
#include "kernels/kernel.h"
#include "pmu/base/status.h"

/* Of one CPU; opaque. */
struct cpu_space;

/* A kernel on one CPU. Addresses are the firmware's. */
struct space_kernel {
    const struct kernel_use *use;
    void *buffer;       /* whole pages, which hold nothing else; null: none */
    void *first_buffer; /* of the first role, as large; buffer or null: the kernel has no other's */
    uint64_t role;      /* RCX of `prepare` */
    unsigned cpl;       /* 0 or 3 */
};

/*
 * Memory for kernels of up to so many bytes whose buffers need so many tables: the most of
 * space_buffer_tables() of each.
 */
uint64_t space_bytes(uint64_t record_bytes, uint32_t buffer_tables);
uint32_t space_buffer_tables(uint64_t buffer_bytes, uint32_t page_bytes);

/*
 * A space in page-aligned memory of space_bytes(), for one CPU to the end of the program: its task
 * register may still point there. Any CPU may call it.
 */
struct cpu_space *space_make(void *memory, uint64_t record_bytes, uint32_t buffer_tables);

/*
 * Copies a kernel, which stays where it is until space_unload(), and maps it; on the measured CPU,
 * after cpu_enter() and before any trip. STATUS_NO_SPACE: it is larger than the space was made for,
 * or our segments do not fit beside the firmware's; STATUS_NO_PAGES, STATUS_NO_MEMORY_TYPE.
 * Whatever it says, space_unload() is next: the CPU is then as it was before, except that its task
 * register keeps our TSS where the firmware had none that LTR takes: a null one cannot be put back.
 */
enum status space_load(struct cpu_space *space, struct cpu_context *context,
                       const struct space_kernel *kernel);
void space_unload(struct cpu_space *space);

/* After a load that no unload followed, as the CPU was started anew: puts back what that leaves. */
void space_restore(struct cpu_space *space);

/*
 * The trips; WINDOW_DONE, or WINDOW_FAULTED with the exception in the context, where addresses that
 * are the kernel's or its buffer's are the firmware's again. `window` has the firmware's addresses.
 *
 * space_prepare() calls the kernel's `prepare` where there is one, else it makes registers ready;
 * what it leaves in them is what the next window begins with, but RAX, RCX and RDX.
 *
 * space_window() opens the counters by `open_msr` (IA32_PERF_GLOBAL_CTRL, IA32_PERFEVTSEL0, or 0:
 * there are none), calls the kernel and closes them.
 */
unsigned space_prepare(struct cpu_space *space, const struct window *window);
unsigned space_window(struct cpu_space *space, uint32_t open_msr, struct window *window);

/* The same with counters that run freely, at CPL 0; boot/cpu/window.h. */
struct deltas;
unsigned space_deltas(struct cpu_space *space, struct deltas *deltas);

/*
 * Behind a trip: puts back what it changed of the CPU, and says what of it a kernel must leave
 * alone (bits of CHANGED_LIST, pmu/counters/changed.h), between its space_prepare() and now.
 */
uint32_t space_changed(struct cpu_space *space);

#endif
