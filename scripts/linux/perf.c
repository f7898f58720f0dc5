/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts with groups of counters that perf_event_open() opens. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu/counters/deltas.h"
#include "pmu/events/perf_config.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/sysfs.h"

#define PAGE_BYTES_OF_PERF 4096u
#define DEVICES            "/sys/bus/event_source/devices/"

_Static_assert(sizeof(linux_window.index) == sizeof(linux_window.index[0]) * SLOTS_MAX,
               "a window reads a whole pass");

/* The layout that read() returns for a group: perf_event_open(2), "Reading results". */
struct group_values {
    uint64_t counters;
    uint64_t enabled, running;
    uint64_t value[SLOTS_MAX];
};

bool perf_pmu_of(unsigned cpu, uint32_t *type)
{
    static const char *const HYBRIDS[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
    bool hybrid = false;
    char path[128];
    uint64_t value;

    for (unsigned i = 0; i < sizeof(HYBRIDS) / sizeof(HYBRIDS[0]); i++) {
        snprintf(path, sizeof(path), DEVICES "%s/type", HYBRIDS[i]);
        if (!sysfs_number(path, &value))
            continue;
        hybrid = true;
        snprintf(path, sizeof(path), DEVICES "%s/cpus", HYBRIDS[i]);
        if (!sysfs_lists(path, cpu))
            continue;
        *type = (uint32_t)value;
        return true;
    }
    if (hybrid || !sysfs_number(DEVICES "cpu/type", &value))
        return false;
    *type = (uint32_t)value;
    return true;
}

int perf_paranoid(void)
{
    char text[16];
    int value;

    return sysfs_text("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) &&
                   sscanf(text, "%d", &value) == 1
               ? value
               : PARANOID_UNKNOWN;
}

bool perf_nmi_watchdog(void)
{
    uint64_t value;

    return sysfs_number("/proc/sys/kernel/nmi_watchdog", &value) && value == 1;
}

int perf_open(const struct event *event, uint32_t type, int leader)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = type,
        .config = perf_config(event),
        .config1 = perf_config1(event),
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader < 0,
        .pinned = leader < 0,
        .exclude_user = perf_excludes_user(event),
        .exclude_kernel = perf_excludes_kernel(event),
        .exclude_guest = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Returns 0 or an errno. */
static int map_page(struct perf_group *group, unsigned i)
{
    struct perf_event_mmap_page *page =
        mmap(NULL, PAGE_BYTES_OF_PERF, PROT_READ, MAP_SHARED, group->fd[i], 0);

    if (page == MAP_FAILED)
        return errno;
    group->page[i] = page;
    return page->cap_user_rdpmc ? 0 : ENOTSUP;
}

int perf_group_open(struct perf_group *group, const struct pass *pass, const struct event *event,
                    uint32_t type, bool by_rdpmc)
{
    int why = 0;

    group->counters = 0;
    group->enabled = group->running = 0;
    for (unsigned i = 0; i < pass->slots && why == 0; i++) {
        group->page[i] = NULL;
        group->fd[i] = perf_open(&event[pass->slot[i].event], type, i == 0 ? -1 : group->fd[0]);
        if (group->fd[i] < 0) {
            why = errno;
            break;
        }
        group->counters++;
        if (by_rdpmc)
            why = map_page(group, i);
    }
    if (why != 0)
        perf_group_close(group);
    return why;
}

void perf_group_close(struct perf_group *group)
{
    while (group->counters > 0) {
        unsigned i = --group->counters;

        if (group->page[i])
            munmap(group->page[i], PAGE_BYTES_OF_PERF);
        close(group->fd[i]);
    }
}

enum perf_said perf_group_reset(struct perf_group *group)
{
    return ioctl(group->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0 ? PERF_COUNTED
                                                                               : PERF_FAILED;
}

enum perf_said perf_group_read(struct perf_group *group, uint64_t *raw)
{
    struct group_values values;
    const ssize_t wanted = (ssize_t)(3 + group->counters) * (ssize_t)sizeof(uint64_t);
    const ssize_t got = read(group->fd[0], &values, sizeof(values));
    uint64_t enabled, running;

    if (got == 0) /* a pinned group that got no counters, or lost them */
        return PERF_NONE;
    if (got != wanted || values.counters != group->counters)
        return PERF_FAILED;
    enabled = values.enabled - group->enabled;
    running = values.running - group->running;
    group->enabled = values.enabled;
    group->running = values.running;
    for (unsigned i = 0; i < group->counters; i++)
        raw[i] = values.value[i];
    if (enabled > 0 && running == 0) /* if both are 0, perf's clock stood still */
        return PERF_NONE;
    return running == enabled ? PERF_COUNTED : PERF_SHARED;
}

enum perf_said perf_group_enable(struct perf_group *group)
{
    return ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, 0) == 0 ? PERF_COUNTED : PERF_FAILED;
}

static const volatile struct perf_event_mmap_page *page_of(const struct perf_group *group,
                                                           unsigned i)
{
    return group->page[i];
}

enum perf_said perf_group_locate(struct perf_group *group, struct linux_window *window)
{
    for (unsigned i = 0; i < group->counters; i++) {
        const volatile struct perf_event_mmap_page *page = page_of(group, i);

        group->locks[i] = page->lock;
        atomic_signal_fence(memory_order_seq_cst);
        if (page->index == 0)
            return PERF_NONE;
        window->index[i] = page->index - 1;
        atomic_signal_fence(memory_order_seq_cst);
    }
    for (unsigned i = group->counters; i < DELTAS_MAX; i++)
        window->index[i] = window->index[0];
    return PERF_COUNTED;
}

enum perf_said perf_group_deltas(struct perf_group *group, const struct linux_window *window,
                                 uint64_t *raw)
{
    enum perf_said said = PERF_COUNTED;

    atomic_signal_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < group->counters; i++) {
        const volatile struct perf_event_mmap_page *page = page_of(group, i);

        raw[i] = (uint64_t)deltas_count(window->read[0][i], window->read[1][i], window->read[2][i],
                                        page->pmc_width);
        if (page->lock != group->locks[i] || group->locks[i] % 2)
            said = PERF_SHARED;
    }
    return said;
}
