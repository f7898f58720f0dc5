/* SPDX-License-Identifier: BSD-2-Clause */
/* Disturbances of a sample: the registers that report them, and how they are read. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/journal/evidence.h"

#define ALL                                                                                        \
    (CPU_HAS_SMI_COUNT | CPU_HAS_THERM_STATUS | CPU_HAS_PACKAGE_THERM_STATUS |                     \
     CPU_HAS_PERF_STATUS | CPU_HAS_CORE_LIMITS | CPU_HAS_APERF)
#define SKYLAKE 0x55

/* Bits 31:16 of the limit-reason registers are log bits. The bits in these two masks mean heat. */
#define HEAT_AT_64F (1u << 16 | 1u << 17 | 1u << 21 | 1u << 22)
#define HEAT_AT_690 (1u << 16 | 1u << 17 | 1u << 22)

static struct cpu_record cpu;
static struct evidence_watch watched;

static void fresh(void)
{
    static const uint32_t READ_ONLY[] = {0x34, 0x198, 0xe7, 0xe8};
    static const uint32_t WRITABLE[] = {0x19c, 0x1b1, 0x64f};

    fake_start(1, 0, 0);
    for (unsigned i = 0; i < sizeof(READ_ONLY) / sizeof(READ_ONLY[0]); i++)
        fake_add(READ_ONLY[i], 0);
    for (unsigned i = 0; i < sizeof(WRITABLE) / sizeof(WRITABLE[0]); i++)
        fake_add(WRITABLE[i], ~0ull);
    cpu = (struct cpu_record){
        .caps = {.family = 6,
                 .model = SKYLAKE,
                 .features = FEATURE_THERMAL | FEATURE_PACKAGE_THERMAL | FEATURE_APERF}};
}

BEFORE_EACH(fresh);

static uint32_t flags_found(void)
{
    cpu.flags = 0;
    evidence_probe(&FAKE_PORT, &cpu);
    return cpu.flags;
}

/* A register that CPUID can enumerate is read only if CPUID enumerates it. */
TEST(what_is_not_there_is_not_read)
{
    static const struct {
        uint32_t msr, flag;
    } ROWS[] = {{0x34, CPU_HAS_SMI_COUNT},     {0x198, CPU_HAS_PERF_STATUS},
                {0x19c, CPU_HAS_THERM_STATUS}, {0x1b1, CPU_HAS_PACKAGE_THERM_STATUS},
                {0x64f, CPU_HAS_CORE_LIMITS},  {0xe7, CPU_HAS_APERF},
                {0xe8, CPU_HAS_APERF}};
    static const struct {
        uint32_t feature, flag;
    } PROMISED[] = {{FEATURE_THERMAL, CPU_HAS_THERM_STATUS},
                    {FEATURE_PACKAGE_THERMAL, CPU_HAS_PACKAGE_THERM_STATUS},
                    {FEATURE_APERF, CPU_HAS_APERF}};

    assert_int_equal(flags_found(), ALL);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint32_t flags = ALL & ~ROWS[i].flag;

        fresh();
        fake_register(ROWS[i].msr)->read_faults = true;
        assert_int_equal(flags_found(), flags);
        fake.reads = 0;
        evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
        assert_int_equal(fake.reads, ROWS[i].flag == CPU_HAS_APERF ? 5 : 4);
    }
    for (size_t i = 0; i < sizeof(PROMISED) / sizeof(PROMISED[0]); i++) {
        fresh();
        cpu.caps.features &= ~PROMISED[i].feature;
        assert_int_equal(flags_found(), ALL & ~PROMISED[i].flag);
    }
    assert_int_equal(fake.writes + fake.absent, 0);
}

/* On models that are not in MODELS, 690H is another register. */
TEST(limit_reasons_at_690h)
{
    static const uint8_t MODELS[] = {0x3c, 0x3d, 0x3f, 0x45, 0x46, 0x47, 0x4f, 0x56};
    static const uint8_t FAMILIES[] = {5, 6, 15};

    for (unsigned f = 0; f < sizeof(FAMILIES); f++)
        for (unsigned model = 0; model < 256; model++) {
            bool listed = FAMILIES[f] == 6 && memchr(MODELS, (int)model, sizeof(MODELS));

            fresh();
            cpu.caps.family = FAMILIES[f];
            cpu.caps.model = (uint8_t)model;
            assert_int_equal(flags_found(), ALL);
            assert_int_equal(fake.absent, listed); /* on MODELS, 690H is read and raises #GP */
            fake_add(0x690, ~0ull);
            fake.reads = 0;
            assert_int_equal(flags_found(), listed ? ALL | CPU_HAS_CORE_LIMITS_HASWELL : ALL);
        }
}

static struct sample then(uint32_t msr, uint64_t after, uint32_t nmis)
{
    struct sample sample = {.evidence = EVIDENCE_REGISTER};

    fake_set(msr, after);
    evidence_after(&FAKE_PORT, nmis, &watched, &sample);
    assert_true(sample.evidence & EVIDENCE_REGISTER); /* earlier evidence is kept */
    sample.evidence &= (uint16_t)~EVIDENCE_REGISTER;
    return sample;
}

static struct sample between(uint32_t flags, uint32_t msr, uint64_t before, uint64_t after,
                             uint32_t nmis)
{
    fake_set(msr, before);
    cpu.flags = flags;
    evidence_start(&FAKE_PORT, &cpu, false, 3, &watched);
    return then(msr, after, 3 + nmis);
}

TEST(what_registers_say)
{
    static const struct {
        uint64_t msr, before, after;
        unsigned evidence;
    } ROWS[] = {
        {0x34, 5, 5, 0},
        {0x34, 5, 6, EVIDENCE_SMI},
        {0x34, UINT32_MAX, 0, EVIDENCE_SMI},
        {0x198, 0x1500, 0x1500, 0},
        {0x198, 0x1500, 0x1700, EVIDENCE_CLOCK},
        {0x198, 0x1700, 0x1500, EVIDENCE_CLOCK},
        {0x198, 0x14, 0x16, EVIDENCE_CLOCK},      /* Nehalem */
        {0x198, 0x091f, 0x0921, 0},               /* Penryn: the voltage */
        {0x198, 0x12300001500, 0x45600001500, 0}, /* voltage */
        {0x19c, 0x88280000, 0x88290000, 0},       /* one degree */
        {0x19c, 0, 1, EVIDENCE_THERMAL},
        {0x19c, 1, 0, EVIDENCE_THERMAL},
        {0x19c, 3, 3, EVIDENCE_THERMAL},
        {0x19c, 0, 2, EVIDENCE_THERMAL},
        {0x19c, 2, 2, 0}, /* logged earlier */
        {0x19c, 2, 0, 0},
        {0x19c, 0, 0xfffc, 0}, /* bits 15:2 are not the thermal status or its log */
        {0x1b1, 0, 1, EVIDENCE_THERMAL},
        {0x1b1, 0, 2, EVIDENCE_THERMAL},
        {0x1b1, 2, 2, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const uint32_t msr = (uint32_t)ROWS[i].msr;
        struct sample sample;

        fresh();
        sample = between(ALL, msr, ROWS[i].before, ROWS[i].after, 0);
        if (sample.evidence != ROWS[i].evidence)
            fail_msg("row %zu: %x", i, sample.evidence);
        assert_int_equal(sample.nmis, 0);
        assert_int_equal(sample.thermal, msr == 0x19c ? ROWS[i].after & 0xffff : 0);
        assert_int_equal(sample.package_thermal, msr == 0x1b1 ? ROWS[i].after & 0xffff : 0);
        sample = between(ALL, msr, ROWS[i].before, ROWS[i].after, 2);
        assert_int_equal(sample.evidence, ROWS[i].evidence | EVIDENCE_NMI);
        assert_int_equal(sample.nmis, 2);
    }
    assert_int_equal(between(ALL, 0x34, 5, 8, 0).smis, 3);
    assert_int_equal(between(ALL & ~CPU_HAS_SMI_COUNT, 0x34, 5, 8, 0).smis, SMIS_UNKNOWN);
}

/* AMD PPR: PStateStat[2:0] is the current P-state. */
TEST(the_p_state_of_amd)
{
    static const struct {
        uint32_t family, flags;
    } ROWS[] = {{0x16, CPU_HAS_APERF},
                {0x17, CPU_HAS_PSTATE | CPU_HAS_APERF},
                {0x1a, CPU_HAS_PSTATE | CPU_HAS_APERF}};

    fake_add(0xc0010063, 0);
    cpu.caps.vendor = VENDOR_AMD;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cpu.caps.family = ROWS[i].family;
        assert_int_equal(flags_found(), ROWS[i].flags);
    }
    assert_int_equal(between(CPU_HAS_PSTATE, 0xc0010063, 0, 1, 0).evidence, EVIDENCE_CLOCK);
    assert_int_equal(between(CPU_HAS_PSTATE, 0xc0010063, 1, 1, 0).evidence, 0);
    fake_register(0xc0010063)->read_faults = true;
    assert_int_equal(flags_found(), CPU_HAS_APERF);
}

/*
 * Heat is evidence if its log bit is set in the sample, or if its status bit is set before or after
 * the sample. Other log bits, and the status bits of power limits, are only recorded.
 */
TEST(what_limits_say)
{
    static const struct {
        uint32_t msr, heat;
    } ROWS[] = {{0x64f, HEAT_AT_64F}, {0x690, HEAT_AT_690}};
    const uint32_t flags = ALL | CPU_HAS_CORE_LIMITS_HASWELL;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t one = 1ull << bit;
            bool log = bit >= 16 && bit < 32, now = one << 16 & ROWS[i].heat;
            bool power = bit == 10 || bit == 11;
            unsigned lasting = now ? EVIDENCE_LIMIT : 0;
            struct sample sample;

            fresh();
            fake_add(0x690, ~0ull);
            sample = between(flags, ROWS[i].msr, 0, one, 0);
            assert_int_equal(sample.limits, log || now || power ? one : 0);
            assert_int_equal(sample.evidence, one & ROWS[i].heat ? EVIDENCE_LIMIT : lasting);
            for (unsigned after = 0; after < 2; after++) {
                sample = between(flags, ROWS[i].msr, one, after ? one : 0, 0);
                assert_int_equal(sample.limits, now || power ? one : 0);
                assert_int_equal(sample.evidence, lasting);
            }
        }
}

/* Log bits from before the run are reported for heat, but not for other limits. */
TEST(logs_that_were_set_before)
{
    static const struct {
        uint32_t msr, flag, told;
    } ROWS[] = {{0x19c, CPU_HAS_THERM_STATUS, 2},
                {0x1b1, CPU_HAS_PACKAGE_THERM_STATUS, 2},
                {0x64f, CPU_HAS_CORE_LIMITS, HEAT_AT_64F},
                {0x690, CPU_HAS_CORE_LIMITS_HASWELL, HEAT_AT_690}};

    for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned bit = 0; bit < 32; bit++) {
            fresh();
            cpu.caps.model = 0x3c;
            fake_add(0x690, ~0ull);
            fake_set(ROWS[i].msr, 1ull << bit);
            flags_found();
            assert_int_equal(cpu.logs_found, ROWS[i].told >> bit & 1 ? ROWS[i].flag : 0);
            for (unsigned found = 0; found < 2; found++) {
                bool came = !found && ROWS[i].told >> bit & 1;

                cpu.logs_found = found ? ROWS[i].flag : 0;
                evidence_start(&FAKE_PORT, &cpu, true, 0, &watched);
                assert_int_equal(fake_value(ROWS[i].msr), came ? 0 : 1ull << bit);
                fake_set(ROWS[i].msr, 1ull << bit);
            }
        }
}

TEST(log_bits_are_cleared_once_seen)
{
    static const struct {
        uint32_t msr;
        uint64_t log;
    } ROWS[] = {{0x19c, 2}, {0x1b1, 2}, {0x64f, 0xffff0000}, {0x690, 0xffff0000}};
    const uint32_t flags = ALL | CPU_HAS_CORE_LIMITS_HASWELL;

    for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned bit = 0; bit < 32; bit++)
            for (unsigned was = 0; was < 2; was++)
                for (unsigned clears = 0; clears < 2; clears++) {
                    const uint64_t one = 1ull << bit, all = 0xffffffff;
                    bool came = !was && ROWS[i].log & one;

                    fresh();
                    fake_add(0x690, ~0ull);
                    fake_set(ROWS[i].msr, was ? all : all & ~one);
                    cpu.flags = flags;
                    cpu.logs_found = flags;
                    evidence_start(&FAKE_PORT, &cpu, clears, 0, &watched);
                    then(ROWS[i].msr, all, 0);
                    assert_int_equal(fake.writes, came && clears);
                    evidence_end(&FAKE_PORT, &watched);
                    assert_int_equal(fake.writes, came);
                    assert_int_equal(fake_value(ROWS[i].msr), came ? all & ~one : all);
                }
}

static bool read_after_change(void *context, uint32_t msr, uint64_t *value)
{
    fake_register(msr)->value ^= 3 << 4;
    return fake_read(context, msr, value);
}

/*
 * Bits 4 and 5 change after evidence_end() has looked at the register. evidence_end() must leave
 * them as they are.
 */
TEST(what_came_since_the_look_is_left)
{
    const struct msr_port port = {
        .read = read_after_change, .write = fake_write, .look = fake_look};

    cpu.flags = CPU_HAS_THERM_STATUS;
    evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
    fake_set(0x19c, 2 | 1 << 4);
    evidence_end(&port, &watched);
    assert_int_equal(fake_value(0x19c), 1 << 5);
    assert_int_equal(fake.writes, 1);
    fake_set(0x19c, 2);
    fake_register(0x19c)->read_faults = true;
    evidence_end(&port, &watched);
    assert_int_equal(fake.writes, 1);
}

/* A sample is compared with the sample before it, even if the earlier sample has evidence. */
TEST(one_sample_after_another)
{
    static const struct {
        uint64_t msr, value;
        unsigned evidence;
    } ROWS[] = {
        {0x34, 5, EVIDENCE_SMI},      {0x34, 5, 0},
        {0x34, 4, EVIDENCE_SMI},      {0x198, 0x1500, EVIDENCE_CLOCK},
        {0x198, 0x1500, 0},           {0x19c, 1, EVIDENCE_THERMAL},
        {0x19c, 1, EVIDENCE_THERMAL}, /* it is still hot */
        {0x19c, 0, EVIDENCE_THERMAL}, {0x19c, 0, 0},
        {0x19c, 2, EVIDENCE_THERMAL}, {0x19c, 2, 0}, /* only logged */
    };

    cpu.flags = ALL;
    evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (then((uint32_t)ROWS[i].msr, ROWS[i].value, 9).evidence !=
            (ROWS[i].evidence | (i == 0 ? EVIDENCE_NMI : 0)))
            fail_msg("row %zu", i);
}

/* Only a log bit that was cleared can show a second event. */
TEST(an_event_that_is_logged_twice)
{
    for (unsigned clears = 0; clears < 2; clears++) {
        fresh();
        cpu.flags = ALL;
        evidence_start(&FAKE_PORT, &cpu, clears, 0, &watched);
        assert_int_equal(then(0x19c, 2, 0).evidence, EVIDENCE_THERMAL);
        assert_int_equal(then(0x19c, 2, 0).evidence, clears ? EVIDENCE_THERMAL : 0);
    }
}

/* On AMD, SMIs are counted only in passes that leave a counter free. */
TEST(what_a_pass_adds)
{
    struct programmed programmed = {.smi_msr = 0x34};
    struct sample sample = {0};

    cpu.flags = CPU_HAS_PERF_STATUS;
    evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
    assert_int_equal(then(0x34, 1, 0).smis, SMIS_UNKNOWN);
    evidence_pass(&FAKE_PORT, &programmed, &watched);
    assert_int_equal(then(0x34, 1, 0).smis, 0);
    assert_int_equal(then(0x34, 4, 0).smis, 3);
    fake_add(0x38e, ~0ull);
    programmed = (struct programmed){.status_msr = 0x38e, .overflow_bits = 6, .smi_msr = 0x34};
    evidence_pass(&FAKE_PORT, &programmed, &watched);
    assert_int_equal(then(0x34, 5, 0).smis, 1);
    for (unsigned again = 0; again < 2; again++) {
        fake_set(0x38e, 1);
        assert_false(evidence_after(&FAKE_PORT, 0, &watched, &sample) && again == 0);
        fake_set(0x38e, 4);
        assert_true(evidence_after(&FAKE_PORT, 0, &watched, &sample));
    }
    programmed = (struct programmed){0};
    evidence_pass(&FAKE_PORT, &programmed, &watched);
    assert_int_equal(then(0x34, 9, 0).smis, SMIS_UNKNOWN);
    assert_int_equal(sample.evidence, 0);
}

TEST(words)
{
    static const struct {
        unsigned evidence;
        const char *text;
    } ROWS[] = {{0, ""},
                {EVIDENCE_SMI, "smi"},
                {EVIDENCE_NMI | EVIDENCE_CLOCK, "nmi clock"},
                {0x1ff, "smi nmi overflow register thermal clock limit machine-check gap"}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char text[EVIDENCE_WORDS_BYTES];
        struct out out = out_buffer(text, sizeof(text));

        evidence_words(ROWS[i].evidence, &out);
        assert_string_equal(out_end(&out), ROWS[i].text);
    }
}
