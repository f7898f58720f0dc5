/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/early_notes.h"
#include "boot/efi/firmware.h"
#include "boot/plan/remarks.h"

#define LIST_BYTES 144u
#define RANGES_MAX 10u /* of a list; the rest is counted */

static const char *const LACKS[CPU_LACKS] = {
    [CPU_DISABLED] = "disabled by the firmware; its setup may enable them",
    [CPU_UNHEALTHY] = "not healthy, as the firmware found when it started them",
    [CPU_UNKNOWN] = "not described by the firmware's MP services",
};

/* "2, 5-7"; returns how many CPUs these are. */
static unsigned list_cpus(const struct cpus *cpus, enum cpu_lack lack, struct out *out)
{
    unsigned count = 0, ranges = 0, more = 0;

    for (unsigned i = 0, end; i < cpus->count; i = end) {
        end = i + 1;
        if (cpus->cpu[i].lack != lack)
            continue;
        while (end < cpus->count && cpus->cpu[end].lack == lack)
            end++;
        count += end - i;
        if (ranges == RANGES_MAX) {
            more += end - i;
            continue;
        }
        out_printf(out, "%s%u", ranges++ > 0 ? ", " : "", i);
        if (end - i > 1)
            out_printf(out, "-%u", end - 1);
    }
    if (more > 0)
        out_printf(out, " and %u more", more);
    return count;
}

static void remark_cpus(const struct cpus *cpus)
{
    if (cpus->only_boot)
        early_remark("only the boot CPU is measured: %s; an update of the firmware may "
                     "help",
                     cpus->only_boot);
    for (enum cpu_lack lack = CPU_DISABLED; lack < CPU_LACKS; lack++) {
        char list[LIST_BYTES];
        struct out out = out_buffer(list, sizeof(list));

        if (list_cpus(cpus, lack, &out) > 0)
            early_remark("not measured: CPU %s: %s", out_end(&out), LACKS[lack]);
    }
    if (cpus->left_out > 0)
        early_remark("not measured: %u CPUs from number %u on: this program has no room for "
                     "more",
                     cpus->left_out, CPUS_MAX);
}

void remarks_find(const struct machine *machine)
{
    char time[FIRMWARE_TIME_BYTES];

    remark_cpus(&machine->cpus);
    if (!firmware_time(time))
        early_remark("the machine's clock is not set (it says %s): runs have numbers, but no "
                     "date; the firmware's setup can set it",
                     time);
    if (firmware_watchdog_runs())
        early_remark("the firmware's watchdog cannot be stopped: it may reset the machine "
                     "five minutes after the start of the program; the next boot then "
                     "recovers the finished kernels");
}
