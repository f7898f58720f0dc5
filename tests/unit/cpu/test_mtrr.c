/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory types from MTRRs that are set as real firmware sets them. */
#include "tests/unit/test.h"
#include "pmu/cpu/mtrr.h"

#define MIB(n)  ((uint64_t)(n) << 20)
#define ENABLED (3ull << 10)
#define UC      0u
#define WC      1u
#define WT      4u
#define WB      6u
#define WIDTH   36
/* `n` is a power of two. */
#define MASK(n)  (((1ull << WIDTH) - 1) & ~((n)-1))
#define VALID(n) (MASK(n) | 1ull << 11)

/* QEMU and OVMF: all is write-back except the hole for devices from 2 GiB to 4 GiB. */
static const struct mtrrs HOLE = {
    .def_type = ENABLED | WB, .ranges = 8, .base = {MIB(2048) | UC}, .mask = {VALID(MIB(2048))}};
/* Older firmware: the first 1 GiB is write-back, except 2 MiB at 512 MiB and the last 16 MiB. */
static const struct mtrrs CUT = {
    .def_type = ENABLED | UC,
    .ranges = 4,
    .base = {0 | WB, MIB(1008) | UC, MIB(512) | WT, MIB(256) | WC},
    .mask = {VALID(MIB(1024)), VALID(MIB(16)), VALID(MIB(2)), MASK(MIB(256))}};

/* AMD: the default is write-back from 4 GiB to a little above 6 GiB, and uncacheable elsewhere. */
static const struct mtrrs FORCED = {.def_type = ENABLED | UC,
                                    .ranges = 8,
                                    .base = {0 | WB, MIB(5120) | UC},
                                    .mask = {VALID(MIB(2048)), VALID(MIB(256))},
                                    .top = MIB(6152)};

TEST(ranges)
{
    static const struct {
        const struct mtrrs *mtrrs;
        uint64_t address, bytes;
        bool write_back;
    } ROWS[] = {
        {&HOLE, MIB(1), MIB(2047), true},
        {&HOLE, MIB(2047), MIB(1), true},
        {&HOLE, MIB(2047), MIB(1) + 4096, false},
        {&HOLE, MIB(4096) - 4096, 4096, false},
        {&HOLE, MIB(4096) - 4096, 8192, false},
        {&HOLE, MIB(4096), MIB(8192), true},
        {&CUT, MIB(1), MIB(511), true}, /* the range at 256 MiB is not enabled */
        {&CUT, MIB(512) - 4096, 4096, true},
        {&CUT, MIB(512) - 4096, 8192, false}, /* write-through takes precedence */
        {&CUT, MIB(513), MIB(1), false},
        {&CUT, MIB(514), MIB(494), true},
        {&CUT, MIB(514), MIB(494) + 1, false}, /* uncacheable takes precedence */
        {&CUT, MIB(1), MIB(1023), false},
        {&CUT, MIB(1024), 4096, false},
        {&FORCED, MIB(1), MIB(2047), true},
        {&FORCED, MIB(2048), 4096, false},
        {&FORCED, MIB(4096) - 4096, 4096, false},
        {&FORCED, MIB(4096), MIB(1024), true},
        {&FORCED, MIB(5120), 4096, false}, /* a range takes precedence over the default */
        {&FORCED, MIB(5376), MIB(776), true},
        {&FORCED, MIB(5376), MIB(776) + 4096, false},
    };
    struct mtrrs off = HOLE;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (mtrr_is_write_back(ROWS[i].mtrrs, ROWS[i].address, ROWS[i].bytes) != ROWS[i].write_back)
            fail_msg("row %zu", i);
    off.def_type = WB;
    assert_false(mtrr_is_write_back(&off, MIB(1), 4096));
}

static uint32_t asked[80];
static unsigned asked_count, refused;
static uint64_t system_config;

static bool read(void *context, uint32_t msr, uint64_t *value)
{
    assert_ptr_equal(context, asked);
    asked[asked_count++] = msr;
    *value = msr == 0xfe         ? 0x508 /* 8 ranges; fixed ranges and write-combining exist */
             : msr == 0xc0010010 ? system_config
             : msr == 0xc001001d ? 0x83f7ff123
                                 : msr;
    return msr != refused;
}

/* TOP_MEM2 (bits 51:23) is used only if bits 21 and 22 of SYSCFG are set. */
TEST(top_of_amds_memory)
{
    static const uint64_t CONFIGS[] = {0, 1u << 21, 1u << 22, 3u << 21};
    struct mtrrs mtrrs;

    for (unsigned i = 0; i < 4; i++) {
        asked_count = 0;
        system_config = CONFIGS[i];
        assert_true(mtrr_read(read, asked, true, &mtrrs));
        assert_int_equal(mtrrs.top, i == 3 ? 0x83f000000 : 0);
    }
    refused = 0xc001001d;
    asked_count = 0;
    assert_true(mtrr_read(read, asked, true, &mtrrs));
    assert_int_equal(mtrrs.top, 0);
    refused = 0;
}

TEST(reading)
{
    static const uint32_t NAMES[] = {0xfe, 0x2ff};
    struct mtrrs mtrrs;

    asked_count = 0;
    assert_true(mtrr_read(read, asked, false, &mtrrs));
    assert_int_equal(asked_count, 2 + 2 * 8);
    assert_memory_equal(asked, NAMES, sizeof(NAMES));
    assert_int_equal(mtrrs.def_type, 0x2ff);
    assert_int_equal(mtrrs.ranges, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(mtrrs.base[i], 0x200 + 2 * i);
        assert_int_equal(mtrrs.mask[i], 0x201 + 2 * i);
    }
    for (unsigned i = 0; i < 18; i++) {
        refused = i < 2 ? NAMES[i] : 0x200 + i - 2;
        asked_count = 0;
        assert_false(mtrr_read(read, asked, false, &mtrrs));
    }
}
