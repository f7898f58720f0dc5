/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of IA32_PERFEVTSELx and PERF_CTL, and the description of events in words. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/cpu/caps.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/select.h"

BEFORE_ALL(random_start);

static const uint64_t VALUE[SELECT_FIELDS] = {
    [SELECT_EVENT] = 0x2e, [SELECT_UMASK] = 0x41, [SELECT_E] = 1,     [SELECT_ANY] = 1,
    [SELECT_INV] = 1,      [SELECT_CMASK] = 0x10, [SELECT_IN_TX] = 1, [SELECT_IN_TXCP] = 1,
    [SELECT_EQ] = 1,       [SELECT_PREC_RET] = 1,
};

static uint64_t encode(const struct select_layout *layout, unsigned fields)
{
    uint64_t select = 0;

    for (unsigned i = 0; i < SELECT_FIELDS; i++)
        if (fields >> i & 1)
            assert_true(select_set(layout, (enum select_field)i, VALUE[i], &select));
    return select;
}

/* Intel SDM vol. 3B: EVENT is bits 7:0, UMASK 15:8, E 18, ANY 21, INV 23, CMASK 31:24. */
TEST(fields_of_intel)
{
    static const struct {
        unsigned field;
        uint64_t select;
    } ROWS[] = {
        {SELECT_EVENT, 0x2e},       {SELECT_UMASK, 0x4100},       {SELECT_E, 0x40000},
        {SELECT_ANY, 0x200000},     {SELECT_INV, 0x800000},       {SELECT_CMASK, 0x10000000},
        {SELECT_IN_TX, 1ull << 32}, {SELECT_IN_TXCP, 1ull << 33}, {SELECT_EQ, 1ull << 36},
    };
    const struct select_layout *layout = select_layout(VENDOR_INTEL);
    uint64_t select = 0;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_int_equal(encode(layout, 1u << ROWS[i].field), ROWS[i].select);
    /* LLC misses with USR and EN */
    assert_int_equal(encode(layout, 3) | EVTSEL_USR | EVTSEL_EN, 0x41412e);
    /* UMASK2 (bits 47:40) extends UMASK */
    assert_true(select_set(layout, SELECT_UMASK, 0x1234, &select));
    assert_int_equal(select, 0x12ull << 40 | 0x34ull << 8);
    assert_int_equal(select_get(layout, SELECT_UMASK, select), 0x1234);
    assert_int_equal(select_bits(layout), 0xff | 0xff00 | 0x40000 | 0x200000 | 0x800000 |
                                              0xff000000ull | 3ull << 32 | 1ull << 36 |
                                              0xffull << 40);
    assert_int_equal(select_bits(layout) & (EVTSEL_USR | EVTSEL_OS | EVTSEL_EN), 0);
}

/*
 * AMD APM vol. 2: bits 35:32 are event bits 11:8, and bit 43 is PREC_RET. ANY, IN_TX and EQ do not
 * exist.
 */
TEST(fields_of_amd)
{
    const struct select_layout *layout = select_layout(VENDOR_AMD);
    uint64_t select = 0x4100;

    assert_true(select_set(layout, SELECT_EVENT, 0x18e, &select));
    assert_int_equal(select, 1ull << 32 | 0x418e);
    assert_int_equal(select_get(layout, SELECT_EVENT, select), 0x18e);
    assert_int_equal(select_max(layout, SELECT_EVENT), 0xfff);
    assert_int_equal(encode(layout, 1u << SELECT_PREC_RET), 1ull << 43);
    assert_int_equal(select_max(layout, SELECT_ANY), 0);
    assert_false(select_set(layout, SELECT_ANY, 1, &select));
    assert_int_equal(select, 1ull << 32 | 0x418e);
}

TEST(values_out_of_range)
{
    static const uint64_t MAX[SELECT_FIELDS] = {255, 65535, 1, 1, 1, 255, 1, 1, 1};
    const struct select_layout *layout = select_layout(VENDOR_INTEL);

    for (unsigned i = 0; i < SELECT_FIELDS; i++) {
        uint64_t select = 0x5555555555555555;

        assert_int_equal(select_max(layout, (enum select_field)i), MAX[i]);
        assert_false(select_set(layout, (enum select_field)i, MAX[i] + 1, &select));
        assert_false(select_set(layout, (enum select_field)i, UINT64_MAX, &select));
        assert_int_equal(select, 0x5555555555555555);
    }
}

TEST(fields_are_apart)
{
    for (unsigned round = 0; round < 10000; round++) {
        const struct select_layout *layout =
            select_layout(random_below(2) ? VENDOR_INTEL : VENDOR_AMD);
        enum select_field field = (enum select_field)random_below(SELECT_FIELDS);
        uint64_t value = random_bits() & select_max(layout, field);
        uint64_t before = random_bits(), after = before;

        if (select_max(layout, field) == 0)
            continue;
        assert_true(select_set(layout, field, value, &after));
        assert_int_equal(select_get(layout, field, after), value);
        assert_int_equal((before ^ after) & ~layout->field[field], 0);
    }
}

/*
 * perf encodes instructions, core cycles, reference cycles and slots as event 0 with unit masks 1
 * to 4.
 */
TEST(selects_of_fixed_counters)
{
    for (int8_t i = 0; i < 16; i++) {
        assert_int_equal(select_of_fixed(i), (i + 1) << 8);
        assert_int_equal(select_fixed(select_of_fixed(i)), i);
    }
    assert_int_equal(select_fixed(0), EVENT_NOT_FIXED);
    assert_int_equal(select_fixed(0x8000), EVENT_NOT_FIXED);
    assert_int_equal(select_fixed(0x1000300), EVENT_NOT_FIXED);
    assert_int_equal(select_fixed(0x013c), EVENT_NOT_FIXED);
}

static void assert_words(struct event event, const char *expected)
{
    assert_written(select_words(VENDOR_INTEL, &event, &out), expected);
}

TEST(events_in_words)
{
    assert_words((struct event){.select = 0x412e, .rings = RING_OS, .fixed = EVENT_NOT_FIXED},
                 "event 2EH, unit mask 41H, CPL 0");
    assert_words((struct event){.select = 0x180412e, .rings = RING_OS, .fixed = EVENT_NOT_FIXED},
                 "event 2EH, unit mask 41H, CPL 0; threshold (CMASK) 1, inverted (INV)");
    assert_words((struct event){.select = 0x3c, .rings = RING_OS | RING_USR, .fixed = 1},
                 "event 3CH, unit mask 00H, every CPL; or fixed counter 1");
    assert_words((struct event){.select = 0x0100, .rings = RING_USR, .fixed_only = 1},
                 "fixed counter 0, CPL 1 to 3");
    assert_words((struct event){.select = 0x1b7,
                                .rings = RING_USR,
                                .extra_msr = 0x1a6,
                                .extra = 0x3fbfc00001,
                                .fixed = EVENT_NOT_FIXED},
                 "event B7H, unit mask 01H, CPL 1 to 3; register 1A6H (offcore response 0) is "
                 "3FBFC00001H");
    assert_words((struct event){.extra_msr = 0x123, .fixed = EVENT_NOT_FIXED},
                 "event 00H, unit mask 00H, no CPL; register 123H is 00H");
    /* No described field contains bits 63:48, 39:37, 35, 34, 22, 20, 19, 17 and 16. */
    assert_words((struct event){.select = UINT64_MAX, .rings = RING_OS, .fixed = EVENT_NOT_FIXED},
                 "event FFH, unit mask FFFFH, CPL 0; threshold (CMASK) 255, inverted (INV), equal "
                 "to the threshold only (EQ), edges (E), any thread of the core (ANY), in "
                 "transactions (IN_TX), without aborted transactions (IN_TXCP), other bits "
                 "FFFF00EC005B0000H");
}
