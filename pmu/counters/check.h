/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the counters of a CPU that a schedule may use, before the CPU measures anything. Each
 * counter must keep what is written to it, carry through all its bits and, from PMU version 2 on,
 * report its overflow. In the empty window, a counter configured for CPL 0 must count the declared
 * number of instructions or, if it counts cycles or slots, at least one. A counter configured for
 * CPL 3 must count nothing. The fixed counters of top-down analysis need only keep what is written.
 * Intel SDM vol. 3B "Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_COUNTERS_CHECK_H
#define BARECOUNT_PMU_COUNTERS_CHECK_H

#include "pmu/base/out.h"
#include "pmu/counters/program.h"

/* The first fault of a counter, which counter_check_say() describes. */
enum counter_fault {
    COUNTER_RIGHT,
    COUNTER_REFUSES,    /* a register raised #GP */
    COUNTER_WIDTH,      /* CPUID gives an impossible width */
    COUNTER_SILENT,     /* counts nothing */
    COUNTER_OTHER_RING, /* counts at CPL 0 if set to CPL 3, but not if set to CPL 0 */
    COUNTER_ANY_RING,   /* counts at CPL 0 even if configured for CPL 3 */
    COUNTER_VARIES,     /* instruction counts of equal windows differ, or a count of cycles is 0 */
    COUNTER_WINDOW,     /* the empty window's count is not as declared */
    COUNTER_FORGETS,    /* a read does not return what was written */
    COUNTER_CARRY,      /* carries are lost above a bit */
    COUNTER_OVERFLOW,   /* the overflow does not set exactly the counter's own status bit */
    COUNTER_UNCLEARED,  /* the counter's status bit cannot be cleared */
    COUNTER_UNSET,      /* IA32_PERF_GLOBAL_STATUS_SET cannot set the counter's status bit alone */
    COUNTER_DISTURBED,  /* undecided: no attempt at a step was conclusive; see attempt() */
    COUNTER_FAULTS
};

struct tested_counter {
    uint8_t fault; /* enum counter_fault */
    uint8_t fixed; /* 1: a fixed counter */
    uint8_t counter;
    uint8_t bit;        /* COUNTER_CARRY: the last good bit; COUNTER_WIDTH: the width */
    uint32_t msr;       /* COUNTER_REFUSES: the register that raised #GP */
    uint64_t low, high; /* range of the values that were counted or read */
    uint64_t right;     /* the correct value */
};
_Static_assert(sizeof(struct tested_counter) == 32, "journal layout");

/* Stored in journals. */
struct counter_tests {
    uint32_t cpu;
    uint32_t status;        /* STATUS_OK if the test is complete */
    uint32_t general_named; /* how many of CPUID's general counters do not raise #GP */
    uint32_t general_kept;  /* how many of these remain after keep_existing() in check.c */
    uint32_t wrmsr_counted; /* how many of a window's two WRMSRs are counted */
    uint32_t alias_refused; /* the first IA32_A_PMCx that raised #GP; 0: none */
    uint32_t windows;       /* how many windows the test ran */
    uint32_t counters;
    struct tested_counter counter[SLOTS_MAX];
};
_Static_assert(sizeof(struct counter_tests) == 32 + 32 * SLOTS_MAX, "journal layout");

/*
 * The most windows that the test of a counter runs. Each of three attempts runs 33 windows in which
 * the counter starts from 0, one window for each bit, and one window for the overflow.
 */
#define COUNTER_WINDOWS_MAX (3u * (33u + 63u + 1u))

/* Access to the current CPU. Nothing else may use the CPU's counters. */
struct counter_port {
    const struct msr_port *msrs;
    void *context;
    /*
     * Runs an empty window. Writes `open_value` to `open_msr` to open the window, and 0 to close
     * it. If `spin`, the window takes many cycles. False if a write raised #GP.
     */
    bool (*window)(void *context, uint32_t open_msr, uint64_t open_value, bool spin);
    /* Waits at least 1 us, which is many ticks of the slowest reference clock. */
    void (*wait)(void *context);
    /* A number that each SMI, NMI or machine check changes. */
    uint32_t (*disturbances)(void *context);
    uint64_t instructions; /* number retired in the empty window, without its two WRMSRs */
};

/*
 * Tests the counters that schedule_make() may use. All counters must be stopped, as pmu_take()
 * leaves them. counter_check() also leaves all counters stopped, with undefined contents. If the
 * last general counters cannot be written, although others can, the function concludes that they do
 * not exist, and removes them from *caps. `full_width` says whether IA32_PERF_CAPABILITIES promises
 * IA32_A_PMCx.
 */
void counter_check(const struct counter_port *port, struct cpu_caps *caps, bool full_width,
                   struct counter_tests *tests);

/*
 * The result in `tests` for a slot's counter if that counter failed, else null. `tests` may be
 * null.
 */
const struct tested_counter *counter_check_failed(const struct counter_tests *tests,
                                                  const struct slot *slot);

/* The first counter that failed; null if none failed. */
const struct tested_counter *counter_check_first(const struct counter_tests *tests);

/* The number of counters that failed. */
uint32_t counter_check_failures(const struct counter_tests *tests);

/* Writes "pmc2 failed its test: carries are lost above bit 9". */
void counter_check_say(const struct tested_counter *counter, struct out *out);

/* Writes "pmc2" or "fixed0". */
void counter_name(bool fixed, unsigned counter, struct out *out);

#endif
