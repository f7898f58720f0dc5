/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses a run's kernels by a plan, and describes them for the journal. */
#ifndef BARECOUNT_KERNELS_CHOSEN_H
#define BARECOUNT_KERNELS_CHOSEN_H

#include "kernels/kernel.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"

#define CHOSEN_MAX 1024u

struct code_kernel {
    const struct kernel_record *record;
    const void *twice_entry; /* entry point of the code with twice as many copies */
    uint32_t init_at, init_bytes, copy_at, copy_bytes, unroll; /* as in known_kernel */
};

/* The kernels that a plan can select: built in, from files, and from the plan's sections [code]. */
struct kernel_offer {
    const struct kernel_record *const *kernel;
    const char *const *file; /* "": built in */
    unsigned kernels;
    struct code_kernel code[PLAN_CODES_MAX];
    unsigned codes;
};

struct chosen_kernel {
    const struct kernel_record *record;
    struct kernel_use use;
    const char *file;               /* "": built in */
    const struct code_kernel *code; /* null: not from a section [code] */
    uint32_t line;                  /* line of the plan; 0: none */
    bool is_sized;                  /* the plan gives the buffer's size */
    bool is_paged;                  /* the plan gives the page size */
    bool is_counted;                /* the plan gives n */
    bool is_argued;                 /* the plan gives `argument` */
};

/*
 * Makes the kernels of the plan's sections [code]. Adds errors for sections that are left out.
 * memory() may return null.
 */
void chosen_make_codes(struct kernel_offer *offer, struct plan *plan, array_memory *memory);

/*
 * Chooses the plan's kernels, at most CHOSEN_MAX, and returns their number. Adds errors for invalid
 * entries. If there is no valid entry, chooses the kernels of the word `default`.
 */
unsigned chosen_find(const struct kernel_offer *offer, struct plan *plan, struct chosen_kernel *to);

/* The use of a kernel with its default n, buffer and argument. */
struct kernel_use kernel_use_of(const struct kernel_record *record);

/*
 * chosen_describe() fills in all fields except skipped_for. chosen_leave_out() is for a kernel that
 * max_time= left out.
 */
void chosen_describe(const struct chosen_kernel *wanted, struct known_kernel *to);
void chosen_leave_out(const struct chosen_kernel *wanted, struct left_out *to);

#endif
