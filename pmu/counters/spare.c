/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs the spare counter. */
#include "pmu/counters/spare.h"
#include "pmu/counters/errata.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/program_parts.h"

#define EVTSEL_CYCLES 0x3cull /* CPU_CLK_UNHALTED.THREAD, which all general counters can count */

bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities)
{
    return caps->vendor == VENDOR_INTEL && program_has_global(caps) &&
           caps_general_count(caps) >= 2 && spare_counter(caps) > 0 &&
           perf_capabilities & PERF_CAP_FULL_WIDTH;
}

unsigned spare_counter(const struct cpu_caps *caps)
{
    uint32_t left_out = errata_left_out(caps) | caps->gp_absent;
    unsigned counter = caps->gp_count - 1;

    while (counter > 0 && left_out >> counter & 1)
        counter--;
    return counter;
}

struct cpu_caps spare_without(const struct cpu_caps *caps)
{
    struct cpu_caps left = *caps;

    caps_keep_general(&left, spare_counter(caps));
    return left;
}

uint64_t spare_status(unsigned counter)
{
    return 1ull << counter;
}

void spare_add(const struct cpu_caps *caps, unsigned counter, struct programmed *programmed)
{
    programmed->open_msr = pmu_layout(caps)->global_ctrl;
    programmed->open_value |= 1ull << counter;
}

bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter,
                 uint64_t cycles)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    uint64_t mask = ~0ull >> (64 - caps->gp_width_bits);
    uint64_t start = cycles < mask ? -cycles & mask : 1;
    bool ok = port->write(port->context, pmu_select_msr(layout, counter), 0);

    program_clear_status(port, layout->global_clear, spare_status(counter));
    ok &= port->write(port->context, pmu_full_width_msr(layout, counter), start);
    ok &= port->write(port->context, pmu_select_msr(layout, counter),
                      EVTSEL_CYCLES | EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_EN);
    return ok && port->write(port->context, layout->global_ctrl, 1ull << counter);
}
