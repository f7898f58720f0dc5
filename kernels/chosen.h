/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses a run's kernels by the words of a plan, and describes them for the journal. */
#ifndef BARECOUNT_KERNELS_CHOSEN_H
#define BARECOUNT_KERNELS_CHOSEN_H

#include "kernels/kernel.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"

#define CHOSEN_MAX 1024u /* the largest number of kernels in one run */

/* A kernel of a plan's section [code]. */
struct code_kernel {
    const struct kernel_record *record;
    const void *twice_entry; /* the entry point of the code with twice as many copies */
    uint32_t init_at, init_bytes, copy_at, copy_bytes, unroll; /* as in known_kernel */
};

/*
 * The kernels that a plan can select: first those that kernel_check() accepted, built in or from
 * files, then those of the plan's sections [code].
 */
struct kernel_offer {
    const struct kernel_record *const *kernel;
    const char *const *file; /* name of each kernel's file; "": the kernel is built in */
    unsigned kernels;        /* number of elements in kernel[] and in file[] */
    struct code_kernel code[PLAN_CODES_MAX];
    unsigned codes;
};

/* A kernel with its parameters. */
struct chosen_kernel {
    const struct kernel_record *record;
    struct kernel_use use;
    const char *file;               /* name of the kernel's file; "": it is built in */
    const struct code_kernel *code; /* null: it is not from a section [code] */
    uint32_t line;                  /* line of the plan; 0: none */
    bool is_sized;                  /* the plan gives the size of the buffer */
    bool is_paged;                  /* the plan gives the size of the buffer's pages */
    bool is_counted;                /* the plan gives n */
    bool is_argued;                 /* the plan gives the argument */
};

/*
 * Makes the kernels of the plan's sections [code]. memory() allocates memory, or returns null if
 * none is left. Adds errors for sections that are left out.
 */
void chosen_make_codes(struct kernel_offer *offer, struct plan *plan, array_memory *memory);

/*
 * Chooses the plan's kernels, at most CHOSEN_MAX, and returns their number. Adds errors for invalid
 * entries. If the plan has no valid entry, chooses the kernels of the word `default`.
 */
unsigned chosen_find(const struct kernel_offer *offer, struct plan *plan, struct chosen_kernel *to);

/* What a CPU needs to run a kernel with its default n, buffer and argument. */
struct kernel_use kernel_use_of(const struct kernel_record *record);

/*
 * chosen_describe() fills in the journal's record of a kernel, except skipped_for.
 * chosen_leave_out() fills in the record of a kernel that max_time= left out.
 */
void chosen_describe(const struct chosen_kernel *wanted, struct known_kernel *to);
void chosen_leave_out(const struct chosen_kernel *wanted, struct left_out *to);

#endif
