/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs in the parent: starts children, waits for them, and kills one whose kernel hangs. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scripts/linux/child.h"

#define US_PER_S    1000000u
#define NS_PER_US   1000u
#define US_PER_MS   1000u
#define LOOKS       4u /* a child is killed only if this many checks find it in the same window */
#define LOOK_MS_MAX 1000u
#define LOOK_MS_MIN 10u

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * US_PER_S + (uint64_t)now.tv_nsec / NS_PER_US;
}

static bool start(struct child *child, const struct child_task *task)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    *child = (struct child){.pipe = ends[0], .task = task, .since_us = now_us()};
    child->pid = fork();
    if (child->pid == 0) {
        close(ends[0]);
        child_measure(task);
    }
    close(ends[1]); /* close() cannot fail here, so errno is still that of fork() */
    if (child->pid > 0)
        return true;
    close(ends[0]);
    return false;
}

static bool hangs(struct child *child)
{
    uint64_t windows = *(volatile uint64_t *)&child->task->report->windows, us = now_us();

    if (windows != child->windows || windows % 2 == 0) {
        child->windows = windows;
        child->since_us = us;
        child->looks = 0;
    }
    return child->looks++ >= LOOKS && us - child->since_us > child->task->bound_us;
}

static void finish(struct child *child)
{
    struct child_report *report = child->task->report;
    int how = 0;

    while (waitpid(child->pid, &how, 0) < 0 && errno == EINTR)
        ;
    close(child->pipe);
    child->pid = 0;
    if (child->task->barrier) /* a killed child has not left its barrier */
        barrier_leave(child->task->barrier, child->task->seat);
    if (report->done && WIFEXITED(how))
        return;
    if (report->status != STATUS_KILLED)
        report->status = STATUS_DIED;
}

static void kill_child(struct child *child)
{
    child->task->report->status = STATUS_KILLED;
    child->task->report->done = 0;
    kill(child->pid, SIGKILL);
}

static int look_ms(const struct child_task *task)
{
    uint64_t ms = task->bound_us / US_PER_MS / LOOKS;

    return ms > LOOK_MS_MAX ? (int)LOOK_MS_MAX : ms < LOOK_MS_MIN ? (int)LOOK_MS_MIN : (int)ms;
}

static void wait_for(struct child *child, struct pollfd *ends, unsigned children)
{
    unsigned left = children;

    while (left > 0) {
        for (unsigned i = 0; i < children; i++)
            ends[i] = (struct pollfd){.fd = child[i].pid ? child[i].pipe : -1};
        poll(ends, children, look_ms(child[0].task));
        for (unsigned i = 0; i < children; i++) {
            if (!child[i].pid)
                continue;
            if (ends[i].revents == 0 && hangs(&child[i]))
                kill_child(&child[i]);
            else if (ends[i].revents == 0)
                continue;
            finish(&child[i]);
            left--;
        }
    }
}

bool children_run(const struct child_task *task, unsigned tasks)
{
    struct child *child = calloc(tasks, sizeof(*child));
    struct pollfd *ends = calloc(tasks, sizeof(*ends));
    unsigned started = 0;
    bool done = child && ends;
    int why;

    while (done && started < tasks) {
        done = start(&child[started], &task[started]);
        started += done;
    }
    why = errno;
    for (unsigned i = 0; !done && i < started; i++)
        kill_child(&child[i]);
    if (started > 0)
        wait_for(child, ends, started);
    free(child);
    free(ends);
    errno = why;
    return done;
}
