/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in uncore names: the event of each name on each model, from the manual's fields. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "tests/unit/fakes/uncore_units.h"
#include "pmu/events/find.h"
#include "pmu/events/uncore.h"
#include "pmu/uncore/names.h"

BEFORE_ALL(forget_tables);

#define NAMES 8u

/* Display models, Intel SDM vol. 4, "CPUID Signature Values of DisplayFamily_DisplayModel". */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x25, 0x2c};
static const uint8_t CLIENTS[] = {0x2a, 0x3a, 0x3c, 0x45, 0x46, 0x3d, 0x47,
                                  0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6};
/* Intel does not document the last-level cache events of clients from Ice Lake on. */
static const uint8_t NEWER_CLIENTS[] = {0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0x97, 0x9a, 0xb7, 0xbf};

static const char *const NAME[NAMES] = {
    "llc_lookups",  "llc_misses",        "dram_read_bytes", "dram_write_bytes",
    "uncore_clock", "package_energy_uJ", "dram_energy_uJ",  "core_energy_uJ",
};

/* A select's bits 7:0 are the event, bits 15:8 the unit mask. */
#define EVENT(number, mask) ((uint64_t)(number) + 256u * (mask))

/*
 * Unit mask of a CBo's event 34h: bits 0 to 3 are the states M, E, S and I. Bits 4 to 7 are kinds
 * of requests; bit 7 is any kind.
 */
#define CBO_M   1u
#define CBO_E   2u
#define CBO_S   4u
#define CBO_I   8u
#define CBO_ANY 0x80u

/*
 * In a CHA's unit mask, bit 0 is always set, and bit 4 means any request. In filter 0, the states
 * begin at bit 17.
 */
#define CHA_ALWAYS 0x01u
#define CHA_ANY    0x10u
enum { LLC_I, SF_S, SF_E, SF_H, LLC_S, LLC_E, LLC_M, LLC_F };
#define CHA_STATE(state) (1u << (17 + (state)))

/* UNC_QMC_*: bits 2:0 are the channels. UNC_LLC_*: bit 0 is READ, bit 1 WRITE. */
#define QMC_ANY 7u
#define LLC_ANY 3u

/*
 * In a CHA from Sapphire Rapids on, the unit mask selects the states, and the extended mask the
 * requests. Bits 4:0 of the extended mask are specific kinds, bit 5 any kind, bits 10:6 the origin,
 * and bits 12:11 the destination.
 */
#define EVENT_EXT(number, states, whose) (EVENT(number, states) | (uint64_t)(whose) << 32)
#define ALL_STATES                       0xffu
#define STATE_I                          1u
#define KINDS                            0x001fu
#define ANY_FROM_ANYWHERE                0x1fe0u

/* CAS_COUNT of a Skylake server: RD_REG, RD_UNDERFILL, WR_WMM, WR_RMM. */
#define RD_REG       1u
#define RD_UNDERFILL 2u
#define WR_WMM       4u
#define WR_RMM       8u

/*
 * CAS_COUNT of later servers: bits 3:0 are reads, bits 5:4 writes, bits 7:6 the two pseudo
 * channels.
 */
#define READS  0xcfu
#define WRITES 0xf0u

struct expected {
    uint64_t kind; /* KIND_NONE: absent */
    uint64_t select;
    uint64_t msr;
    uint64_t extra;
    uint64_t second;
};

static struct event event;
static char why[EVENT_WHY_BYTES];

static enum status find(const char *name)
{
    struct out out = out_buffer(why, sizeof(why));
    enum status status = uncore_event_find(&tables, &uncore, name, strlen(name), &event, &out);

    assert_string_equal(event.name, name);
    out_end(&out);
    return status;
}

static void check(const struct expected expected[NAMES])
{
    static const uint8_t UNIT[NAMES] = {
        UNIT_COUNT,         UNIT_COUNT,       UNIT_BYTES,       UNIT_BYTES,
        UNIT_UNCORE_CYCLES, UNIT_MICROJOULES, UNIT_MICROJOULES, UNIT_MICROJOULES,
    };

    for (unsigned i = 0; i < NAMES; i++) {
        enum status status = find(NAME[i]);

        if (status != (expected[i].kind ? STATUS_OK : STATUS_UNCORE_ABSENT))
            fail_msg("%x: status %u: %s", uncore.model->model[0], status, why);
        if (status == STATUS_OK &&
            (event.kind != expected[i].kind || event.select != expected[i].select ||
             event.extra_msr != expected[i].msr || event_second(&event) != expected[i].second ||
             (!expected[i].second && event.extra != expected[i].extra)))
            fail_msg("%x, %s: kind %u, select %llx, msr %x = %llx", uncore.model->model[0], NAME[i],
                     event.kind, (unsigned long long)event.select, event.extra_msr,
                     (unsigned long long)event.extra);
        assert_int_equal(event.unit, UNIT[i]);
    }
}

TEST(nehalem)
{
    const struct expected expected[NAMES] = {
        [0] = {KIND_UNCORE, EVENT(0x08, LLC_ANY), 0, 0, EVENT(0x09, LLC_ANY)},
        [1] = {KIND_UNCORE, EVENT(0x09, LLC_ANY), 0, 0, 0},
        [2] = {KIND_UNCORE, EVENT(0x2c, QMC_ANY), 0, 0, 0},
        [3] = {KIND_UNCORE, EVENT(0x2f, QMC_ANY), 0, 0, 0},
        [4] = {KIND_CLOCK, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(NEHALEM); i++) {
        nehalem_uncore();
        fake_model.model[0] = NEHALEM[i];
        check(expected);
    }
    assert_int_equal(find("llc_misses"), STATUS_OK);
    assert_int_equal(event.counters, 0xff);
    assert_int_equal(find("uncore_clock"), STATUS_OK);
    assert_int_equal(event.counters, 1);
}

/* Reads and writes are free-running counters 0 and 1. client_uncore() sets the energy steps. */
TEST(clients)
{
    struct expected expected[NAMES] = {
        [0] = {KIND_CBO, EVENT(0x34, CBO_ANY | CBO_M | CBO_E | CBO_S | CBO_I), 0, 0, 0},
        [1] = {KIND_CBO, EVENT(0x34, CBO_ANY | CBO_I), 0, 0, 0},
        [2] = {KIND_IMC_FREE, 0, 0, 0, 0},
        [3] = {KIND_IMC_FREE, 0, 0, 0, 0},
        [4] = {KIND_CLOCK, 0, 0, 0, 0},
        [5] = {KIND_ENERGY, 0, 0, 1000, 0},
        [7] = {KIND_ENERGY, 0, 0, 2000, 0},
    };

    for (size_t i = 0; i < sizeof(CLIENTS); i++) {
        client_uncore(CLIENTS[i]);
        check(expected);
    }
    expected[0] = expected[1] = (struct expected){0};
    for (size_t i = 0; i < sizeof(NEWER_CLIENTS); i++) {
        client_uncore(NEWER_CLIENTS[i]);
        check(expected);
    }
    assert_int_equal(find("dram_read_bytes"), STATUS_OK);
    assert_int_equal(event.counters, 1);
    assert_int_equal(find("dram_write_bytes"), STATUS_OK);
    assert_int_equal(event.counters, 2);
    assert_int_equal(find("core_energy_uJ"), STATUS_OK);
    assert_int_equal(event.counters, 1 << ENERGY_CORE);
}

TEST(skylake_servers)
{
    const uint32_t all = CHA_STATE(LLC_I) | CHA_STATE(SF_S) | CHA_STATE(SF_E) | CHA_STATE(SF_H) |
                         CHA_STATE(LLC_S) | CHA_STATE(LLC_E) | CHA_STATE(LLC_M) | CHA_STATE(LLC_F);
    const struct expected expected[NAMES] = {
        [0] = {KIND_CHA, EVENT(0x34, CHA_ANY | CHA_ALWAYS), 0xe05, all, 0},
        [1] = {KIND_CHA, EVENT(0x34, CHA_ANY | CHA_ALWAYS), 0xe05, CHA_STATE(LLC_I), 0},
        [2] = {KIND_IMC, EVENT(0x04, RD_REG | RD_UNDERFILL), 0, 0, 0},
        [3] = {KIND_IMC, EVENT(0x04, WR_WMM | WR_RMM), 0, 0, 0},
        [5] = {KIND_ENERGY, 0, 0, 1000, 0},
        [6] = {KIND_ENERGY, 0, 0, 3000, 0},
    };

    skylake_server_uncore();
    check(expected);
}

TEST(servers_with_a_discovery_table)
{
    static const uint8_t MODELS[] = {0x8f, 0xcf};
    const struct expected expected[NAMES] = {
        [0] = {KIND_CHA, EVENT_EXT(0x34, ALL_STATES, ANY_FROM_ANYWHERE | KINDS), 0, 0, 0},
        [1] = {KIND_CHA, EVENT_EXT(0x34, STATE_I, ANY_FROM_ANYWHERE), 0, 0, 0},
        [2] = {KIND_IMC, EVENT(0x05, READS), 0, 0, 0},
        [3] = {KIND_IMC, EVENT(0x05, WRITES), 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(MODELS); i++) {
        start_uncore(MODELS[i]);
        add_group(KIND_CHA, STYLE_SELECT, 4, UNCORE_EVENT_UMASK | UNCORE_UMASK_EXT);
        add_group(KIND_IMC, STYLE_SELECT, 4, UNCORE_EVENT_UMASK);
        check(expected);
    }
}

/* Events 5 and 6 count the two halves of a channel. */
TEST(servers_with_halved_channels)
{
    static const uint8_t MODELS[] = {0xad, 0xae, 0xaf};
    const struct expected expected[NAMES] = {
        [2] = {KIND_IMC, EVENT(0x05, READS), 0, 0, EVENT(0x06, READS)},
        [3] = {KIND_IMC, EVENT(0x05, WRITES), 0, 0, EVENT(0x06, WRITES)},
    };

    for (size_t i = 0; i < sizeof(MODELS); i++) {
        start_uncore(MODELS[i]);
        add_group(KIND_CHA, STYLE_SELECT, 4, UNCORE_EVENT_UMASK | UNCORE_UMASK_EXT);
        add_group(KIND_IMC, STYLE_SELECT, 4, UNCORE_EVENT_UMASK);
        check(expected);
    }
    assert_int_equal(find("llc_misses"), STATUS_UNCORE_ABSENT);
    assert_non_null(strstr(why, "perfmon has no event of all lookups"));
}

TEST(other_families)
{
    const struct expected expected[NAMES] = {[4] = {KIND_CLOCK, 0, 0, 0, 0}};

    nehalem_uncore();
    fake_model.family = 0xf;
    check(expected);
    fake_model.family = 6;
}

static void uncore_of(const struct uncore_model *model)
{
    memset(&uncore, 0, sizeof(uncore));
    uncore.model = model;
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX && model->units[i]; i++) {
        uncore.group[i] = (struct uncore_group){
            .type = model->units[i]->type, .units = 1, .unit = {model->units[i]->first}};
        if (uncore.group[i].type.counters == 0)
            uncore.group[i].type.counters = 4; /* as if found in a discovery table */
        uncore.groups++;
    }
}

TEST(models)
{
    unsigned found[UNCORE_READIES] = {0};

    for (unsigned i = 0; i < uncore_models_count(); i++) {
        uncore_of(uncore_model_at(i));
        for (unsigned j = READY_LLC_LOOKUPS; j <= READY_CLOCK; j++) {
            const char *instead;
            bool has = uncore_ready_event(&uncore, (enum uncore_ready)j, &instead);

            if (find(NAME[j]) != (has ? STATUS_OK : STATUS_UNCORE_ABSENT))
                fail_msg("%s: %s", uncore.model->name, why);
            found[j] += has;
        }
    }
    for (unsigned j = READY_LLC_LOOKUPS; j <= READY_CLOCK; j++)
        assert_true(found[j] >= 3);
}

TEST(rows_fit_the_models)
{
    for (unsigned i = 0; i < UNCORE_READY_COUNT; i++)
        for (unsigned j = 0; UNCORE_READY[i].models && UNCORE_READY[i].models[j]; j++) {
            const struct cpu_caps caps = {
                .vendor = VENDOR_INTEL, .family = 6, .model = UNCORE_READY[i].models[j]};

            assert_non_null(uncore_model_of(&caps));
            uncore_of(uncore_model_of(&caps));
            if (!uncore_group(&uncore, UNCORE_READY[i].kind))
                fail_msg("%x has no %s", caps.model, uncore_kind_name(UNCORE_READY[i].kind));
        }
}

TEST(rows)
{
    for (unsigned i = 0; i < UNCORE_READIES; i++) {
        assert_string_equal(uncore_ready_name(i), NAME[i]);
        assert_int_equal(uncore_ready_of(piece_of(NAME[i])), i);
    }
    assert_string_equal(uncore_ready_name(UNCORE_READIES), "");
    assert_int_equal(uncore_ready_of(piece_of("llc_lookup")), UNCORE_READIES);
    for (unsigned i = 0; i < UNCORE_READY_COUNT; i++) {
        const struct uncore_ready_event *row = &UNCORE_READY[i];

        assert_true(row->kind != KIND_NONE && row->kind != KIND_ENERGY && row->counters != 0);
        assert_true(strlen(row->name) > 4 && strlen(row->source) > 20);
        assert_int_equal(strstr(row->name, " + ") != NULL, row->second != 0);
        /* struct event cannot store both a second event and a filter */
        assert_false(row->second && row->filter >= 0);
    }
}
