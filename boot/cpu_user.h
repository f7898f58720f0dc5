/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels at CPL 3. A CPU gets page tables of its own: everything that the firmware maps, for CPL 0
 * alone, and user pages with a copy of the kernel (its record and code), the kernel's buffer, a
 * stack, and the few instructions that call it. It gets a GDT, which is the firmware's and user
 * segments behind it, and a TSS for the way back. All of that is in place only while a window runs.
 *
 * What a kernel finds at CPL 3: IF = 0, IOPL = 0, no I/O, null data segments (their base is 0),
 * RDPMC and RDTSC as CR4.PCE and CR4.TSD were found, vector registers as at CPL 0. INT3 is allowed,
 * so that it is #BP as at CPL 0. Translations are cold when a window begins, but for those that the
 * way in and `prepare` use: retired counts do not show it, cycles do.
 */
#ifndef BARECOUNT_BOOT_CPU_USER_H
#define BARECOUNT_BOOT_CPU_USER_H

#include "boot/cpu.h"
#include "boot/window.h"

/* Of one CPU; opaque. */
struct user_space;

/* What a kernel needs to be mapped. Addresses are those at CPL 0. */
struct user_kernel {
    const void *record; /* what is copied: record and code */
    uint64_t record_bytes;
    void *buffer; /* page-aligned, and its last page holds nothing else; null: none */
    uint64_t buffer_bytes;
};

/* Memory for kernels of up to so many bytes, with buffers of up to so many. */
uint64_t user_space_bytes(uint64_t record_bytes, uint64_t buffer_bytes);

/*
 * A space in page-aligned memory of user_space_bytes(), for one CPU to the end of the program: its
 * task register may still point there. Any CPU may call it.
 */
struct user_space *user_space_make(void *memory, uint64_t record_bytes, uint64_t buffer_bytes);

/*
 * Copies a kernel and maps it; on the measured CPU, after cpu_enter() and before user_run(). False:
 * it is larger than the space was made for, or our segments do not fit beside the firmware's.
 */
bool user_load(struct user_space *space, const struct user_kernel *kernel);

/*
 * As window_global, window_select or window_bare (boot/window.h), by `open_msr`:
 * IA32_PERF_GLOBAL_CTRL, IA32_PERFEVTSEL0 or 0. `window` has the addresses of the kernel that was
 * loaded as they are at CPL 0, and so has the context after a fault, where they are the kernel's or
 * its buffer's. A kernel's `prepare` runs at CPL 3 too. Afterwards the CPU is as it was before,
 * except that its task register keeps our TSS where the firmware had none that LTR takes: a null
 * one cannot be put back. The caller refuses kernels that need CPL 0.
 */
unsigned user_run(struct user_space *space, struct cpu_context *context, uint32_t open_msr,
                  struct window *window);

/*
 * The window's cost by enum event_declared, as events count it at CPL 0 and at CPL 3, without the
 * two WRMSRs; both rings: their sum. boot/cpu_user.asm.
 */
extern const int64_t window_cost_user_os[];
extern const int64_t window_cost_user_usr[];

#endif
