/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as read from its journal, with all that is needed to make rows from a result. */
#ifndef BARECOUNT_PMU_JOURNAL_VIEW_H
#define BARECOUNT_PMU_JOURNAL_VIEW_H

#include "pmu/base/piece.h"
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
    const struct cpu_record *cpu; /* null: none yet */
    /* Records of the last CPU; null: not seen yet, or invalid. */
    const struct event *event;
    const char *reasons;                /* RECORD_REASONS */
    struct piece trust;                 /* RECORD_TRUST; empty: none */
    const struct schedule *schedule;    /* only its used passes */
    const struct counter_tests *tests;  /* null: not tested */
    const struct cpu_state *state;      /* also null under Linux, or if the CPU did not answer */
    const struct uncore_record *uncore; /* also null if another CPU counts for the package */
    const struct result *calibration;
    unsigned events;
    /*
     * How many of the two instructions that open and close the window are counted as retired. These
     * two instructions are WRMSRs or, under Linux at CPL 3, the SYSRET that opens the window and
     * the SYSCALL that closes it.
     */
    uint32_t edges_counted;
    bool iret_usr;             /* the IRETQ that enters a kernel at CPL 3 is counted at CPL 3 */
    const struct noise *noise; /* the last certificate; null: none */
    const struct next *next;   /* the kernel that has no result yet; null: none */
    const struct phase *phase; /* the last phase, if only NOTEs follow it; else null */
    const struct end_record *end;
    uint32_t cpu_at[VIEW_CPUS_MAX]; /* record's offset; 0: none */
    int64_t *scratch;               /* for scratch_count values */
    size_t scratch_count;
};

void view_start(struct view *view, int64_t *scratch, size_t scratch_count);

/* Adds the record that journal_next() just returned. Returns a kernel's valid result, or null. */
const struct result *view_take(struct view *view, const struct journal_cursor *cursor,
                               const struct journal_head *head);

struct rejected {
    uint32_t count;
    uint32_t evidence;
    uint32_t by_clock; /* rejected only for EVIDENCE_OF_CLOCK */
    uint32_t limits;   /* sample.limits of the samples in by_clock, ORed */
};

/*
 * Stores a slot's accepted values of one pass and kind (n or 2n) in view->scratch. Returns the
 * number of values, at most scratch_count. `rejected` may be null.
 */
size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, struct rejected *rejected);

/* What a kernel declares for an event. Its kind is EXPECT_NOTHING if it declares nothing. */
struct expect view_expect(const struct known_kernel *kernel, const struct event *event);

/* The text about an event in RECORD_REASONS; null: none. */
const char *view_reason(const struct view *view, unsigned event);

#define COLD_RUNS_MAX 2u /* with more runs, one cold run does not change the median */

/*
 * Whether a kernel may have been measured before it had gone through its whole buffer or pattern.
 */
static inline bool view_is_cold(const struct view *view, const struct known_kernel *kernel)
{
    return kernel->n < kernel->round ||
           (kernel->round > 1 && view->run->warmup == 0 && view->run->runs <= COLD_RUNS_MAX);
}

/* PMU version 1 has no status register for overflows. */
static inline bool view_tells_overflow(const struct view *view)
{
    return view->cpu->caps.pmu_version >= 2;
}

/* The `slot` of view_values() for the time stamp. */
#define SLOT_TSC SLOTS_MAX

/* Whether a slot counts time or cycles, for which EVIDENCE_OF_TIME rejects samples. */
bool view_is_of_time(const struct view *view, unsigned pass, unsigned slot);

/* Whether an event can count the instructions that open and close the window. */
bool view_counts_edges(const struct view *view, const struct event *event);

/*
 * Whether the window's cost for an event is declared. The cost is not declared at CPL 0 under
 * Linux, because the path into and out of Linux varies. The cost of loads and stores is not
 * declared either if kernels run at CPL 3 on bare metal, because no manual says which accesses of
 * IRETQ and INT count. The cost of properties is declared only for kernels at CPL 0 on bare metal.
 */
bool view_declares_cost(const struct view *view, const struct event *event);

/* The window's declared cost, without the instructions that open and close the window. */
int64_t view_declared_cost(const struct view *view, const struct event *event);

/* The counts of the empty window in a slot. Uses view->scratch. */
struct baseline view_baseline(const struct view *view, unsigned pass, unsigned slot);

/* Like view_baseline(), but also sets *rejected, which describes the rejected samples. */
struct baseline view_baseline_rejecting(const struct view *view, unsigned pass, unsigned slot,
                                        struct rejected *rejected);

/*
 * The excess of the empty window's count over the declared cost if WRMSR's microcode may be the
 * cause; else 0. The excess must be 1 or 2 in all samples of both calibrations, and the same on all
 * counters of the event. (The second calibration executes one more CALL and RET.) Uses
 * view->scratch.
 */
int64_t view_microcode(const struct view *view, unsigned pass, unsigned slot);

/* For view_take.c: sets the calibration of the view's CPU. Null: none; defaults apply. */
void view_calibrate(struct view *view, const struct result *calibration);

#endif
