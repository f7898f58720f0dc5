/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Free-running memory counters of client CPUs (MCHBAR): counter 0 counts reads, counter 1 writes.
 * Sources: Intel, "Monitoring Integrated Memory Controller Requests in the 2nd, 3rd, 4th, 5th, 6th
 * generation Intel Core processors"; for device IDs and MCHBAR, Intel's processor datasheets,
 * volume 2, "Host Bridge and DRAM Controller Registers".
 */
#include "pmu/uncore/models.h"
#include "pmu/uncore/pci.h"

#define MCHBAR        0x48u
#define MCHBAR_ENABLE 1ull
#define MCHBAR_BASE   0x3ffffff8000ull /* all bits but these and bit 0 are reserved, and 0 */

#define MODELS_MAX 4u
#define IDS_MAX    30u

/* CPU models of family 6 -> IDs of their host bridges (device 0:0.0). */
static const struct {
    uint8_t model[MODELS_MAX];
    uint16_t id[IDS_MAX];
} BRIDGES[] = {
    {{0x2a}, {0x0100, 0x0104, 0x0108}},                     /* Sandy Bridge */
    {{0x3a}, {0x0150, 0x0154, 0x0158}},                     /* Ivy Bridge */
    {{0x3c, 0x45, 0x46}, {0x0a04, 0x0c00, 0x0c04, 0x0c08}}, /* Haswell */
    {{0x3d, 0x47}, {0x1604, 0x1610, 0x1614, 0x1618}},       /* Broadwell */
    {{0x4e, 0x5e}, {0x1900, 0x1904, 0x190c, 0x190f, 0x1910, 0x1918, 0x191f}},
    {{0x8e, 0x9e}, /* Kaby, Coffee Lake */
     {0x5900, 0x5904, 0x590c, 0x590d, 0x590f, 0x5910, 0x5914, 0x5918, 0x591f, 0x3e0f,
      0x3e10, 0x3e18, 0x3e1f, 0x3e30, 0x3e31, 0x3e32, 0x3e33, 0x3e34, 0x3e35, 0x3ec2,
      0x3ec4, 0x3ec6, 0x3eca, 0x3ecc, 0x3ed0, 0x9b51, 0x9b61, 0x9b71}},
    {{0xa5, 0xa6}, /* Comet Lake */
     {0x9b33, 0x9b43, 0x9b44, 0x9b51, 0x9b53, 0x9b54, 0x9b61, 0x9b63, 0x9b64, 0x9b71, 0x9b73}},
    {{0x7d, 0x7e}, {0x8a02, 0x8a12}},           /* Ice Lake */
    {{0xa7}, {0x4c43, 0x4c53}},                 /* Rocket Lake */
    {{0x8c}, {0x9a02, 0x9a04, 0x9a12, 0x9a14}}, /* Tiger Lake-U */
    {{0x8d}, {0x9a26, 0x9a36}},                 /* Tiger Lake-H */
    {{0x97, 0x9a},                              /* Alder Lake */
     {0x4601, 0x4602, 0x4609, 0x460a, 0x4621, 0x4623, 0x4629, 0x4637, 0x463b, 0x4641, 0x4648,
      0x4649, 0x4650, 0x4660, 0x4668, 0x4670}},
    {{0xbe}, {0x4614, 0x4617, 0x4618, 0x461b, 0x461c}}, /* Alder Lake-N */
    {{0xb7, 0xba, 0xbf},                                /* Raptor Lake */
     {0xa700, 0xa701, 0xa702, 0xa703, 0xa704, 0xa705, 0xa706, 0xa707,
      0xa708, 0xa709, 0xa70a, 0xa70b, 0xa715, 0xa716, 0xa717, 0xa718,
      0xa719, 0xa71a, 0xa71b, 0xa71c, 0xa728, 0xa729, 0xa72a}},
};

static bool has_bridge(const struct uncore_port *port, const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(BRIDGES) / sizeof(BRIDGES[0]); i++)
        if (uncore_lists(BRIDGES[i].model, MODELS_MAX, caps->model))
            for (unsigned j = 0; j < IDS_MAX && BRIDGES[i].id[j] != 0; j++)
                if (pci_is(port, pci_function(0, 0, 0), BRIDGES[i].id[j]))
                    return true;
    return false;
}

/* Missing registers read as all ones. */
static bool answers(const struct uncore_port *port, const struct uncore_type *type, uint64_t unit)
{
    uint64_t none = type->counter_bytes == 8 ? UINT64_MAX : UINT32_MAX, value;

    for (unsigned i = 0; i < type->counters; i++) {
        uint64_t counter = unit + (uint64_t)(type->counter + type->counter_step * (int32_t)i);

        if (port->read(port->context, SPACE_MMIO, counter, type->counter_bytes, &value) &&
            value != none)
            return true;
    }
    return false;
}

/* On entry, group->unit contains the controllers' addresses relative to MCHBAR. */
static enum status find_controllers(const struct uncore_port *port, const struct cpu_caps *caps,
                                    struct uncore_group *group)
{
    uint32_t most = group->units;
    uint64_t bar;

    group->units = 0;
    if (!port->has_pci)
        return STATUS_UNCORE_PCI;
    if (!has_bridge(port, caps))
        return STATUS_UNCORE_DEVICE;
    bar = pci_read(port, MCHBAR) | (uint64_t)pci_read(port, MCHBAR + 4) << 32;
    if (!(bar & MCHBAR_ENABLE))
        return STATUS_UNCORE_OFF;
    bar &= ~MCHBAR_ENABLE;
    if (bar == 0 || bar & ~MCHBAR_BASE)
        return STATUS_UNCORE_TABLE;
    for (uint32_t i = 0; i < most; i++)
        if (answers(port, &group->type, bar + group->unit[i]))
            group->unit[group->units++] = bar + group->unit[i];
    return group->units != 0 ? STATUS_OK : STATUS_UNCORE_OFF;
}

#define SOURCE "Monitoring Integrated Memory Controller Requests; MCHBAR + "

const struct uncore_units UNCORE_MCHBAR_SANDY_BRIDGE = {
    .type = {OF_FREE_MEMORY, .counters = 2, .width_bits = 32, .counter_bytes = 4, .counter = 0x5050,
             .counter_step = 4, .unit = "memory controller",
             .source = SOURCE "5050h DRAM_DATA_READS, 5054h DRAM_DATA_WRITES"},
    .find = find_controllers,
    .units = 1,
};

/* In each of the two controllers, the counter of writes is 48H above the counter of reads. */
#define TIGER_LAKE(reads, words)                                                                   \
    {                                                                                              \
        .type = {OF_FREE_MEMORY,                                                                   \
                 .counters = 2,                                                                    \
                 .width_bits = 64,                                                                 \
                 .counter_bytes = 8,                                                               \
                 .counter = (reads),                                                               \
                 .counter_step = 0x48,                                                             \
                 .unit = "memory controller",                                                      \
                 .source = SOURCE words " (Linux, Intel PCM)"},                                    \
        .find = find_controllers, .step = 0x10000, .units = 2,                                     \
    }

const struct uncore_units UNCORE_MCHBAR_TIGER_LAKE_U =
    TIGER_LAKE(0x5058, "5058h reads, 50A0h writes");
const struct uncore_units UNCORE_MCHBAR_TIGER_LAKE_H =
    TIGER_LAKE(0xd858, "D858h reads, D8A0h writes");
