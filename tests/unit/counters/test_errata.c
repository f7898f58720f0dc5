/* SPDX-License-Identifier: BSD-2-Clause */
/* Known errata of counters, from Intel's and AMD's documents and perfmon's field "Errata". */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/errata.h"
#include "pmu/events/table.h"
#include "pmu/uncore/uncore.h"

static struct cpu_caps cpu(uint32_t model)
{
    return (struct cpu_caps){
        .vendor = VENDOR_INTEL, .family = 6, .model = model, .pmu_version = 3, .gp_count = 4};
}

static struct event of(uint64_t select, int8_t fixed)
{
    return (struct event){.select = select, .fixed = fixed};
}

static void fail_at(void *context, uint32_t line, const char *sentence)
{
    (void)context;
    fail_msg("line %u: %s", line, sentence);
}

static size_t read_table(const char *name, struct event_tables *tables, struct cpu_caps *caps)
{
    static char text[400000];
    static const struct event_errors NO_ERRORS = {NULL, fail_at};
    char path[100];
    FILE *file;
    size_t size;

    snprintf(path, sizeof(path), "pmu/events/perfmon/%s.csv", name);
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(text, 1, sizeof(text), file);
    fclose(file);
    assert_true(size < sizeof(text));
    return event_table_read(tables, text, size, caps, false, &NO_ERRORS);
}

static bool has_one_of(const char *names, struct piece others)
{
    while (others.at) {
        struct piece other = piece_cut(others, ',', &others), rest = piece_of(names);

        while (rest.at)
            if (piece_same_name(piece_cut(rest, ',', &rest), other))
                return true;
    }
    return false;
}

/*
 * For general counters, the program reports an erratum exactly for the events whose perfmon entry
 * lists one.
 */
TEST(errata_of_perfmon)
{
    static const struct {
        const char *table;
        uint32_t model;
        uint16_t core_type, native_model;
        unsigned doubtful; /* at least this many events have errata */
        uint32_t more;     /* 0xc0: perfmon omits the errata of events C0H and C4H; 0: omits none */
    } CORES[] = {
        {"haswell", 0x3c, 0, 0, 60, 0xc0},
        {"haswellx", 0x3f, 0, 0, 60, 0xc0},
        {"broadwell", 0x3d, 0, 0, 50, 0},
        {"broadwellde", 0x56, 0, 0, 50, 0},
        {"broadwellx", 0x4f, 0, 0, 50, 0},
        {"skylake", 0x9e, 0, 0, 15, 0},
        {"skylakex", 0x55, 0, 0, 15, 0},
        {"cascadelakex", 0x55, 0, 0, 15, 0},
        {"alderlake_goldencove", 0xb7, CORE_TYPE_CORE, 1, 3, 0},
        {"alderlake_gracemont", 0xb7, CORE_TYPE_ATOM, 1, 0, 0},
        {"meteorlake_crestmont", 0xaa, CORE_TYPE_ATOM, 2, 9, 0},
        {"meteorlake_redwoodcove", 0xaa, CORE_TYPE_CORE, 2, 0, 0},
        {"arrowlake_crestmont", 0xc5, CORE_TYPE_ATOM, 2, 9, 0},
        {"arrowlake_skymont", 0xc5, CORE_TYPE_ATOM, 3, 0, 0},
        {"sierraforest", 0xaf, CORE_TYPE_ATOM, 2, 9, 0xc0},
        {"icelakex", 0x6a, 0, 0, 0, 0},
        {"sapphirerapids", 0x8f, CORE_TYPE_CORE, 0, 0, 0},
    };
    static struct event_entry entries[5000];

    for (size_t i = 0; i < sizeof(CORES) / sizeof(CORES[0]); i++) {
        struct event_tables tables = {.entry = entries, .room = 5000};
        struct cpu_caps caps = cpu(CORES[i].model);
        unsigned doubtful = 0;

        caps.core_type = CORES[i].core_type;
        caps.native_model = CORES[i].native_model;
        caps.smt_shift = 1;
        assert_int_equal(read_table(CORES[i].table, &tables, &caps), 0);
        for (size_t e = 0; e < tables.count; e++) {
            const struct event_entry *entry = &entries[e];
            const struct event event = of(entry->select, entry->fixed);
            const struct erratum *erratum = event_erratum(&event, &caps, !entry->has_select);

            if (entry->kind != KIND_NONE)
                continue;
            doubtful += entry->errata.size > 0;
            if (entry->errata.size > 0 && entry->fixed < 0 &&
                !(erratum && has_one_of(erratum->name, entry->errata)))
                fail_msg("%s: %.40s: %s", CORES[i].table, entry->name.at,
                         erratum ? erratum->name : "no erratum");
            if (entry->errata.size == 0 && entry->fixed < 0 && erratum &&
                entry->select != 0x40cc && /* perfmon names the erratum only in the description */
                (CORES[i].more == 0 || (entry->select & 0xfb) != CORES[i].more))
                fail_msg("%s: %.40s: %s", CORES[i].table, entry->name.at, erratum->name);
        }
        assert_true(doubtful >= CORES[i].doubtful);
    }
}

TEST(errata_of_one_core)
{
    struct cpu_caps caps = cpu(0x97);
    struct event event = of(0x0820, EVENT_NOT_FIXED);

    caps.core_type = CORE_TYPE_CORE;
    assert_string_equal(event_erratum(&event, &caps, false)->name, "ADL038");
    caps.core_type = 0; /* efficiency cores are off */
    assert_non_null(event_erratum(&event, &caps, false));
    caps.core_type = CORE_TYPE_ATOM;
    assert_null(event_erratum(&event, &caps, false));
}

TEST(known_errata)
{
    enum { GENERAL, FIXED };
    static const struct {
        uint32_t model, smt_shift, absent, select;
        int counter;
        const char *name; /* a prefix; "": no erratum */
    } ROWS[] = {
        {0x55, 0, 0, 0x00c0, GENERAL, "SKL091"},
        {0x55, 0, 0, 0x01c0, GENERAL, "SKL091"},
        {0x55, 0, 0, 0x00c0, FIXED, ""},
        {0x9e, 0, 0, 0x20c4, GENERAL, "SKL091"},
        {0x9e, 0, 0, 0x01c4 | 1u << 24, GENERAL, "SKL091"},
        {0x9e, 0, 0, 0x00c5, GENERAL, ""},
        {0x9e, 1, 0, 0x81d0, GENERAL, ""},
        {0x6a, 0, 0, 0x00c0, GENERAL, ""},
        {0x3c, 0, 0, 0x00c0, GENERAL, "HSD140"},
        {0x3f, 0, 0, 0x00c0, FIXED, "HSD140"},
        {0x3c, 0, 0, 0x00c4, GENERAL, ""},
        {0x3d, 0, 0, 0x00c0, GENERAL, "BDM61"}, /* Broadwell */
        {0x3d, 0, 0, 0x00c0, FIXED, ""},
        {0x56, 0, 0, 0x0860, GENERAL, "BDM76"},
        {0x9e, 0, 0, 0x412e, GENERAL, "SKL057"},
        {0x45, 0, 0, 0x01d3, GENERAL, "HSD74"},
        {0x45, 1, 0, 0x01d3, GENERAL, "BJ122"},
        {0x2a, 1, 0, 0x81d0, GENERAL, "BJ122"},
        {0x3e, 1, 0, 0x01d3, GENERAL, "BJ122"},
        {0x45, 1, 0, 0x01d1, GENERAL, "BJ122"},
        {0x45, 1, 0, 0x01d4, GENERAL, ""},
        {0x45, 1, 0, 0x01cf, GENERAL, ""},
        {0x45, 0, 0, 0x01d1, GENERAL, ""}, /* no second thread */
        {0x1a, 0, 1u << 6, 0x00c5, GENERAL, "AAJ80"},
        {0x1a, 0, 1u << 5, 0x00c5, GENERAL, ""},
        {0x1a, 0, 1u << 6, 0x01c5, GENERAL, ""},
        {0x2c, 0, 1u << 6, 0x00c5, GENERAL, ""}, /* Westmere */
        {0x5f, 0, 0, 0x00c0, FIXED, "SRF7"},
        {0xaf, 0, 0, 0x00c0, GENERAL, "SRF7"},
        {0xaf, 0, 0, 0x00c4, GENERAL, "SRF7"},
        {0xdd, 0, 0, 0x00c0, FIXED, "like SRF7"},
        {0xdd, 0, 0, 0x00c4, GENERAL, ""},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct cpu_caps caps = cpu(ROWS[i].model);
        struct event event = of(ROWS[i].select, ROWS[i].counter == FIXED ? 0 : EVENT_NOT_FIXED);
        const struct erratum *erratum;

        caps.smt_shift = ROWS[i].smt_shift;
        caps.arch_events_absent = ROWS[i].absent;
        erratum = event_erratum(&event, &caps, ROWS[i].counter == FIXED);
        assert_int_equal(erratum != NULL, ROWS[i].name[0] != 0);
        if (erratum) {
            assert_memory_equal(erratum->name, ROWS[i].name, strlen(ROWS[i].name));
            assert_in_range(strlen(erratum->sentence), 20, 120);
            assert_string_equal(erratum->effect, strncmp(erratum->sentence, "too many ", 9) == 0
                                                     ? "too many"
                                                     : "wrong");
        }
    }
}

TEST(another_fixed_counter)
{
    struct cpu_caps caps = cpu(0x3c);
    struct event event = of(0x003c, 1);

    assert_null(event_erratum(&event, &caps, true));
}

TEST(no_such_fixed_counter)
{
    struct cpu_caps caps = cpu(0x3c);

    for (int counter = FIXED_COUNTERS_MAX; counter <= INT8_MAX; counter++) {
        struct event event = of(0x00c0, (int8_t)counter);

        assert_null(event_erratum(&event, &caps, true));
    }
}

TEST(other_makers_have_others)
{
    struct cpu_caps caps = cpu(0x55);
    struct event event = of(0x00c0, EVENT_NOT_FIXED);

    assert_non_null(event_erratum(&event, &caps, false));
    caps.family = 0x19;
    assert_null(event_erratum(&event, &caps, false));
    caps.family = 6;
    caps.vendor = VENDOR_OTHER;
    assert_null(event_erratum(&event, &caps, false));
}

/* AMD's event number is in bits 35:32 and 7:0 of the select. */
TEST(errata_of_amd)
{
    static const struct {
        uint32_t family, model;
        const char *name;
    } CPUS[] = {
        {0x17, 0x01, "990"}, {0x17, 0x08, "990"}, {0x17, 0x11, ""},     {0x17, 0x31, "1291"},
        {0x17, 0x71, ""},    {0x18, 0x10, "990"}, {0x19, 0x01, "1292"}, {0x19, 0x21, ""},
        {0x19, 0x11, ""},    {0x1a, 0x02, ""},
    };
    static const uint64_t WRONG[] = {0xc0, 0xc5, 0xc8, 0xca, 0xcc, 0xd1, 0x1000000c7, 0x1000000d0};
    static const uint64_t RIGHT[] = {0x76, 0xc6, 0xc7, 0x529, 0x1000000c8, 0x2000000c0};

    for (size_t i = 0; i < sizeof(CPUS) / sizeof(CPUS[0]); i++) {
        const struct cpu_caps caps = {
            .vendor = VENDOR_AMD, .family = CPUS[i].family, .model = CPUS[i].model};

        for (size_t k = 0; k < sizeof(WRONG) / sizeof(WRONG[0]); k++) {
            struct event event = of(WRONG[k], EVENT_NOT_FIXED);
            const struct erratum *erratum = event_erratum(&event, &caps, false);

            assert_string_equal(erratum ? erratum->name : "", CPUS[i].name);
            assert_true(!erratum || erratum_number(erratum) < ERRATA_MAX);
            assert_string_equal(erratum ? erratum->effect : "too many", "too many");
            event.select |= 1ull << 43; /* PREC_RET */
            erratum = event_erratum(&event, &caps, false);
            assert_int_equal(erratum != NULL, strncmp(CPUS[i].name, "99", 2) == 0 ||
                                                  strcmp(CPUS[i].name, "1291") == 0);
        }
        for (size_t k = 0; k < sizeof(RIGHT) / sizeof(RIGHT[0]); k++) {
            struct event event = of(RIGHT[k], EVENT_NOT_FIXED);

            assert_null(event_erratum(&event, &caps, false));
        }
    }
}

TEST(counters_left_out)
{
    struct cpu_caps caps = cpu(0x66);
    struct event event = of(0x00c0, EVENT_NOT_FIXED);

    assert_int_equal(errata_left_out(&caps), 0);
    caps.features = FEATURE_TSX_ABORT;
    assert_int_equal(errata_left_out(&caps), 1u << 3);
    assert_null(event_erratum(&event, &caps, false));
}
