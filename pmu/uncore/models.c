/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a CPU model in the tables. */
#include "pmu/uncore/models.h"

static const struct uncore_table *const TABLES[] = {&UNCORE_NEHALEM, &UNCORE_CLIENTS,
                                                    &UNCORE_SERVERS};
#define TABLES_COUNT (sizeof(TABLES) / sizeof(TABLES[0]))

unsigned uncore_models_count(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < TABLES_COUNT; i++)
        count += TABLES[i]->count;
    return count;
}

const struct uncore_model *uncore_model_at(unsigned index)
{
    for (unsigned i = 0; i < TABLES_COUNT; i++) {
        if (index < TABLES[i]->count)
            return &TABLES[i]->model[index];
        index -= TABLES[i]->count;
    }
    return 0;
}

const struct uncore_model *uncore_model_of(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < uncore_models_count(); i++) {
        const struct uncore_model *model = uncore_model_at(i);

        if (model->vendor == caps->vendor && model->family == caps->family &&
            uncore_lists(model->model, UNCORE_MODELS_OF_ONE, caps->model))
            return model;
    }
    return 0;
}
