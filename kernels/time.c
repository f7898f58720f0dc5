/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates run times of kernels. */
#include "kernels/time.h"
#include "pmu/base/text.h"
#include "pmu/files/param.h"

#define US_PER_S         1000000ull
#define CLEAR_BYTES      2u         /* bytes cleared per unit of window_time; a low estimate */
#define BLOCK_BYTES_EACH 8u         /* bytes a string instruction moves per unit of window_time */
#define NEAR_BYTES       (1u << 20) /* largest buffer assumed to fit in a core's own caches */
#define MORE_BYTES       24u        /* for " and 1023 more" */
#define NAME_BYTES       160u
#define RUN_SECONDS_MAX  600u /* limit of a run without max_time= and runs=; plus noise_us */
#define RUNS_MIN         10u

/* The time per unit of n, in the unit of struct window_time. */
static uint64_t time_of_n(const struct chosen_kernel *kernel, const struct window_time *time,
                          bool shared)
{
    const struct kernel_record *record = kernel->record;
    bool is_far = record->round_of != ROUND_NONE && kernel->use.buffer_bytes > NEAR_BYTES;
    uint64_t each = shared || is_far ? time->each_n_far : time->each_n;
    uint64_t of_block =
        record->round_of == ROUND_BLOCKS ? kernel->use.argument / BLOCK_BYTES_EACH : 0;

    return of_block > each ? of_block : each;
}

uint64_t kernel_time_us(const struct chosen_kernel *kernel, const struct window_time *time,
                        uint64_t windows, bool shared, uint64_t picoseconds_per_instruction)
{
    uint64_t of_window = time->around + time_of_n(kernel, time, shared) * kernel->use.n;
    uint64_t window_ns = of_window * picoseconds_per_instruction / 1000;
    uint64_t clear_ns = kernel->use.buffer_bytes / CLEAR_BYTES * picoseconds_per_instruction / 1000;

    return (windows * window_ns + clear_ns) / 1000;
}

static unsigned kernels_in_time(unsigned kernels, uint64_t bound_us,
                                uint64_t (*run_us)(void *context, unsigned kernels), void *context)
{
    unsigned fit = 1, too_many = kernels + 1;

    while (too_many - fit > 1) {
        unsigned middle = fit + (too_many - fit) / 2;

        if (run_us(context, middle) <= bound_us)
            fit = middle;
        else
            too_many = middle;
    }
    return fit;
}

unsigned time_fit(struct plan *plan, unsigned kernels, uint64_t noise_us,
                  uint64_t (*run_us)(void *context, unsigned kernels), void *context,
                  uint64_t *all_us)
{
    const bool is_bounded = plan->max_time_s > 0;
    const uint64_t bound_us =
        is_bounded ? plan->max_time_s * US_PER_S : RUN_SECONDS_MAX * US_PER_S + noise_us;

    *all_us = run_us(context, kernels);
    while (!plan->runs_given && *all_us > bound_us && plan->runs > RUNS_MIN) {
        plan->runs = plan->runs / 2 > RUNS_MIN ? plan->runs / 2 : RUNS_MIN;
        *all_us = run_us(context, kernels);
    }
    if (!is_bounded || *all_us <= bound_us || kernels <= 1)
        return kernels;
    return kernels_in_time(kernels, bound_us, run_us, context);
}

/*
 * Rounds up to the smallest unit that time_words() shows, so that a time above the limit does not
 * look equal to the limit.
 */
static uint64_t up_to_what_is_shown(uint64_t us)
{
    uint64_t step = us >= 3600 * US_PER_S  ? 60 * US_PER_S
                    : us >= 120 * US_PER_S ? US_PER_S
                                           : 100000;

    return (us + step - 1) / step * step;
}

void kernels_left_out(const struct chosen_kernel *kernel, unsigned fits, unsigned kernels,
                      uint64_t all_us, uint32_t max_time_s, struct out *out)
{
    char all[TIME_WORDS_BYTES], most[TIME_WORDS_BYTES];
    unsigned at = fits, more = kernels - fits;

    time_words(up_to_what_is_shown(all_us), true, all);
    time_words(max_time_s * US_PER_S, false, most);
    out_printf(out,
               "max_time: %u of %u kernels %s left out, because all would take an estimated "
               "%s, not %s: ",
               more, kernels, more == 1 ? "is" : "are", all, most);
    for (; at < kernels; at++) {
        struct known_kernel known;
        char name[NAME_BYTES];
        struct out said = out_buffer(name, sizeof(name));

        chosen_describe(&kernel[at], &known);
        param_say(&known, &said);
        if (out->used + said.used + MORE_BYTES > NOTE_BYTES)
            break;
        out_printf(out, "%s%s", at > fits ? ", " : "", out_end(&said));
    }
    if (at < kernels)
        out_printf(out, "%s%u more", at > fits ? " and " : "", kernels - at);
}
