/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests a CPU's counters. */
#include "pmu/counters/errata.h"
#include "pmu/counters/trial.h"
#include "pmu/cpu/msr.h"

#define TRIES_MAX     3u
#define WRMSR_MAX     2u
#define WRMSR_DEFAULT 1u /* Intel's cores count only the WRMSR that closes the window */
#define WIDTH_MIN     32u
#define WIDTH_MAX     63u

/* Whether the CPU has AMD's erratum that occasionally makes a count of instructions too high. */
static bool overcounts(const struct cpu_caps *caps)
{
    static const struct event INSTRUCTIONS = {.select = SELECT_INSTRUCTIONS};

    return caps->vendor == VENDOR_AMD && event_erratum(&INSTRUCTIONS, caps, false);
}

/*
 * Runs a step of a counter's test. A failed step is repeated if an SMI, NMI or machine check
 * disturbed it, or if the CPU overcounts. trial_count_alike() is repeated after any disturbance,
 * even if it passed, because trial_count_right() judges the count that trial_count_alike() stored.
 * If no attempt is conclusive, the fault is COUNTER_DISTURBED.
 */
static void attempt(struct trial *trial, struct tested_counter *counter,
                    bool (*step)(struct trial *trial))
{
    trial->counter = counter;
    if (counter->fault != COUNTER_RIGHT)
        return;
    for (unsigned i = 0; i < trial->tries; i++) {
        uint32_t before = trial->port->disturbances(trial->port->context);
        bool passed, calm;

        counter->fault = COUNTER_RIGHT;
        passed = step(trial);
        calm = trial->port->disturbances(trial->port->context) == before;
        if (passed && (calm || step != trial_count_alike))
            return;
        if (calm && (!trial->overcounts || i + 1 == TRIES_MAX))
            return;
    }
    counter->fault = COUNTER_DISTURBED;
    trial->tries = 1; /* with frequent SMIs, retries could take seconds */
}

/*
 * Removes counters that do not exist from the end of the list of general counters. If no general
 * counter exists, keeps the list, so that the counters' tests fail.
 */
static void keep_existing(struct trial *trial, struct cpu_caps *caps)
{
    unsigned kept = caps->gp_count;

    while (kept > 0 && (caps->gp_absent >> (kept - 1) & 1 || !trial_exists(trial, kept - 1)))
        kept--;
    trial->tests->general_named = caps_general_count(caps);
    if (kept > 0)
        caps->gp_count = kept;
    trial->tests->general_kept = caps_general_count(caps);
}

static void list_counters(const struct cpu_caps *caps, struct counter_tests *tests)
{
    uint32_t general = schedule_general(caps);

    for (unsigned i = 0; i < FIXED_COUNTERS_MAX; i++)
        if (caps->fixed_map >> i & 1)
            tests->counter[tests->counters++] =
                (struct tested_counter){.fixed = 1, .counter = (uint8_t)i};
    for (unsigned i = 0; i < caps->gp_count; i++)
        if (general >> i & 1)
            tests->counter[tests->counters++] = (struct tested_counter){.counter = (uint8_t)i};
    for (unsigned i = 0; i < tests->counters; i++) {
        struct tested_counter *counter = &tests->counter[i];
        uint32_t width = counter->fixed ? caps->fixed_width_bits : caps->gp_width_bits;

        counter->bit = (uint8_t)width;
        if (width < WIDTH_MIN || width > WIDTH_MAX)
            counter->fault = COUNTER_WIDTH;
    }
}

/*
 * How many of a window's two WRMSRs are counted. At least two counters that count instructions must
 * agree; otherwise the result is WRMSR_DEFAULT. pmu/journal/view.c has the same rule.
 */
static uint32_t wrmsr_counted(const struct counter_tests *tests, uint64_t cost)
{
    uint64_t above = WRMSR_DEFAULT;
    unsigned agreeing = 0;

    for (unsigned i = 0; i < tests->counters; i++) {
        const struct tested_counter *counter = &tests->counter[i];

        if (counter->fault != COUNTER_RIGHT || !counts_instructions(counter))
            continue;
        if (agreeing > 0 && counter->low - cost != above)
            return WRMSR_DEFAULT;
        above = counter->low - cost;
        agreeing++;
    }
    return agreeing >= 2 && above <= WRMSR_MAX ? (uint32_t)above : WRMSR_DEFAULT;
}

static bool has_aliases(struct trial *trial)
{
    const struct msr_port *msrs = trial->port->msrs;
    uint64_t value;

    for (unsigned i = 0; i < trial->caps->gp_count; i++)
        if (caps_general(trial->caps) >> i & 1 &&
            !msrs->read(msrs->context, pmu_full_width_msr(trial->layout, i), &value)) {
            trial->tests->alias_refused = pmu_full_width_msr(trial->layout, i);
            return false;
        }
    return true;
}

void counter_check(const struct counter_port *port, struct cpu_caps *caps, bool full_width,
                   struct counter_tests *tests)
{
    static bool (*const STEPS[])(struct trial *) = {
        trial_count_right, trial_count_no_user, trial_keep_patterns, trial_carry, trial_overflow};
    struct trial trial = {
        .port = port, .caps = caps, .layout = pmu_layout(caps), .tests = tests, .tries = TRIES_MAX};

    trial.overcounts = overcounts(caps);
    keep_existing(&trial, caps);
    trial.full_width = full_width && has_aliases(&trial);
    list_counters(caps, tests);
    for (unsigned i = 0; i < tests->counters; i++)
        if (counts_always(&tests->counter[i]))
            attempt(&trial, &tests->counter[i], trial_count_alike);
    tests->wrmsr_counted = wrmsr_counted(tests, port->instructions);
    trial.instructions = port->instructions + tests->wrmsr_counted;
    for (unsigned i = 0; i < tests->counters; i++)
        for (unsigned s = 0; s < sizeof(STEPS) / sizeof(STEPS[0]); s++)
            if (counts_always(&tests->counter[i]) || STEPS[s] == trial_keep_patterns)
                attempt(&trial, &tests->counter[i], STEPS[s]);
}
