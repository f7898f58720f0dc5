/* SPDX-License-Identifier: BSD-2-Clause */
/* The uncore units of each model: in the tables, and as found on simulated machines. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore.h"

static struct uncore uncore;
static struct uncore_record record;

static void find(uint32_t vendor, uint32_t family, uint32_t model)
{
    struct cpu_caps caps = fake_cpu(vendor, family, model);

    memset(&uncore, 0xa5, sizeof(uncore));
    uncore_find(&FAKE_PORT, &caps, &uncore);
    assert_int_equal(fake.writes, 0);
}

static enum uncore_kind kind_of(const char *name)
{
    return uncore_kind_of(name, strlen(name));
}

TEST(kinds_have_names_of_any_case)
{
    for (unsigned kind = KIND_NONE + 1; kind < UNCORE_KINDS; kind++) {
        char name[64] = "uncore_";

        assert_true(uncore_kind_name(kind)[0]);
        assert_int_equal(kind_of(uncore_kind_name(kind)), kind);
        strcat(name, uncore_kind_name(kind));
        assert_int_equal(kind_of(name), kind);
        for (char *c = name; *c; c++)
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
        assert_int_equal(kind_of(name), kind);
        assert_int_equal(uncore_kind_of(name, strlen(name) - 1), KIND_NONE);
    }
    assert_string_equal(uncore_kind_name(KIND_NONE), "");
    assert_string_equal(uncore_kind_name(UNCORE_KINDS), "");
    assert_int_equal(kind_of(""), KIND_NONE);
    assert_int_equal(kind_of("uncore_"), KIND_NONE);
    assert_int_equal(kind_of("core"), KIND_NONE);
    assert_int_equal(kind_of("uncore_uncore_cbox"), KIND_NONE);
}

TEST(faults_have_a_sentence_each)
{
    for (unsigned i = 0; i < UNCORE_FAULTS; i++) {
        assert_true(uncore_fault_text(i)[0]);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(uncore_fault_text(i), uncore_fault_text(k));
    }
    assert_string_equal(uncore_fault_text(UNCORE_FAULTS), "unknown fault");
}

static const struct uncore_energy_row *energy_of(const struct uncore_model *model)
{
    for (unsigned i = 0; i < UNCORE_ENERGY_ROWS; i++)
        if (UNCORE_ENERGY[i].vendor == model->vendor && UNCORE_ENERGY[i].family == model->family &&
            uncore_lists(UNCORE_ENERGY[i].model, UNCORE_ENERGY_MODELS, model->model[0]))
            return &UNCORE_ENERGY[i];
    return NULL;
}

TEST(another_machine)
{
    const struct uncore_model *model;

    for (unsigned i = 0; (model = uncore_model_at(i)); i++) {
        struct cpu_caps caps = fake_cpu(model->vendor, model->family, model->model[0]);
        const struct uncore_energy_row *energy = energy_of(model);
        unsigned kinds = 0;

        fake_nehalem();
        memset(&uncore, 0xa5, sizeof(uncore));
        uncore_of_model(&caps, &uncore);
        assert_int_equal(fake.reads + fake.absent + fake.writes, 0);
        assert_ptr_equal(uncore.model, model);
        for (; model->units[kinds]; kinds++) {
            const struct uncore_group *group =
                uncore_group(&uncore, model->units[kinds]->type.kind);

            assert_true(group && group->status == STATUS_OK && group->type.counters > 0);
            assert_int_equal(group->type.fields, model->units[kinds]->type.fields);
        }
        assert_int_equal(uncore.status, kinds > 0 ? STATUS_OK : STATUS_UNCORE_UNKNOWN);
        assert_int_equal(uncore.groups, kinds + (energy ? 1 : 0));
        for (unsigned e = 0; e < ENERGIES; e++) {
            assert_int_equal(uncore.energy_step[e], energy && energy->msr[e] ? 1 : 0);
            assert_int_equal(uncore.energy_msr[e], energy ? energy->msr[e] : 0);
        }
    }
}

TEST(an_unknown_model_is_not_touched)
{
    static const struct {
        uint32_t vendor, family, model;
    } CPUS[] = {{VENDOR_INTEL, 6, 0x17}, {VENDOR_INTEL, 6, 0xff}, {VENDOR_INTEL, 15, 0x1a},
                {VENDOR_AMD, 0x15, 1},   {VENDOR_AMD, 6, 0x1a},   {VENDOR_OTHER, 6, 0x1a}};

    for (size_t i = 0; i < sizeof(CPUS) / sizeof(CPUS[0]); i++) {
        fake_nehalem();
        find(CPUS[i].vendor, CPUS[i].family, CPUS[i].model);
        assert_null(uncore.model);
        assert_int_equal(uncore.status, STATUS_UNCORE_UNKNOWN);
        assert_int_equal(uncore.groups, 0);
        assert_int_equal(fake.reads + fake.absent, 0);
        memset(&record, 0xff, sizeof(record));
        uncore_describe(&uncore, &record);
        assert_string_equal(record.model, "");
        assert_int_equal(record.left_running | record.reserved, 0);
    }
}

/* Nehalem-EX's registers differ from Nehalem's, and are at other addresses. */
TEST(nehalem_ex_is_known_by_name_alone)
{
    for (uint32_t model = 0x2e; model <= 0x2f; model++) {
        fake_nehalem();
        find(VENDOR_INTEL, 6, model);
        assert_int_equal(uncore.status, STATUS_UNCORE_UNKNOWN);
        assert_int_equal(fake.reads + fake.absent, 0);
        uncore_describe(&uncore, &record);
        assert_string_equal(record.model, "Nehalem-EX, Westmere-EX");
        assert_int_equal(record.status, STATUS_UNCORE_UNKNOWN);
    }
}

TEST(no_model_stands_in_two_rows)
{
    static uint8_t rows[256];

    for (unsigned i = 0; i < uncore_models_count(); i++) {
        const struct uncore_model *model = uncore_model_at(i);

        assert_true(model->name[0]);
        assert_true(strlen(model->name) < sizeof(record.model));
        for (unsigned k = 0; k < UNCORE_MODELS_OF_ONE && model->model[k]; k++) {
            struct cpu_caps caps = fake_cpu(model->vendor, model->family, model->model[k]);

            assert_ptr_equal(uncore_model_of(&caps), model);
            assert_int_equal(rows[model->model[k]]++, 0);
        }
    }
    assert_null(uncore_model_at(uncore_models_count()));
}

TEST(rows_are_whole)
{
    for (unsigned i = 0; i < uncore_models_count(); i++) {
        const struct uncore_model *model = uncore_model_at(i);

        assert_null(model->units[UNCORE_GROUPS_MAX - 1]);
        for (unsigned k = 0; model->units[k]; k++) {
            const struct uncore_type *type = &model->units[k]->type;

            assert_true(type->kind > KIND_NONE && type->kind < UNCORE_KINDS);
            assert_true(type->counters <= UNCORE_COUNTERS_MAX && type->width_bits <= 64);
            assert_true((type->counters > 0 && type->width_bits >= 32) || model->units[k]->find);
            assert_true(model->units[k]->units <= UNCORE_UNITS_MAX);
            assert_int_equal(type->fields & type->enable, 0);
            assert_int_equal(type->cycles & ~type->fields, 0);
            assert_int_equal(type->forgets & ~type->fields, 0);
            assert_true((type->style == STYLE_SELECT) == (type->fields != 0));
            assert_true(!type->counters || (type->style == STYLE_FREE) == (type->enable == 0));
            assert_true(type->source && type->source[0] && type->unit && type->unit[0]);
        }
    }
}

TEST(nehalem_has_eight_counters_and_a_clock)
{
    static const uint8_t MODELS[] = {0x1a, 0x1e, 0x1f, 0x25, 0x2c};

    for (size_t i = 0; i < sizeof(MODELS); i++) {
        fake_nehalem();
        find(VENDOR_INTEL, 6, MODELS[i]);
        assert_int_equal(uncore.status, STATUS_OK);
        assert_int_equal(uncore.groups, 2);
        assert_int_equal(fake.absent, 0);
        uncore_describe(&uncore, &record);
        assert_string_equal(record.model, "Nehalem, Westmere");
        assert_int_equal(record.groups, 2);
        assert_int_equal(record.group[0].kind, KIND_UNCORE);
        assert_int_equal(record.group[0].counters, 8);
        assert_int_equal(record.group[0].width_bits, 48);
        assert_int_equal(record.group[0].units, 1);
        assert_int_equal(record.group[0].fault, UNCORE_UNTESTED);
        assert_int_equal(record.group[1].kind, KIND_CLOCK);
        assert_int_equal(record.group[1].counters, 1);
        assert_int_equal(record.group[2].kind, KIND_NONE);
        assert_null(uncore_group(&uncore, KIND_CBO));
        assert_ptr_equal(uncore_group(&uncore, KIND_CLOCK), &uncore.group[1]);
    }
}

TEST(a_refusal_is_of_its_group_alone)
{
    static const struct {
        uint32_t msr, general, clock;
    } ROWS[] = {{0x391, STATUS_UNCORE_REFUSED, STATUS_UNCORE_REFUSED},
                {0x396, STATUS_UNCORE_REFUSED, STATUS_OK},
                {0x3b0, STATUS_UNCORE_REFUSED, STATUS_OK},
                {0x3b7, STATUS_UNCORE_REFUSED, STATUS_OK},
                {0x3c0, STATUS_UNCORE_REFUSED, STATUS_OK},
                {0x3c7, STATUS_UNCORE_REFUSED, STATUS_OK},
                {0x394, STATUS_OK, STATUS_UNCORE_REFUSED},
                {0x395, STATUS_OK, STATUS_UNCORE_REFUSED}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        fake_nehalem();
        fake_msr(ROWS[i].msr)->read_faults = true;
        find(VENDOR_INTEL, 6, 0x1a);
        assert_int_equal(uncore_group(&uncore, KIND_UNCORE)->status, ROWS[i].general);
        assert_int_equal(uncore_group(&uncore, KIND_CLOCK)->status, ROWS[i].clock);
        assert_int_equal(uncore_group(&uncore, KIND_UNCORE)->units, ROWS[i].general == STATUS_OK);
    }
}

static const struct {
    uint8_t model;
    uint64_t global, control, counter, select, count, step;
    unsigned less; /* by how much MSR 396H exceeds the number of slices */
    unsigned arbs;
    uint64_t arb;
} CLIENTS[] = {
    {0x2a, 0x391, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x3a, 0x391, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x3c, 0x391, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x47, 0x391, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x5e, 0xe01, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x9e, 0xe01, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0xa5, 0xe01, 0x394, 0x395, 0x700, 0x706, 0x10, 1, 2, 0x3b2},
    {0x7e, 0xe01, 0x394, 0x395, 0x700, 0x702, 8, 0, 1, 0x3b3},
    {0xa7, 0xe01, 0x394, 0x395, 0x700, 0x702, 8, 0, 2, 0x3b2},
    {0x8c, 0xe01, 0x394, 0x395, 0x700, 0x702, 8, 0, 2, 0x3b2},
    {0x8d, 0xe01, 0x394, 0x395, 0x700, 0x702, 8, 0, 2, 0x3b2},
    {0x97, 0x2ff0, 0x2fde, 0x2fdf, 0x2000, 0x2002, 8, 0, 4, 0x2fd0},
    {0xb7, 0x2ff0, 0x2fde, 0x2fdf, 0x2000, 0x2002, 8, 0, 4, 0x2fd0},
};

static void client(size_t row, unsigned slices)
{
    unsigned global = fake_client(CLIENTS[row].global, CLIENTS[row].control, CLIENTS[row].counter,
                                  slices + CLIENTS[row].less);

    for (unsigned i = 0; i < slices; i++)
        fake_client_unit(global, CLIENTS[row].select + CLIENTS[row].step * i,
                         CLIENTS[row].count + CLIENTS[row].step * i, 2, 0x3f000000);
    if (CLIENTS[row].arbs == 4) {
        fake_client_unit(global, 0x2fd0, 0x2fd2, 2, 0x1f000000);
        fake_client_unit(global, 0x2fd8, 0x2fda, 2, 0x1f000000);
    } else {
        fake_client_unit(global, CLIENTS[row].arb, CLIENTS[row].arb - 2, CLIENTS[row].arbs,
                         0x1f000000);
    }
}

TEST(clients_have_as_many_slices_as_they_say)
{
    for (size_t row = 0; row < sizeof(CLIENTS) / sizeof(CLIENTS[0]); row++)
        for (unsigned slices = 1; slices <= 4; slices++) {
            client(row, slices);
            find(VENDOR_INTEL, 6, CLIENTS[row].model);
            assert_int_equal(fake.absent, 0);
            assert_int_equal(uncore_group(&uncore, KIND_CBO)->units, slices);
            assert_int_equal(uncore_group(&uncore, KIND_CBO)->status, STATUS_OK);
            assert_int_equal(uncore_group(&uncore, KIND_CBO)->type.width_bits, 44);
            assert_int_equal(uncore_group(&uncore, KIND_ARB)->status, STATUS_OK);
            assert_int_equal(uncore_group(&uncore, KIND_ARB)->units *
                                 uncore_group(&uncore, KIND_ARB)->type.counters,
                             CLIENTS[row].arbs);
            assert_int_equal(uncore_group(&uncore, KIND_CLOCK)->status, STATUS_OK);
            assert_int_equal(uncore_group(&uncore, KIND_CLOCK)->type.width_bits,
                             CLIENTS[row].global == 0x391 ? 48 : 44);
        }
}

/* Coffee Lake's eighth slice is at F70h. No addresses are documented for more slices. */
TEST(skylake_and_its_kin_have_at_most_eight_slices)
{
    client(5, 7);
    fake_client_unit(fake_find(SPACE_MSR, 0xe01), 0xf70, 0xf76, 2, 0x1f000000);
    fake_msr(0x396)->value = 9;
    find(VENDOR_INTEL, 6, 0x9e);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->status, STATUS_OK);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->units, 8);
    assert_int_equal(fake.absent, 0);
    fake_msr(0x396)->value = 10;
    find(VENDOR_INTEL, 6, 0x9e);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->status, STATUS_UNCORE_UNKNOWN);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->units, 0);
    assert_int_equal(uncore_group(&uncore, KIND_ARB)->status, STATUS_OK);
    fake_msr(0x396)->value = 1; /* only the graphics */
    find(VENDOR_INTEL, 6, 0x9e);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->status, STATUS_UNCORE_ABSENT);
    fake_msr(0x396)->read_faults = true;
    find(VENDOR_INTEL, 6, 0x9e);
    assert_int_equal(uncore_group(&uncore, KIND_CBO)->status, STATUS_UNCORE_REFUSED);
}
