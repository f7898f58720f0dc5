/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages as package_find() would find them, for tests of events; no register stands behind them.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_UNCORE_UNITS_H
#define BARECOUNT_TESTS_UNIT_FAKES_UNCORE_UNITS_H

#include "pmu/uncore/uncore.h"
#include "pmu/uncore/models.h"

/* A select's fields, Intel SDM vol. 3B, by bit. */
#define PACKAGE_EVENT_UMASK 0xffffull
#define PACKAGE_RST         (1ull << 17)
#define PACKAGE_EDGE        (1ull << 18)
#define PACKAGE_INV         (1ull << 23)
#define PACKAGE_CMASK       0xff000000ull
#define PACKAGE_CMASK_5     0x1f000000ull
#define PACKAGE_UMASK_EXT   0x03ffffff00000000ull

static struct package_model fake_model = {.name = "a fake", .vendor = VENDOR_INTEL, .family = 6};
static struct package package;

static inline struct package_group *add_group(unsigned kind, unsigned style, unsigned counters,
                                              uint64_t fields)
{
    struct package_group *group = &package.group[package.groups++];

    *group = (struct package_group){
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

/* A package of a display model, without any unit. */
static inline void start_package(unsigned model)
{
    memset(&package, 0, sizeof(package));
    memset(fake_model.model, 0, sizeof(fake_model.model));
    fake_model.model[0] = (uint8_t)model;
    package.model = &fake_model;
}

static inline void nehalem_package(void)
{
    start_package(0x1a);
    add_group(KIND_UNCORE, STYLE_SELECT, 8,
              PACKAGE_EVENT_UMASK | PACKAGE_RST | PACKAGE_EDGE | PACKAGE_INV | PACKAGE_CMASK)
        ->type.extra[0] = 0x396;
    add_group(KIND_CLOCK, STYLE_FIXED, 1, 0);
}

static inline void client_package(unsigned model)
{
    const uint64_t fields = PACKAGE_EVENT_UMASK | PACKAGE_EDGE | PACKAGE_INV | PACKAGE_CMASK_5;

    start_package(model);
    add_group(KIND_CBO, STYLE_SELECT, 2, fields);
    add_group(KIND_ARB, STYLE_SELECT, 2, fields);
    add_group(KIND_CLOCK, STYLE_FIXED, 1, 0);
    add_group(KIND_IMC_FREE, STYLE_FREE, 2, 0);
    package.energy_step[ENERGY_PACKAGE] = 1000;
    package.energy_step[ENERGY_CORE] = 2000;
}

static inline void skylake_server_package(void)
{
    const uint64_t fields = PACKAGE_EVENT_UMASK | PACKAGE_EDGE | PACKAGE_INV | PACKAGE_CMASK;
    struct package_group *cha;

    start_package(0x55);
    cha = add_group(KIND_CHA, STYLE_SELECT, 4, fields);
    cha->units = 2;
    cha->unit[0] = 0xe00;
    cha->unit[1] = 0xe10;
    cha->type.extra[0] = 5;
    cha->type.extra[1] = 6;
    cha->type.clock_is_0 = 1;
    add_group(KIND_IMC, STYLE_SELECT, 4, fields)->type.clock_is_0 = 1;
    package.energy_step[ENERGY_PACKAGE] = 1000;
    package.energy_step[ENERGY_DRAM] = 3000;
}

#endif
