/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trust map of a CPU: how each counter counts each event, judged by kernels that declare their
 * counts. docs/trust-map.md describes the kinds.
 */
#ifndef BARECOUNT_PMU_VERDICTS_TRUST_H
#define BARECOUNT_PMU_VERDICTS_TRUST_H

#include "pmu/verdicts/rows.h"

/* trust_is_right() and trust_is_wrong() depend on this order. */
enum trust_kind {
    TRUST_EXACT,
    TRUST_WITHIN,
    TRUST_AT_LEAST,
    TRUST_LINE, /* "factor 2", "constant +1" or both */
    TRUST_ANOTHER,
    TRUST_DEAD,
    TRUST_VARIES,
    TRUST_UNEXPLAINED,
    TRUST_REJECTED, /* the counts are right, but a row failed */
    TRUST_UNKNOWN,
    TRUST_UNDECLARED, /* no kernel declares the event's count */
    TRUST_NOT_COUNTED,
    TRUST_NOTHING, /* the map leaves this event out, for example an uncore event */
    TRUST_KINDS,
};

static inline bool trust_is_right(enum trust_kind kind)
{
    return kind <= TRUST_AT_LEAST;
}

static inline bool trust_is_wrong(enum trust_kind kind)
{
    return kind > TRUST_AT_LEAST && kind < TRUST_UNKNOWN;
}

/* What one kernel declares, and its lowest and highest sample. */
struct trust_point {
    uint32_t kernel; /* index in the view */
    struct expect expect;
    int64_t least, most;
};

/* The line through a pair's first two points that have different declared counts. */
struct trust_line {
    int64_t low[2], count[2]; /* these two points: declared counts, and lowest samples */
    unsigned points;          /* number of points with different declared counts, up to 3 */
    bool is_broken;           /* a point is not on the line */
};

/* A pair's counts beside what the kernels declare for another kind of event. */
struct trust_other {
    int64_t count;        /* lowest sample of the first of these kernels */
    int8_t offset;        /* by how much all lowest samples are above the declared counts */
    bool refuted;         /* this excess differs between kernels, or is too large */
    bool differs;         /* a kernel does not declare the same count as for the pair's event */
    bool counts_differ;   /* lowest samples differ */
    uint8_t kernels;      /* number of kernels that declare both events, up to 2 */
    uint16_t last_kernel; /* the last of them, as in trust.first_kernel */
};

struct trust_pair {
    const struct event *event;
    struct slot slot;
    bool has_slot;
    enum trust_kind kind; /* valid after trust_judge() */
    uint32_t points;
    /* is_open: a kernel declares no upper bound. is_range: a kernel declares no exact count. */
    bool is_open, is_range;
    bool varies;        /* samples of one kernel differ */
    bool counts_differ; /* lowest samples of two kernels differ */
    bool is_constant;   /* all lowest samples are the declared counts plus a constant */
    bool is_undeclared; /* there are samples of a kernel that declares nothing */
    struct trust_line line;
    uint8_t kernels[KERNELS_MAX / 8]; /* bit i: there is a point of kernel i */
    uint64_t error;                   /* largest distance of a sample from the declared count */
    /* The kernel with the largest error; without an error, the kernel that `reason` is about. */
    struct trust_point point;
    enum verdict verdict; /* verdict of the lost or failing row that `reason` is from */
    /* is_lost: a row has no samples. has_failed: a row that has samples fails. */
    bool is_lost, has_failed;
    char reason[REASON_BYTES]; /* why a row is lost, fails or is unavailable */
    unsigned another; /* for TRUST_ANOTHER: event_declares() of the event that is counted */
    struct trust_other other[PROPERTY_NUMBERS]; /* by event_declares() */
};

/* Too large (3 MiB) for a stack. */
struct trust {
    const struct known_kernel *const *kernel; /* array of the view */
    const struct cpu_record *cpu;
    const struct event *event; /* array of the CPU's events */
    unsigned events;
    unsigned kernels;
    uint16_t first_kernel[KERNELS_MAX]; /* index of the first entry of the same kernel */
    uint16_t first[EVENTS_MAX];         /* index of the first event with the same name up to `@` */
    uint16_t named[PROPERTY_NUMBERS];   /* index of the first event that counts it; else `events` */
    struct trust_pair pair[EVENTS_MAX]; /* pair[i] is for event i of the view */
};

/* Begins the map of the view's CPU. The view must outlive the map. */
void trust_start(struct trust *trust, const struct view *view);

/* Adds a result of this CPU. Kernels that run on several CPUs are left out. */
void trust_add(struct trust *trust, const struct rows *rows);

/* Sets the kinds of all pairs, once all results were added. */
void trust_judge(struct trust *trust);

/* Writes the event's name, without the `@` and number that counters=each has added. */
void trust_event(const struct event *event, struct out *out);

/* Writes "exact", "factor 2, constant +1", "counts loads" and so on. */
#define TRUST_WORDS_BYTES (EVENT_NAME_BYTES + 80u)
void trust_words(const struct trust *trust, const struct trust_pair *pair, struct out *out);

/* Returns a number that is the same for maps with the same events and kinds. */
uint32_t trust_crc(const struct trust *trust);

#endif
