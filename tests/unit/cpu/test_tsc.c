/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources of the TSC frequency, in order of preference. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/cpu/tsc.h"

#define INTEL(of_family, of_model) .vendor = VENDOR_INTEL, .family = of_family, .model = of_model
#define AMD(of_family)             .vendor = VENDOR_AMD, .family = of_family
#define LEAF_15H(denominator, numerator, crystal)                                                  \
    .tsc_ratio_denominator = denominator, .tsc_ratio_numerator = numerator, .crystal_hz = crystal
#define RATIO(ratio)     ((ratio##ull) << 8) /* MSR_PLATFORM_INFO[15:8] */
#define OTHER_BITS       0xffffffffffff00ffull
#define MEASURED         2112000123ull
#define AGREES           2099900000ull /* differs from 2.1 GHz by less than 50 ppm */
#define NEHALEM_BUS      133333333ull
#define SANDY_BRIDGE_BUS 100000000ull

#define TSC_FREQ_SEL (1ull << 24) /* bit of HWCR */
#define P0(hz)                                                                                     \
    {                                                                                              \
        TSC_PSTATE_DEF0, hz                                                                        \
    }

static const struct {
    const char *row;
    struct cpu_caps caps;
    struct {
        uint64_t ratio, measured_hz;
    } given;
    struct {
        enum tsc_source source;
        uint64_t hz;
    } is;
} ROWS[] = {
    {"whole leaf 15H before all others",
     {INTEL(6, 0x5e), LEAF_15H(2, 168, 24000000), .base_mhz = 2100},
     {RATIO(21), MEASURED},
     {TSC_CPUID_15H, 24000000ull * 168 / 2}},
    {"a product of more than 32 bits",
     {INTEL(6, 0x9a), LEAF_15H(1, 125, 38400000)},
     {0, 0},
     {TSC_CPUID_15H, 38400000ull * 125}},
    {"a product beyond 10 GHz is a mistake",
     {INTEL(6, 0x9a), LEAF_15H(1, 1000, 38400000)},
     {0, MEASURED},
     {TSC_ACPI_TIMER, MEASURED}},
    {"10 GHz, the highest", {INTEL(6, 0x9a)}, {0, TSC_HZ_MAX}, {TSC_ACPI_TIMER, TSC_HZ_MAX}},
    {"100 MHz, the lowest", {INTEL(6, 0x9a)}, {0, TSC_HZ_MIN}, {TSC_ACPI_TIMER, TSC_HZ_MIN}},
    {"above the highest", {INTEL(6, 0x9a)}, {0, TSC_HZ_MAX + 1}, {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"below the lowest", {INTEL(6, 0x9a)}, {0, TSC_HZ_MIN - 1}, {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"leaf 15H is used on AMD too",
     {.vendor = VENDOR_AMD, LEAF_15H(1, 30, 100000000)},
     {0, 0},
     {TSC_CPUID_15H, 3000000000ull}},
    {"a ratio without its crystal: not the platform's, though it agrees",
     {INTEL(6, 0x55), LEAF_15H(2, 166, 0), .base_mhz = 2000},
     {RATIO(20), 2000000000},
     {TSC_ACPI_TIMER, 2000000000}},
    {"a client's crystal runs at 24 MHz: 83 times that, not the platform's 2000 MHz",
     {INTEL(6, 0x9e), LEAF_15H(2, 166, 0), .base_mhz = 2000},
     {RATIO(20), 0},
     {TSC_CPUID_15H, 1992000000}},
    {"the crystal frequency of the leaf, on such a client",
     {INTEL(6, 0xa5), LEAF_15H(2, 166, 25000000)},
     {0, 0},
     {TSC_CPUID_15H, 2075000000}},
    {"no numerator: the ratio of the platform",
     {INTEL(6, 0x55), LEAF_15H(2, 0, 24000000), .base_mhz = 2095},
     {RATIO(21), AGREES},
     {TSC_PLATFORM_INFO, 21 * SANDY_BRIDGE_BUS}},
    {"no denominator",
     {INTEL(6, 0x55), LEAF_15H(0, 168, 24000000)},
     {RATIO(21), AGREES},
     {TSC_PLATFORM_INFO, 21 * SANDY_BRIDGE_BUS}},
    /* 2 GHz is 1999900005 Hz plus 99995 Hz, which is 50 ppm of 1999900005 Hz */
    {"the platform's, 50 ppm above",
     {INTEL(6, 0x55)},
     {RATIO(20), 1999900005},
     {TSC_PLATFORM_INFO, 20 * SANDY_BRIDGE_BUS}},
    {"the platform's, more than 50 ppm above",
     {INTEL(6, 0x55)},
     {RATIO(20), 1999900004},
     {TSC_ACPI_TIMER, 1999900004}},
    {"a bus clock that runs 0.25 % slow, as Haswell's",
     {INTEL(6, 0x3c)},
     {RATIO(35), 3491250000},
     {TSC_ACPI_TIMER, 3491250000}},
    {"MSR CEH of Core 2 is another register",
     {INTEL(6, 0x17)},
     {RATIO(6), 0},
     {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"nothing measured on Silvermont, whose bus is not the 100 MHz of others",
     {INTEL(6, 0x37)},
     {RATIO(20), 0},
     {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"a bus clock of 83.3 MHz, as Silvermont's",
     {INTEL(6, 0x37)},
     {RATIO(20), 1666666666},
     {TSC_ACPI_TIMER, 1666666666}},
    {"a measurement outside the limits is ignored",
     {INTEL(6, 0x55)},
     {RATIO(21), TSC_HZ_MAX + 1},
     {TSC_PLATFORM_INFO, 21 * SANDY_BRIDGE_BUS}},
    {"a ratio without its crystal, nothing measured: the platform's before the rounded leaf",
     {INTEL(6, 0x55), LEAF_15H(2, 166, 0), .base_mhz = 1990},
     {RATIO(20), 0},
     {TSC_PLATFORM_INFO, 20 * SANDY_BRIDGE_BUS}},
    {"other bits of the register",
     {INTEL(6, 0x2a)},
     {OTHER_BITS | RATIO(33), 0},
     {TSC_PLATFORM_INFO, 33 * SANDY_BRIDGE_BUS}},
    {"Nehalem-EP", {INTEL(6, 0x1a)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"Lynnfield", {INTEL(6, 0x1e)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"Havendale", {INTEL(6, 0x1f)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"Nehalem-EX", {INTEL(6, 0x2e)}, {RATIO(17), 0}, {TSC_PLATFORM_INFO, 17 * NEHALEM_BUS}},
    {"Clarkdale", {INTEL(6, 0x25)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"Westmere-EP", {INTEL(6, 0x2c)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"Westmere-EX", {INTEL(6, 0x2f)}, {RATIO(20), 0}, {TSC_PLATFORM_INFO, 20 * NEHALEM_BUS}},
    {"the model of another family",
     {INTEL(0xf, 0x1a)},
     {RATIO(20), 0},
     {TSC_PLATFORM_INFO, 20 * SANDY_BRIDGE_BUS}},
    /* In rows with a product's name, PStateDef0 is from InstLatx64's file of the product. */
    {"Raphael: 200 MHz * BCH / 8", {AMD(0x19)}, {0x800000004bf248bc, 0}, P0(4700000000)},
    {"Storm Peak: 200 MHz * 7DH / 0AH", {AMD(0x19)}, {0x8000000046724a7d, 0}, P0(2500000000)},
    {"an unknown core of family 1AH",
     {AMD(0x1a), .model = 0x50},
     {0x800000004ab2435c, 0},
     {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"Granite Ridge: 5 MHz * 35CH", {AMD(0x1a)}, {0x800000004ab2435c, 0}, P0(4300000000)},
    {"a clock that agrees within 50 ppm",
     {AMD(0x17)},
     {1ull << 63 | 0x0864, 2500100000},
     P0(2500000000)},
    {"spread spectrum: Granite Ridge as measured",
     {AMD(0x1a)},
     {0x800000004ab2435c, 4292000000},
     {TSC_ACPI_TIMER, 4292000000}},
    {"P-state 0 is off", {AMD(0x19)}, {0x4bf248bc, 0}, {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"a hypervisor's 0", {AMD(0x19)}, {0, 0}, {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"P-state 0 takes precedence over leaf 16H",
     {AMD(0x1a), .base_mhz = 4000},
     {1ull << 63 | 800, 0},
     P0(4000000000)},
    {"a family before Zen has another format",
     {AMD(0x16)},
     {0x800000004bf248bc, 0},
     {TSC_UNKNOWN, TSC_HZ_GUESS}},
    {"MSR CEh is Intel's",
     {.vendor = VENDOR_AMD, .base_mhz = 2100},
     {RATIO(21), MEASURED},
     {TSC_ACPI_TIMER, MEASURED}},
    {"no ratio: measured",
     {INTEL(6, 0x55), .base_mhz = 2100},
     {OTHER_BITS, MEASURED},
     {TSC_ACPI_TIMER, MEASURED}},
    {"nothing measured: the rounded leaf",
     {INTEL(6, 0x55), .base_mhz = 4700},
     {0, 0},
     {TSC_CPUID_16H, 4700000000ull}},
    {"nothing at all", {INTEL(6, 0x55)}, {0, 0}, {TSC_UNKNOWN, TSC_HZ_GUESS}},
};

TEST(source_and_frequency)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint32_t source = 99;
        uint64_t hz =
            tsc_frequency(&ROWS[i].caps, ROWS[i].given.ratio, ROWS[i].given.measured_hz, &source);

        if (hz != ROWS[i].is.hz || source != ROWS[i].is.source)
            fail_msg("%s: %llu Hz from source %u", ROWS[i].row, (unsigned long long)hz, source);
    }
}

TEST(the_platforms_own)
{
    const struct cpu_caps skylake = {INTEL(6, 0x55)}, nehalem = {INTEL(6, 0x1a)};
    const struct cpu_caps core_2 = {INTEL(6, 0x0f)};
    const struct cpu_caps zen = {AMD(0x17)};

    assert_int_equal(tsc_nominal_hz(&skylake, RATIO(21)), 21 * SANDY_BRIDGE_BUS);
    assert_int_equal(tsc_nominal_hz(&skylake, OTHER_BITS), 0);
    assert_int_equal(tsc_nominal_hz(&nehalem, OTHER_BITS | RATIO(20)), 20 * NEHALEM_BUS);
    assert_int_equal(tsc_nominal_hz(&zen, RATIO(21)), 0);
    assert_int_equal(tsc_nominal_source(&skylake), TSC_PLATFORM_INFO);
    assert_int_equal(tsc_nominal_source(&zen), TSC_PSTATE_DEF0);
    assert_int_equal(tsc_nominal_hz(&core_2, RATIO(6)), 0);
}

/* CpuDfsId is 08H to 1AH, or an even number from 1CH to 2CH. CpuFid is 10H or more. */
TEST(reserved_ratios_of_amd)
{
    for (unsigned family = 0x17; family <= 0x19; family++) {
        struct cpu_caps zen = {AMD(family)};

        if (family == FAMILY_HYGON)
            strcpy(zen.vendor_id, VENDOR_ID_HYGON);
        assert_int_equal(tsc_nominal_hz(&zen, 1ull << 63 | 0xff), 0);
        for (uint64_t did = 1; did < 64; did++)
            for (uint64_t fid = 0; fid < 256; fid++) {
                const bool is_known =
                    fid > 15 && ((did > 7 && did < 27) || (did > 27 && did < 45 && !(did & 1)));
                const uint64_t others = 0x7fffffffffffc000ull * (fid & 1);

                assert_int_equal(tsc_nominal_hz(&zen, 1ull << 63 | others | did << 8 | fid),
                                 is_known ? 200000000 * fid / did : 0);
            }
    }
    for (uint64_t fid = 0; fid < 4096; fid++)
        assert_int_equal(tsc_nominal_hz(&(struct cpu_caps){AMD(0x1a)}, 0xfffffffffffff000ull | fid),
                         fid > 15 ? 5000000 * fid : 0);
}

/* A register that is 0 raises #GP. */
struct registers {
    uint64_t platform_info, hwcr, p0;
    unsigned reads;
};

static bool read_register(void *context, uint32_t msr, uint64_t *value)
{
    struct registers *registers = context;

    registers->reads++;
    *value = msr == 0xce         ? registers->platform_info
             : msr == 0xc0010015 ? registers->hwcr
             : msr == 0xc0010064 ? registers->p0
                                 : 0;
    return *value != 0;
}

TEST(registers_with_the_ratio)
{
    static const struct {
        struct cpu_caps caps;
        struct registers registers;
        uint64_t ratio;
        unsigned reads;
    } ROWS[] = {
        {{INTEL(6, 0x55), .features = FEATURE_MSR}, {.platform_info = 7, .p0 = 9}, 7, 1},
        {{INTEL(6, 0x55), .features = FEATURE_MSR}, {.p0 = 9}, 0, 1},
        {{INTEL(6, 0x55)}, {.platform_info = 7}, 0, 0},
        {{AMD(0x17), .features = FEATURE_MSR}, {7, TSC_FREQ_SEL, 9, 0}, 9, 2},
        {{AMD(0x1a), .features = FEATURE_MSR}, {7, TSC_FREQ_SEL, 9, 0}, 9, 2},
        {{AMD(0x17), .features = FEATURE_MSR}, {7, ~TSC_FREQ_SEL, 9, 0}, 0, 1},
        {{AMD(0x17), .features = FEATURE_MSR}, {7, 0, 9, 0}, 0, 1},
        {{AMD(0x17), .features = FEATURE_MSR}, {7, TSC_FREQ_SEL, 0, 0}, 0, 2},
        {{AMD(0x16), .features = FEATURE_MSR}, {7, TSC_FREQ_SEL, 9, 0}, 0, 0},
        {{AMD(0x17)}, {7, TSC_FREQ_SEL, 9, 0}, 0, 0},
        {{.vendor = VENDOR_OTHER, .features = FEATURE_MSR}, {7, TSC_FREQ_SEL, 9, 0}, 0, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct registers registers = ROWS[i].registers;

        assert_int_equal(tsc_read_ratio(&ROWS[i].caps, read_register, &registers), ROWS[i].ratio);
        assert_int_equal(registers.reads, ROWS[i].reads);
    }
}

TEST(doubt_begins_beyond_a_hundredth)
{
    const uint64_t measured = 2000000000, most = 20000000;

    assert_false(tsc_is_doubtful(measured, measured));
    assert_false(tsc_is_doubtful(measured + most, measured));
    assert_false(tsc_is_doubtful(measured - most, measured));
    assert_true(tsc_is_doubtful(measured + most + 1, measured));
    assert_true(tsc_is_doubtful(measured - most - 1, measured));
    assert_true(tsc_is_doubtful(2100000000, 2394100000));  /* emulation on a faster host */
    assert_false(tsc_is_doubtful(2112000000, 2101440000)); /* a spread-spectrum bus clock, 0.5 % */
    assert_false(tsc_is_doubtful(measured, 0));            /* not measured */
    assert_true(tsc_is_doubtful(TSC_HZ_MAX, TSC_HZ_MIN));
}

/* 1 ppm of 2 GHz is 2 kHz. */
TEST(errors_of_sources)
{
    static const struct {
        uint64_t hz, measured_hz;
        uint32_t source, ppm;
    } ROWS[] = {
        {TSC_HZ_GUESS, 2000000000, TSC_UNKNOWN, 0},
        {2000000000, 0, TSC_CPUID_15H, 500},
        {2000200000, 2000000000, TSC_CPUID_15H, 100 + 506},
        {2000000000, 0, TSC_PLATFORM_INFO, 5000},
        {1999900000, 2000000000, TSC_PLATFORM_INFO, 50 + 506},
        {2000000000, 2000000000, TSC_ACPI_TIMER, 506},
        {2000000000, 2000000000, TSC_MONOTONIC, 506},
        {2000000000, 0, TSC_CPUID_16H, 10000},
        {TSC_HZ_MAX, TSC_HZ_MAX + 1, TSC_CPUID_15H, 500},
        {2000000000, 0, TSC_PSTATE_DEF0, 5000},
        {1999900000, 2000000000, TSC_PSTATE_DEF0, 50 + 506},
        {2000000000, 0, TSC_ACPI_TIMER, 0},
        {2000000000, 0, TSC_MONOTONIC, 0},
        {2000000000, 2000000000, TSC_SOURCES, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_int_equal(tsc_error_ppm(ROWS[i].source, ROWS[i].hz, ROWS[i].measured_hz),
                         ROWS[i].ppm);
}

struct timer {
    uint32_t value, every, last;
    uint32_t reads;
};

static uint32_t read_timer(void *context)
{
    struct timer *timer = context;

    timer->reads++;
    if (timer->reads % timer->every == 0 && timer->value != timer->last)
        timer->value++;
    return timer->value;
}

TEST(waiting_for_the_timer)
{
    struct timer slow = {.every = TSC_TIMER_READS_MAX, .last = UINT32_MAX},
                 dead = {.every = 1, .last = 0}, dies = {.every = 1, .last = 50},
                 wraps = {.value = 0x12fffffe, .every = 1, .last = UINT32_MAX};

    assert_true(tsc_await_timer(read_timer, &slow, 0, 3));
    assert_int_equal(slow.reads, 3 * TSC_TIMER_READS_MAX);
    assert_false(tsc_await_timer(read_timer, &dead, 0, 100));
    assert_int_equal(dead.reads, TSC_TIMER_READS_MAX);
    assert_false(tsc_await_timer(read_timer, &dies, 0, 100));
    assert_int_equal(dies.reads, 50 + TSC_TIMER_READS_MAX);
    assert_true(tsc_await_timer(read_timer, &wraps, 0x12fffffe, 100)); /* only bits 23:0 count */
    assert_int_equal(wraps.reads, 100);
}

TEST(sources_have_names)
{
    assert_non_null(strstr(tsc_source_name(TSC_CPUID_15H), "15H"));
    assert_non_null(strstr(tsc_source_name(TSC_CPUID_16H), "16H"));
    assert_non_null(strstr(tsc_source_name(TSC_PLATFORM_INFO), "PLATFORM_INFO"));
    assert_non_null(strstr(tsc_source_name(TSC_ACPI_TIMER), "ACPI"));
    assert_non_null(strstr(tsc_source_name(TSC_MONOTONIC), "CLOCK_MONOTONIC_RAW"));
    assert_non_null(strstr(tsc_source_name(TSC_UNKNOWN), "guess"));
    assert_string_equal(tsc_source_name(TSC_SOURCES), tsc_source_name(TSC_UNKNOWN));
    assert_string_equal(tsc_source_name(UINT32_MAX), tsc_source_name(TSC_UNKNOWN));
    assert_string_equal(tsc_source_name(TSC_PSTATE_DEF0), "from PStateDef0");
    assert_string_equal(tsc_source_word(TSC_ACPI_TIMER), "ACPI timer");
    assert_string_equal(tsc_source_word(UINT32_MAX), "");
}

/* With a slow bus clock, 3.5 GHz may be measured as 3.491 GHz. */
TEST(a_timer_that_differs_from_the_nominal_frequency)
{
    assert_false(tsc_timer_is_doubtful(TSC_ACPI_TIMER, 3500000000, 3491000000));
    assert_true(tsc_timer_is_doubtful(TSC_ACPI_TIMER, 3500000000, 3465000000));
    assert_true(tsc_timer_is_doubtful(TSC_ACPI_TIMER, 3500000000, 3535400000));
    assert_false(tsc_timer_is_doubtful(TSC_ACPI_TIMER, 0, 3465000000));
    assert_false(tsc_timer_is_doubtful(TSC_PLATFORM_INFO, 3500000000, 3400000000));
}
