/* SPDX-License-Identifier: BSD-2-Clause */
/* What uncore_find() returns, for packages that have no registers, for tests of events. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_UNCORE_UNITS_H
#define BARECOUNT_TESTS_UNIT_FAKES_UNCORE_UNITS_H

#include "pmu/uncore/uncore.h"
#include "pmu/uncore/models.h"

/* Bits of a select: Intel SDM vol. 3B. */
#define UNCORE_EVENT_UMASK 0xffffull
#define UNCORE_RST         (1ull << 17)
#define UNCORE_EDGE        (1ull << 18)
#define UNCORE_INV         (1ull << 23)
#define UNCORE_CMASK       0xff000000ull
#define UNCORE_CMASK_5     0x1f000000ull
#define UNCORE_UMASK_EXT   0x03ffffff00000000ull

static struct uncore_model fake_model = {.name = "a fake", .vendor = VENDOR_INTEL, .family = 6};
static struct uncore uncore;

static inline struct uncore_group *add_group(unsigned kind, unsigned style, unsigned counters,
                                             uint64_t fields)
{
    struct uncore_group *group = &uncore.group[uncore.groups++];

    *group = (struct uncore_group){
        .type = {.kind = (uint8_t)kind,
                 .style = (uint8_t)style,
                 .counters = (uint8_t)counters,
                 .fields = fields,
                 .unit = "a unit",
                 .source = "a test"},
        .units = 1,
        .status = STATUS_OK,
    };
    return group;
}

static inline void start_uncore(unsigned model)
{
    memset(&uncore, 0, sizeof(uncore));
    memset(fake_model.model, 0, sizeof(fake_model.model));
    fake_model.model[0] = (uint8_t)model;
    uncore.model = &fake_model;
}

static inline void nehalem_uncore(void)
{
    start_uncore(0x1a);
    add_group(KIND_UNCORE, STYLE_SELECT, 8,
              UNCORE_EVENT_UMASK | UNCORE_RST | UNCORE_EDGE | UNCORE_INV | UNCORE_CMASK)
        ->type.extra[0] = 0x396;
    add_group(KIND_CLOCK, STYLE_FIXED, 1, 0);
}

static inline void client_uncore(unsigned model)
{
    const uint64_t fields = UNCORE_EVENT_UMASK | UNCORE_EDGE | UNCORE_INV | UNCORE_CMASK_5;

    start_uncore(model);
    add_group(KIND_CBO, STYLE_SELECT, 2, fields);
    add_group(KIND_ARB, STYLE_SELECT, 2, fields);
    add_group(KIND_CLOCK, STYLE_FIXED, 1, 0);
    add_group(KIND_IMC_FREE, STYLE_FREE, 2, 0);
    uncore.energy_step[ENERGY_PACKAGE] = 1000;
    uncore.energy_step[ENERGY_CORE] = 2000;
}

static inline void skylake_server_uncore(void)
{
    const uint64_t fields = UNCORE_EVENT_UMASK | UNCORE_EDGE | UNCORE_INV | UNCORE_CMASK;
    struct uncore_group *cha;

    start_uncore(0x55);
    cha = add_group(KIND_CHA, STYLE_SELECT, 4, fields);
    cha->units = 2;
    cha->unit[0] = 0xe00;
    cha->unit[1] = 0xe10;
    cha->type.extra[0] = 5;
    cha->type.extra[1] = 6;
    cha->type.clock_is_0 = 1;
    add_group(KIND_IMC, STYLE_SELECT, 4, fields)->type.clock_is_0 = 1;
    uncore.energy_step[ENERGY_PACKAGE] = 1000;
    uncore.energy_step[ENERGY_DRAM] = 3000;
}

#endif
