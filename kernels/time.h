/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates the run times of kernels before they run, and chooses those that fit into a time limit.
 */
#ifndef BARECOUNT_KERNELS_TIME_H
#define BARECOUNT_KERNELS_TIME_H

#include "kernels/chosen.h"

/* The time of a window. The unit is the time that a simple loop takes for one instruction. */
struct window_time {
    uint64_t around;
    uint64_t each_n;     /* added for each n; a high estimate */
    uint64_t each_n_far; /* replaces each_n if work may fetch lines from memory or another CPU */
};

/* A simple loop of TIME_LOOP iterations, which is timed to calibrate the unit. */
#define TIME_LOOP              1000000u
#define TIME_LOOP_INSTRUCTIONS (2 * TIME_LOOP)

static inline void time_loop(void)
{
    uint32_t count = TIME_LOOP;

    __asm__ volatile("1: decl %0; jnz 1b" : "+r"(count) : : "cc");
}

/*
 * The time in microseconds on one CPU to clear the kernel's buffer and run `windows` windows.
 * `shared` is true for a kernel for several CPUs (a pair or a crowd). Does not overflow for any
 * valid plan.
 */
uint64_t kernel_time_us(const struct chosen_kernel *kernel, const struct window_time *time,
                        uint64_t windows, bool shared, uint64_t picoseconds_per_instruction);

/*
 * Fits a run into the plan's max_time= or, if the plan sets neither max_time= nor runs=, into ten
 * minutes plus noise_us. If the plan does not set runs=, halves plan->runs until the run fits, but
 * not below ten. If the plan sets max_time= and the run is still too long, leaves the last kernels
 * out. Returns the number of kernels that remain, which is at least one. run_us() returns how long
 * a run of the first `kernels` kernels takes with plan->runs; this time must not decrease as
 * `kernels` grows. *all_us becomes the time of a run of all kernels.
 */
unsigned time_fit(struct plan *plan, unsigned kernels, uint64_t noise_us,
                  uint64_t (*run_us)(void *context, unsigned kernels), void *context,
                  uint64_t *all_us);

/*
 * Writes a note that the kernels with index `fits` and above are left out for lack of time. The
 * note names as many of these kernels as it has room for. all_us is the time of a run of all
 * kernels.
 */
void kernels_left_out(const struct chosen_kernel *kernel, unsigned fits, unsigned kernels,
                      uint64_t all_us, uint32_t max_time_s, struct out *out);

#endif
