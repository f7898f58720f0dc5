/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether this user may count, and says what to do if not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scripts/linux/may_count.h"
#include "scripts/linux/perf.h"

#define INSTRUCTIONS 0xc0u
#define PARANOID_USR 2 /* the highest value that still lets any user count at CPL 3 */

/* Every general counter of an Intel or AMD CPU can count instructions at CPL 3. */
static const struct event PROBE = {.select = INSTRUCTIONS, .rings = RING_USR};

static bool refused(int why)
{
    int paranoid = perf_paranoid();

    fprintf(stderr, "barecount-linux: perf_event_open: %s\n", strerror(why));
    if (why == ENOSYS)
        fprintf(stderr, "  this kernel has no such system call, or a seccomp filter hides it\n");
    else if (paranoid > PARANOID_USR && geteuid() != 0)
        fprintf(stderr,
                "  kernel.perf_event_paranoid is %d; expected at most 2 (1 for ring=os or both):\n"
                "  sudo sysctl kernel.perf_event_paranoid=1, or run this program as root\n",
                paranoid);
    else if (paranoid == PARANOID_UNKNOWN)
        fprintf(stderr, "  there is no kernel.perf_event_paranoid: is /proc mounted here?\n");
    else
        fprintf(stderr,
                "  kernel.perf_event_paranoid is %d, which allows counting, but a seccomp filter\n"
                "  or a container forbids it; run this program outside, or with --privileged\n"
                "  (docker), or with CAP_PERFMON\n",
                paranoid);
    return false;
}

static bool may_read(uint32_t type)
{
    static const struct pass PASS = {.slots = 1};
    struct perf_group group;
    int why = perf_group_open(&group, &PASS, &PROBE, type, true);

    if (why == 0) {
        perf_group_close(&group);
        return true;
    }
    return REFUSE("method=deltas reads counters by RDPMC: %s\n"
                  "  expected 1 or 2 in /sys/bus/event_source/devices/cpu/rdpmc, or method=reset\n",
                  why == ENOTSUP ? "Linux does not allow it here" : strerror(why));
}

bool may_count(const struct linux_run *run)
{
    unsigned first = 0;
    uint32_t type;
    int fd, why;

    while (!run->measured[first])
        first++;
    if (run->host->cpu[first].caps.pmu_version == 0 || !perf_pmu_of(first, &type))
        return true;
    fd = perf_open(&PROBE, type, -1);
    why = errno;
    if (fd >= 0)
        close(fd);
    else if (why == EACCES || why == EPERM || why == ENOSYS)
        return refused(why);
    return run->plan.method != METHOD_DELTAS || fd < 0 || may_read(type);
}
