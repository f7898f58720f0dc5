/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that a kernel runs in: pinned to its CPU, with the kernel's code, buffer and stack,
 * and the groups of counters of one pass at a time. What it finds goes to memory that it shares
 * with its parent, which trusts none of it beyond its bounds.
 */
#ifndef BARECOUNT_LINUX_CHILD_H
#define BARECOUNT_LINUX_CHILD_H

#include <sys/types.h>

#include "kernels/kernel.h"
#include "pmu/cpu/barrier.h"
#include "pmu/journal/record.h"

#define TWICE_RUNS         3u  /* accepted samples at 2n, for the second method */
#define CALIBRATION_RUNS   32u /* accepted samples of the empty window */
#define ATTEMPTS_MORE      32u /* than on bare metal: Linux runs others in between */
#define ATTEMPTS_MAX(runs) (2u * (runs) + ATTEMPTS_MORE)

/* What a child leaves; its samples follow it. */
struct child_report {
    uint64_t windows; /* odd while prepare or the kernel runs */
    uint32_t done;    /* 1: it came to its end, whatever that was */
    uint32_t status;  /* enum status */
    uint32_t vector;
    uint32_t error_code;
    uint64_t fault_offset;
    uint64_t fault_address;
    struct nearby fault_nearby;
    uint32_t changed;
    uint32_t samples;
    uint32_t pass_status; /* of the first pass that could not be counted */
    uint32_t pass_failed;
    int32_t pass_errno; /* of perf_event_open() there; 0: it was not that */
    uint32_t reserved;
};

struct child_task {
    unsigned cpu;
    uint32_t pmu_type;
    const struct event *event;
    const struct schedule *schedule;
    enum count_method method;
    const struct kernel_use *use; /* with null code it is run where it stands */
    char *buffer;                 /* shared with the other roles; null: the child takes its own */
    char *first_buffer;           /* of role 0; null: its own */
    unsigned role;
    uint32_t runs;
    uint32_t warmup;
    uint32_t twice_runs;
    uint32_t samples_max;
    uint32_t stride_bytes;
    uint64_t bound_us;       /* of one run of the kernel */
    struct barrier *barrier; /* null: alone */
    unsigned seat;
    struct child_report *report;
};

struct child {
    pid_t pid;
    int pipe;          /* closed by its end */
    uint64_t windows;  /* as last seen, */
    uint64_t since_us; /* and since when */
    unsigned looks;    /* at the same window: who was asleep has not seen a kernel hang */
    const struct child_task *task;
};

/* In the child: measures, and does not return. */
void child_measure(const struct child_task *task) __attribute__((noreturn));

/* In the child, for --once: runs the kernel once, without counting. Returns enum status. */
enum status child_once(const struct child_task *task);

/* Starts children, one for each task, and waits for all. False: none could be started; errno. */
bool children_run(const struct child_task *task, unsigned tasks);

static inline struct sample *child_sample(struct child_report *report, uint32_t stride_bytes,
                                          uint32_t i)
{
    return (struct sample *)((char *)(report + 1) + (uint64_t)stride_bytes * i);
}

#endif
