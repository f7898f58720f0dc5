/* SPDX-License-Identifier: BSD-2-Clause */
/* Known errata of counters, from Intel's specification updates and perfmon's field "Errata". */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/errata.h"

static struct cpu_caps cpu(uint32_t model)
{
    return (struct cpu_caps){
        .vendor = VENDOR_INTEL, .family = 6, .model = model, .pmu_version = 3, .gp_count = 4};
}

static struct event of(uint64_t select, int8_t fixed)
{
    return (struct event){.select = select, .fixed = fixed};
}

TEST(known_errata)
{
    enum { GENERAL, FIXED };
    static const struct {
        uint32_t model, smt_shift, absent, select;
        int counter;
        const char *name; /* a prefix; "": none */
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
        {0x3d, 0, 0, 0x00c0, GENERAL, ""}, /* Broadwell */
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
        }
    }
}

/* Cycles on their fixed counter are not affected by errata of instructions. */
TEST(another_fixed_counter)
{
    struct cpu_caps caps = cpu(0x3c);
    struct event event = of(0x003c, 1);

    assert_null(event_erratum(&event, &caps, true));
}

/* A damaged journal may name a fixed counter that does not exist. */
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

/* TSX force abort reserves a counter, but causes no wrong counts. */
TEST(counters_left_out)
{
    struct cpu_caps caps = cpu(0x66);
    struct event event = of(0x00c0, EVENT_NOT_FIXED);

    assert_int_equal(errata_left_out(&caps), 0);
    caps.features = FEATURE_TSX_ABORT;
    assert_int_equal(errata_left_out(&caps), 1u << 3);
    assert_null(event_erratum(&event, &caps, false));
}
