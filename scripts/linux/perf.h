/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): a CPU's PMU, and groups of counters on it. */
#ifndef BARECOUNT_LINUX_PERF_H
#define BARECOUNT_LINUX_PERF_H

#include "pmu/counters/event.h"
#include "pmu/journal/record.h"
#include "pmu/counters/schedule.h"
#include "scripts/linux/window.h"

/*
 * The `type` that perf_event_open() expects for a CPU's PMU. On a hybrid machine, each kind of core
 * has a different PMU. False: no PMU.
 */
bool perf_pmu_of(unsigned cpu, uint32_t *type);

/* The value in /proc/sys/kernel/perf_event_paranoid, or PARANOID_UNKNOWN. */
int perf_paranoid(void);

/* Whether the NMI watchdog is on. */
bool perf_nmi_watchdog(void);

/*
 * Opens a counter for the calling thread, on any CPU. `leader` -1 starts a group, which is pinned
 * and at first disabled. Returns a file descriptor, or -1: see errno.
 */
int perf_open(const struct event *event, uint32_t type, int leader);

struct perf_group {
    unsigned counters;
    int fd[SLOTS_MAX];
    void *page[SLOTS_MAX];     /* mapped for RDPMC; null if counts come from read() */
    uint64_t enabled, running; /* time_enabled and time_running of the last read() */
    uint32_t locks[SLOTS_MAX];
};

/* Opens all counters of a pass. Returns 0, or an errno: ENOTSUP if Linux does not allow RDPMC. */
int perf_group_open(struct perf_group *group, const struct pass *pass, const struct event *event,
                    uint32_t type, bool by_rdpmc);
void perf_group_close(struct perf_group *group);

enum perf_said {
    PERF_COUNTED,
    PERF_SHARED, /* the group lost its counters for a time, or got other counters */
    PERF_NONE,   /* the group got no counters, or lost them */
    PERF_FAILED, /* a system call failed */
};

/* Resets the group's counters to 0; call it before a window that enables the group. */
enum perf_said perf_group_reset(struct perf_group *group);

/*
 * Reads the counts after a window that enabled the group. The counts are valid even if perf's clock
 * stood still because a timer tick was late.
 */
enum perf_said perf_group_read(struct perf_group *group, uint64_t *raw);

/* Enables a group that is read by RDPMC. */
enum perf_said perf_group_enable(struct perf_group *group);

/* Finds out which hardware counters the group uses; call it before window_deltas(). */
enum perf_said perf_group_locate(struct perf_group *group, struct linux_window *window);

/* After window_deltas(): computes the counts, and checks that the counters are still the same. */
enum perf_said perf_group_deltas(struct perf_group *group, const struct linux_window *window,
                                 uint64_t *raw);

#endif
