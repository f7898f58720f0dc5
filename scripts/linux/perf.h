/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): the PMU of a CPU, and groups of counters on it. */
#ifndef BARECOUNT_LINUX_PERF_H
#define BARECOUNT_LINUX_PERF_H

#include "pmu/counters/event.h"
#include "pmu/journal/record.h"
#include "pmu/counters/schedule.h"
#include "scripts/linux/window.h"

/* The PMU that counts on a CPU: on hybrids that of its type of core. False: Linux has none. */
bool perf_pmu_of(unsigned cpu, uint32_t *type);

/* /proc/sys/kernel/perf_event_paranoid, or PARANOID_UNKNOWN; whether the NMI watchdog is on. */
int perf_paranoid(void);
bool perf_nmi_watchdog(void);

/*
 * A counter of the calling thread, wherever it runs; `leader` is -1 for the first of a group, which
 * is pinned and not enabled. Returns a file descriptor, or -1 with errno.
 */
int perf_open(const struct event *event, uint32_t type, int leader);

/* The counters of a pass. */
struct perf_group {
    unsigned counters;
    int fd[SLOTS_MAX];
    void *page[SLOTS_MAX];     /* to read them by RDPMC; null: they are read by read() */
    uint64_t enabled, running; /* as last read */
    uint32_t locks[SLOTS_MAX];
};

/*
 * Opens all counters of a pass; with `by_rdpmc` ready to be read so. Returns 0, or an errno of
 * perf_event_open() or mmap(); ENOTSUP where Linux does not allow RDPMC here.
 */
int perf_group_open(struct perf_group *group, const struct pass *pass, const struct event *event,
                    uint32_t type, bool by_rdpmc);
void perf_group_close(struct perf_group *group);

enum perf_said {
    PERF_COUNTED,
    PERF_SHARED, /* not all the time, or not on the same counters */
    PERF_NONE,   /* the group got no counters */
    PERF_FAILED, /* a system call did */
};

/* Before a window that enables the group: its counters from 0. */
enum perf_said perf_group_reset(struct perf_group *group);

/*
 * After it: the counts of its slots. They count also when neither of the group's times has moved:
 * Linux' clock stands still while a tick is late, once the time stamp counter is marked unstable.
 */
enum perf_said perf_group_read(struct perf_group *group, uint64_t *raw);

/* Lets a group that is read by RDPMC count from here on. */
enum perf_said perf_group_enable(struct perf_group *group);

/* Before window_deltas(): where its counters stand now. */
enum perf_said perf_group_locate(struct perf_group *group, struct linux_window *window);

/* Behind it: the counts, of counters that nobody moved meanwhile. */
enum perf_said perf_group_deltas(struct perf_group *group, const struct linux_window *window,
                                 uint64_t *raw);

#endif
