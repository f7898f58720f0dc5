/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as read from its journal, with everything needed to make rows from a result. Views are used
 * for the console during a run, for the files at the end of a run, and for interrupted runs.
 */
#ifndef BARECOUNT_PMU_JOURNAL_VIEW_H
#define BARECOUNT_PMU_JOURNAL_VIEW_H

#include "pmu/journal/journal.h"
#include "pmu/journal/record.h"

#define KERNELS_MAX   1024u
#define VIEW_CPUS_MAX 1024u

/* The range of a slot's counts in the clean samples of the empty window. */
struct baseline {
    uint32_t samples; /* 0: not calibrated */
    int64_t min;
    int64_t max;
};

struct view {
    const struct run_record *run;
    const struct known_kernel *kernel[KERNELS_MAX]; /* null: invalid record */
    unsigned kernels;
    const struct cpu_record *cpu; /* the last CPU's record; null: not seen yet, or invalid */
    /* Records of the last CPU; null: not seen yet, or invalid. */
    const struct event *event;
    const char *reasons;                /* RECORD_REASONS; also null if no event has an error */
    const struct schedule *schedule;    /* only its used passes */
    const struct counter_tests *tests;  /* also null if its counters were not tested */
    const struct cpu_state *state;      /* also null under Linux, or if the CPU did not answer */
    const struct uncore_record *uncore; /* also null if another CPU counts for the package */
    const struct result *calibration;
    unsigned events;
    /*
     * How many of the two instructions that open and close the window are counted as retired. On
     * bare metal, the two instructions are the window's WRMSRs; under Linux, at CPL 3, they are the
     * SYSRET of the system call that opens it and the SYSCALL that closes it.
     */
    uint32_t edges_counted;
    bool iret_usr;             /* the IRETQ that enters a kernel at CPL 3 is counted at CPL 3 */
    const struct noise *noise; /* the last noise certificate; null: none yet, or invalid */
    const struct next *next;   /* the kernel that has begun and has no result yet; null: none */
    const struct phase *phase; /* the last phase, if only NOTEs follow it; else null */
    const struct end_record *end;
    uint32_t cpu_at[VIEW_CPUS_MAX]; /* offset of each CPU's record in the journal; 0: not seen */
    int64_t *scratch;               /* room for scratch_count values */
    size_t scratch_count;
};

void view_start(struct view *view, int64_t *scratch, size_t scratch_count);

/*
 * Adds the record just returned by journal_next() to the view. Returns a valid result of a kernel,
 * from which rows can be made, or null for every other record.
 */
const struct result *view_take(struct view *view, const struct journal_cursor *cursor,
                               const struct journal_head *head);

/* The number of samples rejected for a slot, and all the evidence against them. */
struct rejected {
    uint32_t count;
    uint32_t evidence;
    uint32_t by_clock; /* samples rejected only for EVIDENCE_OF_CLOCK */
    uint32_t limits;   /* limit reasons of the samples counted in by_clock */
};

/*
 * Stores in view->scratch a slot's values from the accepted samples of one pass and one kind (n or
 * 2n), and returns the number of values, at most scratch_count. `rejected` may be null.
 */
size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, struct rejected *rejected);

/* The text about an event in RECORD_REASONS of the view's CPU; null: none. */
const char *view_reason(const struct view *view, unsigned event);

#define COLD_RUNS_MAX 2u /* with more runs, one cold run does not change the median */

/*
 * Whether a kernel may have been measured before it had gone through its whole buffer or pattern.
 * True if n is smaller than the kernel's `round`, or if `round` exceeds 1 and there were only one
 * or two runs and no warm-up.
 */
static inline bool view_is_cold(const struct view *view, const struct known_kernel *kernel)
{
    return kernel->n < kernel->round ||
           (kernel->round > 1 && view->run->warmup == 0 && view->run->runs <= COLD_RUNS_MAX);
}

/* Whether the view's CPU reports overflows. PMU version 1 has no status register for overflows. */
static inline bool view_tells_overflow(const struct view *view)
{
    return view->cpu->caps.pmu_version >= 2;
}

/* The `slot` argument of view_values() for the time stamp. */
#define SLOT_TSC SLOTS_MAX

/* Whether a slot counts time or cycles, for which EVIDENCE_OF_TIME rejects samples. */
bool view_is_of_time(const struct view *view, unsigned pass, unsigned slot);

/* Whether an event can count the instructions that open and close the window. */
bool view_counts_edges(const struct view *view, const struct event *event);

/*
 * Whether the window's cost for an event is declared. The cost is declared for each event for which
 * kernels can declare a count, with two exceptions. Under Linux, events at CPL 0 have no declared
 * cost, because the path into and out of Linux is not constant. On bare metal, if the kernel runs
 * at CPL 3, loads and stores have no declared cost, because IRETQ and INT access the stack and
 * tables, and no manual says which of these accesses count.
 */
bool view_declares_cost(const struct view *view, const struct event *event);

/*
 * The window's declared cost for an event, without the instructions that open and close the window:
 * see view->edges_counted.
 */
int64_t view_declared_cost(const struct view *view, const struct event *event);

/* The counts of the empty window in a slot of a pass. Uses view->scratch. */
struct baseline view_baseline(const struct view *view, unsigned pass, unsigned slot);

/* Like view_baseline(), but also sets *rejected, which describes the rejected samples. */
struct baseline view_baseline_rejecting(const struct view *view, unsigned pass, unsigned slot,
                                        struct rejected *rejected);

/*
 * By how much the count of the empty window in a slot of a pass exceeds the declared count, if the
 * microcode of WRMSR may be the cause; otherwise 0. The excess must be 1 or 2, and the same in all
 * samples of both calibrations (the kernel of the second calibration executes an additional CALL
 * and RET). The event must be counted at CPL 0, must have a declared cost, must not be speculative
 * (EVENT_AT_LEAST), and must not be an event of instructions. Its counter must not have failed its
 * test. With method=deltas, the result is 0. Uses view->scratch.
 */
int64_t view_microcode(const struct view *view, unsigned pass, unsigned slot);

/* For view_take.c: sets the calibration of the view's CPU. Null: it has none; defaults apply. */
void view_calibrate(struct view *view, const struct result *calibration);

#endif
