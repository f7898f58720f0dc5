/* SPDX-License-Identifier: BSD-2-Clause */
/* What disturbs a sample from outside: which registers tell of it, and what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_msr.h"
#include "pmu/evidence.h"

#define ALL                                                                                        \
    (CPU_HAS_SMI_COUNT | CPU_HAS_THERM_STATUS | CPU_HAS_PACKAGE_THERM_STATUS | CPU_HAS_PERF_STATUS)

static struct cpu_caps caps;

static int fresh(void **state)
{
    (void)state;
    fake_start(4, 4, 3);
    fake_add(0x34, 0);
    fake_add(0x198, 0);
    fake_add(0x19c, ~0ull);
    fake_add(0x1b1, ~0ull);
    caps = (struct cpu_caps){.features = FEATURE_THERMAL | FEATURE_PACKAGE_THERMAL};
    return 0;
}

/* Thermal registers are asked only where CPUID promises them; a #GP is an answer from all. */
static void what_is_not_there_is_not_read(void **state)
{
    static const struct {
        uint32_t msr, flag;
    } ROWS[] = {{0x34, CPU_HAS_SMI_COUNT},
                {0x198, CPU_HAS_PERF_STATUS},
                {0x19c, CPU_HAS_THERM_STATUS},
                {0x1b1, CPU_HAS_PACKAGE_THERM_STATUS}};

    assert_int_equal(evidence_probe(&FAKE_PORT, &caps), ALL);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct surroundings now;

        fresh(state);
        fake_register(ROWS[i].msr)->read_faults = true;
        assert_int_equal(evidence_probe(&FAKE_PORT, &caps), ALL & ~ROWS[i].flag);
        fake.reads = 0;
        now = evidence_read(&FAKE_PORT, ALL & ~ROWS[i].flag, 7);
        assert_int_equal(fake.reads, 3);
        assert_int_equal(now.nmis, 7);
    }
    fresh(state);
    caps.features = FEATURE_THERMAL;
    assert_int_equal(evidence_probe(&FAKE_PORT, &caps), ALL & ~CPU_HAS_PACKAGE_THERM_STATUS);
    caps.features = FEATURE_PACKAGE_THERMAL;
    assert_int_equal(evidence_probe(&FAKE_PORT, &caps), ALL & ~CPU_HAS_THERM_STATUS);
    assert_int_equal(fake.writes + fake.absent, 0);
}

/* Each register before and after, and what that is evidence of. */
static void what_registers_say(void **state)
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
        {0x198, 0x12300001500, 0x45600001501, 0}, /* voltage, and what has no name */
        {0x19c, 0x88280000, 0x88290000, 0},       /* a degree */
        {0x19c, 0, 1, EVIDENCE_THERMAL},
        {0x19c, 1, 0, EVIDENCE_THERMAL},
        {0x19c, 3, 3, EVIDENCE_THERMAL},
        {0x19c, 0, 2, EVIDENCE_THERMAL},
        {0x19c, 2, 2, 0}, /* a log of before */
        {0x19c, 2, 0, 0},
        {0x19c, 0, 0xfffc, 0}, /* critical temperature, thresholds, power limit */
        {0x1b1, 0, 1, EVIDENCE_THERMAL},
        {0x1b1, 0, 2, EVIDENCE_THERMAL},
        {0x1b1, 2, 2, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct surroundings before, after;

        fresh(state);
        fake_set((uint32_t)ROWS[i].msr, ROWS[i].before);
        before = evidence_read(&FAKE_PORT, ALL, 3);
        fake_set((uint32_t)ROWS[i].msr, ROWS[i].after);
        after = evidence_read(&FAKE_PORT, ALL, 3);
        if (evidence_between(&before, &after) != ROWS[i].evidence)
            fail_msg("row %zu: %x", i, evidence_between(&before, &after));
        after.nmis = 4;
        assert_int_equal(evidence_between(&before, &after), ROWS[i].evidence | EVIDENCE_NMI);
    }
}

/* Log bits that came up are cleared, for the next one to be seen; those found set are left. */
static void log_bits_are_cleared_once_seen(void **state)
{
    static const uint32_t MSRS[] = {0x19c, 0x1b1};

    for (unsigned i = 0; i < 2; i++)
        for (uint64_t before = 0; before < 4; before++)
            for (uint64_t after = 0; after < 4; after++) {
                struct surroundings first, second;
                bool came = (after & 2) && !(before & 2);

                fresh(state);
                fake_set(MSRS[i], before | 0x88280000);
                first = evidence_read(&FAKE_PORT, ALL, 0);
                fake_set(MSRS[i], after | 0x88280a00);
                second = evidence_read(&FAKE_PORT, ALL, 0);
                evidence_clear(&FAKE_PORT, &first, &second);
                assert_int_equal(fake.writes, came);
                assert_int_equal(fake_value(MSRS[i]), (came ? after & ~2ull : after) | 0x88280a00);
            }
}

static void words(void **state)
{
    static const struct {
        unsigned evidence;
        const char *text;
    } ROWS[] = {{0, ""},
                {EVIDENCE_SMI, "smi"},
                {EVIDENCE_NMI | EVIDENCE_CLOCK, "nmi clock"},
                {0x3f, "smi nmi overflow register thermal clock"}};

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char text[64];
        struct out out = out_buffer(text, sizeof(text));

        evidence_words(ROWS[i].evidence, &out);
        assert_string_equal(out_end(&out), ROWS[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_not_there_is_not_read, fresh),
        cmocka_unit_test(what_registers_say),
        cmocka_unit_test(log_bits_are_cleared_once_seen),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
