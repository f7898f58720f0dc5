/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPU model is which row. */
#include "pmu/uncore/models.h"

static const struct package_table *const TABLES[] = {&PACKAGE_NEHALEM, &PACKAGE_CLIENTS,
                                                     &PACKAGE_SERVERS};
#define TABLES_COUNT (sizeof(TABLES) / sizeof(TABLES[0]))

unsigned package_models_count(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < TABLES_COUNT; i++)
        count += TABLES[i]->count;
    return count;
}

const struct package_model *package_model_at(unsigned index)
{
    for (unsigned i = 0; i < TABLES_COUNT; i++) {
        if (index < TABLES[i]->count)
            return &TABLES[i]->model[index];
        index -= TABLES[i]->count;
    }
    return 0;
}

const struct package_model *package_model_of(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < package_models_count(); i++) {
        const struct package_model *model = package_model_at(i);

        if (model->vendor != caps->vendor || model->family != caps->family)
            continue;
        for (unsigned k = 0; k < PACKAGE_MODELS_OF_ONE && model->model[k]; k++)
            if (model->model[k] == caps->model)
                return model;
    }
    return 0;
}
