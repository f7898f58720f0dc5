/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates run times of kernels, and chooses those that fit into a time limit. */
#ifndef BARECOUNT_KERNELS_TIME_H
#define BARECOUNT_KERNELS_TIME_H

#include "kernels/chosen.h"

/* The time of a window. The unit is the time that one instruction of time_loop() takes. */
struct window_time {
    uint64_t around;
    uint64_t each_n;     /* per n; a high estimate */
    uint64_t each_n_far; /* used instead of each_n if lines may come from memory or another CPU */
};

#define TIME_LOOP              1000000u
#define TIME_LOOP_INSTRUCTIONS (2 * TIME_LOOP)

static inline void time_loop(void)
{
    uint32_t count = TIME_LOOP;

    __asm__ volatile("1: decl %0; jnz 1b" : "+r"(count) : : "cc");
}

/*
 * The microseconds that one CPU needs to clear the buffer and run `windows` windows. `shared`: the
 * kernel is for several CPUs. Cannot overflow for a valid plan.
 */
uint64_t kernel_time_us(const struct chosen_kernel *kernel, const struct window_time *time,
                        uint64_t windows, bool shared, uint64_t picoseconds_per_instruction);

/*
 * Fits a run into the plan's max_time=, or into ten minutes plus noise_us if the plan sets neither
 * max_time= nor runs=. Without runs=, halves plan->runs as needed, down to ten. If the run still
 * exceeds max_time=, leaves out the last kernels. Returns the number of remaining kernels, at least
 * one.
 *
 * run_us() returns the time of the first `kernels` kernels, which must not decrease as `kernels`
 * grows. *all_us becomes the time of all kernels.
 */
unsigned time_fit(struct plan *plan, unsigned kernels, uint64_t noise_us,
                  uint64_t (*run_us)(void *context, unsigned kernels), void *context,
                  uint64_t *all_us);

/*
 * Writes a note that the kernels from index `fits` on are left out for lack of time. The note
 * contains as many of their names as there is room for. all_us is the time of all kernels.
 */
void kernels_left_out(const struct chosen_kernel *kernel, unsigned fits, unsigned kernels,
                      uint64_t all_us, uint32_t max_time_s, struct out *out);

#endif
