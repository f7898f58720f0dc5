/* SPDX-License-Identifier: BSD-2-Clause */
/* The RAPL energy registers of Intel and AMD CPUs: 32-bit counts, which wrap. */
#include "pmu/uncore/parts.h"

#define MSR_RAPL_POWER_UNIT       0x606u
#define MSR_PKG_ENERGY_STATUS     0x611u
#define MSR_DRAM_ENERGY_STATUS    0x619u
#define MSR_PP0_ENERGY_STATUS     0x639u
#define MSR_PP1_ENERGY_STATUS     0x641u
#define MSR_AMD_RAPL_PWR_UNIT     0xc0010299u
#define MSR_AMD_CORE_ENERGY_STAT  0xc001029au
#define MSR_AMD_PKG_ENERGY_STAT   0xc001029bu
#define RAPL_POWER_UNIT_ESU(unit) ((unsigned)((unit) >> 8) & 0x1fu)

#define STEPS_PER_UJ (1ull << 32)
#define UJ_PER_J     1000000ull
#define DRAM_ESU     16u /* on servers up to Ice Lake: 2^-16 J = 15.3 uJ */

#define SDM_RAPL "Intel SDM vol. 3B, \"Platform Specific Power Management Support\""
#define OF_RAPL  OF_INTEL, .unit_msr = MSR_RAPL_POWER_UNIT
#define PKG      [ENERGY_PACKAGE] = MSR_PKG_ENERGY_STATUS
#define DRAM     [ENERGY_DRAM] = MSR_DRAM_ENERGY_STATUS
#define CORE     [ENERGY_CORE] = MSR_PP0_ENERGY_STATUS
#define GRAPHICS [ENERGY_GRAPHICS] = MSR_PP1_ENERGY_STATUS

const struct uncore_energy_row UNCORE_ENERGY[] = {
    {OF_RAPL, .name = "Sandy Bridge, Ivy Bridge clients", .model = {0x2a, 0x3a},
     .msr = {PKG, CORE, GRAPHICS}, .source = SDM_RAPL},
    {OF_RAPL, .name = "Sandy Bridge, Ivy Bridge servers, Goldmont-D", .model = {0x2d, 0x3e, 0x5f},
     .msr = {PKG, DRAM, CORE}, .source = SDM_RAPL},
    {OF_RAPL, .name = "Haswell to Panther Lake clients, Goldmont, Tremont",
     .model = {0x3c, 0x45, 0x46, 0x3d, 0x47,                   /* Haswell, Broadwell */
               0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x66,       /* Skylake to Cannon Lake */
               0x7d, 0x7e, 0x8c, 0x8d, 0xa7,                   /* Ice, Tiger, Rocket Lake */
               0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0x5c, 0x7a, /* Alder, Raptor Lake; Goldmont */
               0xd7, 0xaa, 0xac, 0xb5, 0xc5, 0xc6, 0xbd, /* Bartlett, Meteor, Arrow, Lunar Lake */
               0xcc, 0xd5, 0xe5,                         /* Panther, Wildcat Lake */
               0x96, 0x9c},                              /* Tremont */
     .msr = {PKG, DRAM, CORE, GRAPHICS}, .source = SDM_RAPL},
    {OF_RAPL, .name = "Haswell-EP to Ice Lake servers, Xeon Phi",
     .model = {0x3f, 0x4f, 0x56, 0x55, 0x6a, 0x6c, 0x57, 0x85}, .unit = ENERGY_DRAM_FIXED,
     .msr = {PKG, DRAM},
     .source = SDM_RAPL "; Intel Xeon Processor E5-1600 and E5-2600 v3 Product Families "
                        "Datasheet, vol. 2, \"DRAM_ENERGY_STATUS\""},
    {OF_RAPL, .name = "Sapphire Rapids to Clearwater Forest, Grand Ridge",
     .model = {0x8f, 0xcf, 0xad, 0xae, 0xaf, 0xb6, 0xdd}, .msr = {PKG, DRAM}, .source = SDM_RAPL},
    {OF_RAPL, .name = "Tremont-D", .model = {0x86}, .msr = {PKG}, .source = SDM_RAPL},
    {OF_RAPL, .name = "Silvermont, Airmont", .model = {0x37, 0x4c}, .unit = ENERGY_SILVERMONT,
     .msr = {PKG, CORE},
     .source = "Intel SDM vol. 4, \"MSRs In Processors Based on Silvermont Microarchitecture\" "
               "(MSR_RAPL_POWER_UNIT)"},
#define ZEN(digits)                                                                                \
    {                                                                                              \
        .name = "Zen, family " #digits "H", .vendor = VENDOR_AMD, .family = 0x##digits,            \
        .unit_msr = MSR_AMD_RAPL_PWR_UNIT,                                                         \
        .msr = {[ENERGY_PACKAGE] = MSR_AMD_PKG_ENERGY_STAT,                                        \
                [ENERGY_CORE] = MSR_AMD_CORE_ENERGY_STAT},                                         \
        .source = "AMD PPR for Family 17h Models 00h-0Fh, \"MSRC001_0299 [RAPL Power Unit]\""      \
    }
    ZEN(17),
    ZEN(18), /* Hygon; source: Linux, arch/x86/events/rapl.c */
    ZEN(19),
    ZEN(1A),
};
const unsigned UNCORE_ENERGY_ROWS = sizeof(UNCORE_ENERGY) / sizeof(UNCORE_ENERGY[0]);

static const struct uncore_energy_row *row_of(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < UNCORE_ENERGY_ROWS; i++) {
        const struct uncore_energy_row *row = &UNCORE_ENERGY[i];

        if (row->vendor == caps->vendor && row->family == caps->family &&
            (row->model[0] == 0 || uncore_lists(row->model, UNCORE_ENERGY_MODELS, caps->model)))
            return row;
    }
    return 0;
}

/* Returns the step in units of 2^-32 uJ. */
static uint64_t step_of(const struct uncore_energy_row *row, unsigned energy, unsigned esu)
{
    if (row->unit == ENERGY_SILVERMONT)
        return STEPS_PER_UJ << esu;
    if (row->unit == ENERGY_DRAM_FIXED && energy == ENERGY_DRAM)
        esu = DRAM_ESU;
    return UJ_PER_J * (STEPS_PER_UJ >> esu);
}

static const struct uncore_energy_row *add_group(const struct cpu_caps *caps, struct uncore *uncore)
{
    const struct uncore_energy_row *row = row_of(caps);
    struct uncore_group *group = &uncore->group[uncore->groups];

    for (unsigned i = 0; i < ENERGIES; i++) {
        uncore->energy_step[i] = 0;
        uncore->energy_msr[i] = 0;
    }
    if (!row)
        return 0;
    uncore->groups++;
    group->type = (struct uncore_type){.kind = KIND_ENERGY,
                                       .space = SPACE_MSR,
                                       .style = STYLE_FREE,
                                       .counters = ENERGIES,
                                       .width_bits = 32,
                                       .counter_bytes = 8,
                                       .unit = "package",
                                       .source = row->source};
    group->unit[0] = 0;
    group->units = 0;
    group->in_memory = 0;
    group->status = STATUS_UNCORE_REFUSED;
    return row;
}

void uncore_energy_of_model(const struct cpu_caps *caps, struct uncore *uncore)
{
    const struct uncore_energy_row *row = add_group(caps, uncore);

    for (unsigned i = 0; row && i < ENERGIES; i++) {
        uncore->energy_step[i] = row->msr[i] != 0;
        uncore->energy_msr[i] = row->msr[i];
    }
    if (row)
        uncore->group[uncore->groups - 1].status = STATUS_OK;
}

void uncore_find_energy(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore *uncore)
{
    const struct uncore_energy_row *row = add_group(caps, uncore);
    struct uncore_group *group;
    uint64_t unit, value;

    if (!row)
        return;
    group = &uncore->group[uncore->groups - 1];
    if (!uncore_get(port, SPACE_MSR, row->unit_msr, 8, &unit))
        return;
    group->status = STATUS_UNCORE_ABSENT;
    if (unit == 0) /* virtual machines without these registers return 0 */
        return;
    for (unsigned i = 0; i < ENERGIES; i++)
        if (row->msr[i] && uncore_get(port, SPACE_MSR, row->msr[i], 8, &value)) {
            uncore->energy_step[i] = step_of(row, i, RAPL_POWER_UNIT_ESU(unit));
            uncore->energy_msr[i] = row->msr[i];
            group->units = 1;
            group->status = STATUS_OK;
        }
}
