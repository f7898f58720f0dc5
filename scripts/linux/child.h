/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that a kernel runs in, and the report that it shares with its parent. */
#ifndef BARECOUNT_LINUX_CHILD_H
#define BARECOUNT_LINUX_CHILD_H

#include <sys/types.h>

#include "kernels/kernel.h"
#include "pmu/cpu/barrier.h"
#include "pmu/journal/record.h"

#define TWICE_RUNS         3u  /* accepted samples at 2n for a kernel without twice_entry */
#define CALIBRATION_RUNS   32u /* accepted samples of the empty window */
#define ATTEMPTS_MORE      32u /* extra attempts, since Linux's other tasks disturb samples */
#define ATTEMPTS_MAX(runs) (2u * (runs) + ATTEMPTS_MORE)

/*
 * What a child reports. Its samples follow in memory. The parent checks the statuses and the number
 * of samples before it uses them.
 */
struct child_report {
    uint64_t windows; /* odd while prepare or the kernel runs */
    uint32_t done;    /* 1 once the child has finished, whatever the outcome */
    uint32_t status;  /* enum status */
    uint32_t vector;
    uint32_t error_code;
    uint64_t fault_offset;
    uint64_t fault_address;
    struct nearby fault_nearby;
    uint32_t changed;
    uint32_t samples;
    uint32_t pass_status; /* why the first failed pass was not counted; STATUS_OK if none failed */
    uint32_t pass_failed;
    int32_t pass_errno; /* errno if pass_failed could not be opened or enabled, else 0 */
    uint32_t reserved;
};

struct child_task {
    unsigned cpu;
    uint32_t pmu_type;
    const struct event *event;
    const struct schedule *schedule;
    enum count_method method;
    const struct kernel_use *use; /* no code is copied if use->code is null */
    char *buffer;                 /* shared with other children; if null, the child allocates one */
    char *first_buffer;           /* the first role's buffer; if null, the child uses its own */
    unsigned role;
    uint32_t runs;
    uint32_t warmup;
    uint32_t twice_runs;
    uint32_t samples_max;
    uint32_t stride_bytes;
    uint64_t bound_us;       /* time limit for one run of the kernel */
    struct barrier *barrier; /* null if the child runs alone */
    unsigned seat;
    struct child_report *report;
};

struct child {
    pid_t pid;
    int pipe; /* the parent's end; the child's end closes when the child ends */
    uint64_t windows;
    uint64_t since_us; /* when a check last found that `windows` had changed or was even */
    unsigned looks;
    const struct child_task *task;
};

/* Runs in the child: measures and does not return. */
void child_measure(const struct child_task *task) __attribute__((noreturn));

/* For --once: runs the kernel once in the calling process, without counting. */
enum status child_once(const struct child_task *task);

/*
 * Starts a child for each task and waits until all have ended. If a child cannot be started, kills
 * the others and returns false; see errno.
 */
bool children_run(const struct child_task *task, unsigned tasks);

static inline struct sample *child_sample(struct child_report *report, uint32_t stride_bytes,
                                          uint32_t i)
{
    return (struct sample *)((char *)(report + 1) + (uint64_t)stride_bytes * i);
}

#endif
