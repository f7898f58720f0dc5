/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test of every counter of a CPU, before anything is measured on it: that it keeps what is
 * written, counts the empty window as declared, at CPL 0 and only when told so, carries through all
 * its bits, and reports its overflow. Intel SDM vol. 3B "Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_COUNTERS_CHECK_H
#define BARECOUNT_PMU_COUNTERS_CHECK_H

#include "pmu/base/out.h"
#include "pmu/counters/program.h"

/* The first fault of a counter; counter_check_say() has a sentence for each. */
enum counter_fault {
    COUNTER_RIGHT,
    COUNTER_REFUSES,    /* a register raised #GP */
    COUNTER_WIDTH,      /* CPUID gives a width that no counter has */
    COUNTER_SILENT,     /* counts nothing */
    COUNTER_OTHER_RING, /* counts CPL 0 when told CPL 3, and only then */
    COUNTER_ANY_RING,   /* counts CPL 0 when told CPL 3 as well */
    COUNTER_VARIES,     /* the empty window differs from itself, or, of cycles, has none */
    COUNTER_WINDOW,     /* the empty window is not what it declares */
    COUNTER_FORGETS,    /* does not read back what was written */
    COUNTER_CARRY,      /* does not carry above a bit */
    COUNTER_OVERFLOW,   /* sets another status bit than its own at its overflow */
    COUNTER_UNCLEARED,  /* its status bit stays */
    COUNTER_UNSET,      /* IA32_PERF_GLOBAL_STATUS_SET sets another status bit than its own */
    COUNTER_DISTURBED,  /* a step failed each time, but an SMI or NMI came into each: untold */
    COUNTER_FAULTS
};

struct tested_counter {
    uint8_t fault; /* enum counter_fault */
    uint8_t fixed; /* 1: a fixed counter */
    uint8_t counter;
    uint8_t bit;        /* COUNTER_CARRY: the last that is right; COUNTER_WIDTH: the width */
    uint32_t msr;       /* COUNTER_REFUSES */
    uint64_t low, high; /* what was counted or read, the least and the most */
    uint64_t right;     /* and what is right */
};
_Static_assert(sizeof(struct tested_counter) == 32, "journal layout");

/* Written to the journal as it is. */
struct counter_tests {
    uint32_t cpu;
    uint32_t status;        /* STATUS_OK: the test came to its end */
    uint32_t general_named; /* general counters that answer, of those that CPUID names */
    uint32_t general_kept;  /* of these, the ones that are used */
    uint32_t wrmsr_counted; /* how many of the window's two WRMSRs the counters count */
    uint32_t alias_refused; /* the first IA32_A_PMCx that raised #GP although promised; 0: none */
    uint32_t windows;       /* how many were run */
    uint32_t counters;
    struct tested_counter counter[SLOTS_MAX];
};
_Static_assert(sizeof(struct counter_tests) == 32 + 32 * SLOTS_MAX, "journal layout");

/* Windows of a counter: 33 of one kind, one for each bit, one for its overflow; thrice at most. */
#define COUNTER_WINDOWS_MAX (3u * (33u + 63u + 1u))

/* How the running CPU is reached. Nothing else of it may be using the counters. */
struct counter_port {
    const struct msr_port *msrs;
    void *context;
    /*
     * Opens by one write of `open_value` to `open_msr`, does nothing (`spin`: many cycles' worth),
     * closes by a write of 0. False: a write raised #GP.
     */
    bool (*window)(void *context, uint32_t open_msr, uint64_t open_value, bool spin);
    /* A number that moves when an SMI or an NMI has come: a failed step is repeated then. */
    uint32_t (*disturbances)(void *context);
    uint64_t instructions; /* of the empty window, as declared: without its two WRMSRs */
};

/*
 * Tests the counters that schedule_make() may use; all must be stopped (pmu_take()), and are
 * afterwards, with any contents. General counters that take no write at all, and have none behind
 * them that does, do not exist: they are taken out of *caps. `full_width`: IA32_A_PMCx are
 * promised.
 */
void counter_check(const struct counter_port *port, struct cpu_caps *caps, bool full_width,
                   struct counter_tests *tests);

/* The entry of a slot's counter if it failed, else null. `tests` may be null. */
const struct tested_counter *counter_check_failed(const struct counter_tests *tests,
                                                  const struct slot *slot);

/* The first that failed; null: none. */
const struct tested_counter *counter_check_first(const struct counter_tests *tests);

/* How many failed. */
uint32_t counter_check_failures(const struct counter_tests *tests);

/* "pmc2 failed its test: carries are lost above bit 9" */
void counter_check_say(const struct tested_counter *counter, struct out *out);

/* "pmc2" or "fixed0" */
void counter_name(bool fixed, unsigned counter, struct out *out);

#endif
