/* SPDX-License-Identifier: BSD-2-Clause */
/* From the words of a plan to the kernels of a run, and from these to their journal records. */
#ifndef BARECOUNT_KERNELS_CHOSEN_H
#define BARECOUNT_KERNELS_CHOSEN_H

#include "kernels/kernel.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"

#define CHOSEN_MAX 1024u /* of one run */

/* A kernel of a plan's section [code]. */
struct code_kernel {
    const struct kernel_record *record;
    const void *twice_entry; /* the same with twice as many copies */
    uint32_t init_at, init_bytes, copy_at, copy_bytes, unroll; /* as known_kernel has them */
};

/* What the words of a plan can mean: kernels that were checked, then the plan's own codes. */
struct kernel_offer {
    const struct kernel_record *const *kernel;
    const char *const *file; /* of each: where it came from; "" for a built-in one */
    unsigned kernels;
    struct code_kernel code[PLAN_CODES_MAX];
    unsigned codes;
};

/* A kernel with its parameters. */
struct chosen_kernel {
    const struct kernel_record *record;
    struct kernel_use use;
    const char *file;               /* where it came from; "" for a built-in one */
    const struct code_kernel *code; /* null: it is of no section [code] */
    uint32_t line;                  /* of the plan; 0: of none */
    bool is_sized;                  /* the plan gave the buffer's size */
    bool is_paged;                  /* the plan gave its pages' size */
    bool is_counted;                /* the plan gave its n */
    bool is_argued;                 /* the plan gave its argument */
};

/*
 * Makes the kernels of the plan's sections [code], in memory that may hold code; memory() gives
 * null when there is none. A section that is left out is an error.
 */
void chosen_make_codes(struct kernel_offer *offer, struct plan *plan, array_memory *memory);

/*
 * The kernels that the plan means, CHOSEN_MAX at the most; returns how many. What is not as
 * expected is an error.
 */
unsigned chosen_find(const struct kernel_offer *offer, struct plan *plan, struct chosen_kernel *to);

/* A kernel with the n, buffer and argument that it has by default. */
struct kernel_use kernel_use_of(const struct kernel_record *record);

/* A kernel as the journal has it, but for skipped_for; and one that is left out. */
void chosen_describe(const struct chosen_kernel *wanted, struct known_kernel *to);
void chosen_leave_out(const struct chosen_kernel *wanted, struct left_out *to);

#endif
