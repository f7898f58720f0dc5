/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs the spare counter. */
#include "pmu/counters/spare.h"
#include "pmu/counters/errata.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/program_parts.h"

bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities)
{
    return caps_general_count(caps) >= 2 && spare_counter(caps) > 0 &&
           pmu_takes_all_bits(caps, perf_capabilities);
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

static uint64_t top_bit(const struct cpu_caps *caps)
{
    return 1ull << (caps->gp_width_bits - 1);
}

struct spare_watch spare_watch(const struct cpu_caps *caps, unsigned counter)
{
    return (struct spare_watch){.msr = pmu_counter_msr(pmu_layout(caps), counter),
                                .top_bit = top_bit(caps)};
}

bool spare_is_over(const struct msr_port *port, const struct spare_watch *watch)
{
    uint64_t value = 0;

    return watch->msr && port->read(port->context, watch->msr, &value) && !(value & watch->top_bit);
}

void spare_add(const struct cpu_caps *caps, unsigned counter, struct programmed *programmed)
{
    if (!program_has_global(caps))
        return;
    programmed->open_msr = pmu_layout(caps)->global_ctrl;
    programmed->open_value |= 1ull << counter;
}

bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter,
                 uint64_t cycles)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    const uint64_t mask = ~0ull >> (64 - caps->gp_width_bits);
    const uint64_t start = -(cycles < top_bit(caps) ? cycles : top_bit(caps)) & mask;
    const uint64_t bit = 1ull << counter;
    bool ok = port->write(port->context, pmu_select_msr(layout, counter), 0);

    if (program_has_global(caps))
        program_clear_status(port, layout->global_clear, bit);
    ok &= port->write(port->context,
                      layout->takes_all_bits ? pmu_counter_msr(layout, counter)
                                             : pmu_full_width_msr(layout, counter),
                      start);
    ok &= port->write(port->context, pmu_select_msr(layout, counter),
                      layout->cycles | EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_EN);
    return ok &&
           (!program_has_global(caps) || port->write(port->context, layout->global_ctrl, bit));
}

bool spare_stop(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter)
{
    return port->write(port->context, pmu_select_msr(pmu_layout(caps), counter), 0);
}
