/* SPDX-License-Identifier: BSD-2-Clause */
/* How long kernels take, estimated before they run; and which of them a run has time for. */
#ifndef BARECOUNT_KERNELS_TIME_H
#define BARECOUNT_KERNELS_TIME_H

#include "kernels/chosen.h"

/* What a window takes, in the time of a simple loop's instructions. */
struct window_time {
    uint64_t around;
    uint64_t each_n;     /* on the large side */
    uint64_t each_n_far; /* where a line comes from memory, or goes from CPU to CPU, meanwhile */
};

/* What a simple loop of TIME_LOOP iterations has executed; it is timed to know an instruction's. */
#define TIME_LOOP              1000000u
#define TIME_LOOP_INSTRUCTIONS (2 * TIME_LOOP)

static inline void time_loop(void)
{
    uint32_t count = TIME_LOOP;

    __asm__ volatile("1: decl %0; jnz 1b" : "+r"(count) : : "cc");
}

/*
 * Microseconds on a CPU: the kernel's buffer is cleared, and so many windows follow. shared: it has
 * roles for several CPUs. In an order in which the largest n and runs of a plan stay within 64
 * bits.
 */
uint64_t kernel_time_us(const struct chosen_kernel *kernel, const struct window_time *time,
                        uint64_t windows, bool shared, uint64_t picoseconds_per_instruction);

/*
 * Makes a run fit into the plan's max_time=, or without one into ten minutes and noise_us. Runs
 * that the plan does not give are halved for that, to ten at least; for max_time= kernels are left
 * out as well. It returns how many of the first `kernels` there is time for, one at least. run_us()
 * estimates a run of the first `kernels` with plan->runs, which takes longer the more there are;
 * *all_us is its answer for all of them.
 */
unsigned time_fit(struct plan *plan, unsigned kernels, uint64_t noise_us,
                  uint64_t (*run_us)(void *context, unsigned kernels), void *context,
                  uint64_t *all_us);

/*
 * Says that a run has no time for the kernels from `fits` on, and which these are, as far as there
 * is room for a note: a run of all takes all_us.
 */
void kernels_left_out(const struct chosen_kernel *kernel, unsigned fits, unsigned kernels,
                      uint64_t all_us, uint32_t max_time_s, struct out *out);

#endif
