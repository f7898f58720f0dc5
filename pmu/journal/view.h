/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as its journal tells it: what has to be at hand to make rows of a result. The same view
 * serves the console while the run goes on, the files at its end, and the rendering of a run that
 * was cut off.
 */
#ifndef BARECOUNT_PMU_JOURNAL_VIEW_H
#define BARECOUNT_PMU_JOURNAL_VIEW_H

#include "pmu/journal/journal.h"
#include "pmu/journal/record.h"

#define KERNELS_MAX   1024u
#define VIEW_CPUS_MAX 1024u

/* What the empty window counted in a slot, its clean samples alone. */
struct baseline {
    uint32_t samples; /* 0: it could not be calibrated */
    int64_t min;
    int64_t max;
};

struct view {
    const struct run_record *run;
    const struct known_kernel *kernel[KERNELS_MAX]; /* null: a record that cannot be right */
    unsigned kernels;
    const struct cpu_record *cpu; /* the last one seen; null when it cannot be right */
    /* Of that CPU; null: not seen yet, or not right. */
    const struct event *event;
    const char *reasons; /* RECORD_REASONS; null, too, when the plan is right about all */
    const struct schedule *schedule;    /* its passes alone */
    const struct counter_tests *tests;  /* null, too, when its counters were not tested */
    const struct cpu_state *state;      /* null, too, when the plan has no [state] */
    const struct uncore_record *uncore; /* null, too, when it does not count for its package */
    const struct result *calibration;
    unsigned events;
    /* How many of the two instructions that open and close the window this CPU counts as retired:
     * of bare metal its WRMSRs, of Linux the SYSCALL into it and the way out of it, at CPL 3. */
    uint32_t edges_counted;
    const struct noise *noise; /* the last one seen; null when it cannot be right */
    const struct next *next;   /* what was begun and has no result yet; null: nothing */
    const struct end_record *end;
    uint32_t cpu_at[VIEW_CPUS_MAX]; /* where each CPU's record stands in the journal; 0: not seen */
    int64_t *scratch;               /* room for scratch_count values */
    size_t scratch_count;
};

void view_start(struct view *view, int64_t *scratch, size_t scratch_count);

/*
 * Takes the record that journal_next() has just read into the view. Returns a result that is ready
 * to be made into rows, or null for any other record.
 */
const struct result *view_take(struct view *view, const struct journal_cursor *cursor,
                               const struct journal_head *head);

/* The samples that were rejected for a slot, and all the evidence against them. */
struct rejected {
    uint32_t count;
    uint32_t evidence;
};

/*
 * The accepted values of a slot in a pass into view->scratch, of the given kind; how many there
 * are. `rejected` may be null.
 */
size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, struct rejected *rejected);

/* What RECORD_REASONS says of an event of the view's CPU; null: nothing. */
const char *view_reason(const struct view *view, unsigned event);

#define COLD_RUNS_MAX 2u /* a cold first run does not change the median of more */

/*
 * Whether a kernel that walks a buffer, or repeats a pattern, ran without going through all of it
 * before: its n is less than a round, or no run came before the only one or two that count.
 */
static inline bool view_is_cold(const struct view *view, const struct known_kernel *kernel)
{
    return kernel->n < kernel->round ||
           (kernel->round > 1 && view->run->warmup == 0 && view->run->runs <= COLD_RUNS_MAX);
}

/* Whether the view's CPU tells which counters overflowed: version 1 has no status register. */
static inline bool view_tells_overflow(const struct view *view)
{
    return view->cpu->caps.pmu_version >= 2;
}

/* `slot` of view_values() for the time stamp. */
#define SLOT_TSC SLOTS_MAX

/* Whether a slot counts time or cycles, which EVIDENCE_OF_TIME rejects samples for. */
bool view_is_of_time(const struct view *view, unsigned pass, unsigned slot);

/* Whether an event counts what opens and closes the window, as far as a core does. */
bool view_counts_edges(const struct view *view, const struct event *event);

/*
 * Whether the window's cost for an event is declared. Of retired events it is, but for Linux' own
 * way in and out, at CPL 0: that is no constant.
 */
bool view_declares_cost(const struct view *view, const struct event *event);

/* The declared cost, without what view->edges_counted says. */
int64_t view_declared_cost(const struct view *view, const struct event *event);

/* What the empty window counted in a slot of a pass. Uses view->scratch. */
struct baseline view_baseline(const struct view *view, unsigned pass, unsigned slot);

/* For view_take.c: takes the calibration of the view's CPU; null: there is none, and only defaults
 * are known. */
void view_calibrate(struct view *view, const struct result *calibration);

#endif
