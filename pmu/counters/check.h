/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the counters of a CPU before it measures. Each counter must keep what is written, carry
 * through all its bits and, from PMU version 2 on, report its overflow. In the empty window, a
 * counter set to CPL 0 must count the declared number of instructions; a fixed counter of cycles or
 * slots must count at least one cycle or slot. A counter set to CPL 3 must count nothing. The fixed
 * counters of top-down analysis need only keep what is written.
 */
#ifndef BARECOUNT_PMU_COUNTERS_CHECK_H
#define BARECOUNT_PMU_COUNTERS_CHECK_H

#include "pmu/base/out.h"
#include "pmu/counters/program.h"

/* counter_check_say() describes these faults. */
enum counter_fault {
    COUNTER_RIGHT,
    COUNTER_REFUSES,    /* a register raised #GP */
    COUNTER_WIDTH,      /* impossible width in CPUID */
    COUNTER_SILENT,     /* counts nothing */
    COUNTER_OTHER_RING, /* counts at CPL 0 only if set to CPL 3 */
    COUNTER_ANY_RING,   /* counts at CPL 0 even if set to CPL 3 */
    COUNTER_VARIES,
    COUNTER_WINDOW,
    COUNTER_FORGETS,
    COUNTER_CARRY,
    COUNTER_OVERFLOW,
    COUNTER_UNCLEARED,
    COUNTER_UNSET,
    COUNTER_DISTURBED, /* no attempt was conclusive */
    COUNTER_FAULTS
};

struct tested_counter {
    uint8_t fault; /* enum counter_fault */
    uint8_t fixed; /* 1: a fixed counter */
    uint8_t counter;
    uint8_t bit;        /* COUNTER_CARRY: the last good bit; COUNTER_WIDTH: the width */
    uint32_t msr;       /* COUNTER_REFUSES: the register that raised #GP */
    uint64_t low, high; /* range of counted or read values */
    uint64_t right;     /* the correct value */
};
_Static_assert(sizeof(struct tested_counter) == 32, "journal layout");

/* Stored in journals. */
struct counter_tests {
    uint32_t cpu;
    uint32_t status;        /* STATUS_OK: the test is complete */
    uint32_t general_named; /* number of CPUID's general counters that do not raise #GP */
    uint32_t general_kept;  /* how many of them are used: see keep_existing() */
    uint32_t wrmsr_counted; /* how many of a window's two WRMSRs are counted */
    uint32_t alias_refused; /* the first IA32_A_PMCx that raised #GP; 0: none */
    uint32_t windows;       /* number of windows that the test ran */
    uint32_t counters;
    struct tested_counter counter[SLOTS_MAX];
};
_Static_assert(sizeof(struct counter_tests) == 32 + 32 * SLOTS_MAX, "journal layout");

/*
 * The most windows in the test of a counter: three attempts, each with 33 windows that start from a
 * count of 0, one window for each bit, and one for the overflow.
 */
#define COUNTER_WINDOWS_MAX (3u * (33u + 63u + 1u))

struct counter_port {
    const struct msr_port *msrs;
    void *context;
    /*
     * Runs an empty window, opened by writing `open_value` to `open_msr` and closed by writing 0.
     * `spin`: the window takes many cycles. False after a #GP.
     */
    bool (*window)(void *context, uint32_t open_msr, uint64_t open_value, bool spin);
    /* Waits at least 1 us, which is many ticks of any reference clock. */
    void (*wait)(void *context);
    /* A number that each SMI, NMI or machine check changes. */
    uint32_t (*disturbances)(void *context);
    uint64_t instructions; /* retired in the empty window, without its WRMSRs */
};

/*
 * Tests the counters that schedule_make() may use; nothing else may use these counters during the
 * test. The counters must be stopped before the call; after it they are stopped too, and their
 * contents are undefined. General counters that cannot be written are removed from the end of the
 * list in *caps, unless no general counter can be written. `full_width`: IA32_PERF_CAPABILITIES
 * announces IA32_A_PMCx.
 */
void counter_check(const struct counter_port *port, struct cpu_caps *caps, bool full_width,
                   struct counter_tests *tests);

/* The test of a slot's counter if the counter failed, else null. `tests` may be null. */
const struct tested_counter *counter_check_failed(const struct counter_tests *tests,
                                                  const struct slot *slot);

/* The first counter that failed, or null. */
const struct tested_counter *counter_check_first(const struct counter_tests *tests);

/* How many counters failed. */
uint32_t counter_check_failures(const struct counter_tests *tests);

/* Writes "pmc2 failed its test: carries are lost above bit 9". */
void counter_check_say(const struct tested_counter *counter, struct out *out);

/* Writes "pmc2" or "fixed0". */
void counter_name(bool fixed, unsigned counter, struct out *out);

#endif
