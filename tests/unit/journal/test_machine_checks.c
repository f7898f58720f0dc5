/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine checks: which banks are read, which changes are counted, and which errors end a run. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/cpu/machine_check.h"
#include "pmu/journal/evidence.h"

#define BANKS 7u

static struct cpu_record cpu;

static void fresh(void)
{
    fake_start(1, 0, 0);
    fake_add(0x179, 0);
    for (unsigned i = 0; i < 40; i++)
        fake_add(0x401 + 4 * i, 0);
    fake_set(0x179, 0xf000c00 | BANKS);
    cpu = (struct cpu_record){.caps = {.features = FEATURE_MCA}};
}

BEFORE_EACH(fresh);

static uint32_t banks_found(void)
{
    evidence_probe(&FAKE_PORT, &cpu);
    return cpu.mc_banks;
}

/* IA32_MCG_CAP gives the number of banks. At most 32 banks are used. A #GP ends the list. */
TEST(banks_that_are_there)
{
    assert_int_equal(banks_found(), BANKS);
    assert_int_equal(fake.writes, 0);
    fake_set(0x179, 40);
    assert_int_equal(banks_found(), 32);
    fake_register(0x401 + 4 * 5)->read_faults = true;
    assert_int_equal(banks_found(), 5);
    fake_register(0x401)->read_faults = true;
    assert_int_equal(banks_found(), 0);
    fresh();
    fake_register(0x179)->read_faults = true;
    assert_int_equal(banks_found(), 0);
}

TEST(banks_that_are_not_promised)
{
    unsigned reads;

    banks_found();
    reads = fake.reads;
    cpu.caps.features = 0;
    fake.reads = 0;
    assert_int_equal(banks_found(), 0);
    assert_int_equal(reads - fake.reads, 1 + BANKS);
}

static struct evidence_watch watched;

static unsigned changed(void)
{
    struct sample sample = {0};

    evidence_after(&FAKE_PORT, 0, &watched, &sample);
    return sample.mc_changed;
}

TEST(machine_checks_are_changes)
{
    cpu.mc_banks = 32;
    evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
    for (unsigned i = 0; i < 40; i++)
        fake_set(0x401 + 4 * i, i << 8);
    assert_int_equal(changed(), 31); /* all were 0 */
    assert_int_equal(changed(), 0);
    fake_set(0x401 + 4 * 0, 1ull << 63);
    fake_set(0x401 + 4 * 31, 0);
    fake_set(0x401 + 4 * 32, 1);
    assert_int_equal(changed(), 2);
    assert_int_equal(changed(), 0);
    fake_set(0x401, 1ull << 63 | 1ull << 38); /* only the count of corrected errors changed */
    assert_int_equal(changed(), 1);
    fake_register(0x401)->read_faults = true;
    assert_int_equal(changed(), 1);
    assert_int_equal(changed(), 0);
    cpu.mc_banks = 0;
    evidence_start(&FAKE_PORT, &cpu, false, 0, &watched);
    fake.reads = 0;
    assert_int_equal(changed(), 0);
    assert_int_equal(fake.reads + fake.writes + fake.absent, 0);
}

#define VALID (1ull << 63)
#define OVER  (1ull << 62)
#define UC    (1ull << 61)
#define EN    (1ull << 60)
#define PCC   (1ull << 57)
#define AR    (1ull << 55)
#define ERROR (VALID | UC | EN)
#define SER_P (1ull << 24)
#define RIPV  1u
#define EIPV  2u

/* A repeated error is new only if the bank says that another error was lost. */
TEST(errors_that_are_new)
{
    assert_int_equal(mc_new_error(0, 0), 0);
    assert_int_equal(mc_new_error(0, ERROR), ERROR);
    assert_int_equal(mc_new_error(ERROR, ERROR), 0);
    assert_int_equal(mc_new_error(ERROR, ERROR | 5), ERROR | 5);
    assert_int_equal(mc_new_error(ERROR, 0), 0);
    assert_int_equal(mc_new_error(0, UC | EN | OVER), 0);
    assert_int_equal(mc_new_error(ERROR | OVER, ERROR | OVER), ERROR | OVER);
}

/* Intel SDM vol. 3B, "Recovery of Uncorrected Recoverable (UCR) Errors". */
TEST(errors_that_forbid_going_on)
{
    static const struct {
        uint64_t cap, mcg_status, error;
        bool is_fatal;
    } cases[] = {
        {SER_P, RIPV, 0, false},
        {SER_P, RIPV, ERROR, false},
        {SER_P, RIPV, ERROR | PCC, true},
        {SER_P, RIPV, (ERROR | PCC) & ~EN, false},
        {SER_P, RIPV, (ERROR | PCC) & ~UC, false},
        {SER_P, RIPV, ERROR | OVER, false},
        {0, RIPV, ERROR, false},
        {0, RIPV, ERROR | OVER, true},
        {0, RIPV, ERROR | PCC, true},
        {SER_P, RIPV | EIPV, ERROR | AR, true},
        {SER_P, RIPV, ERROR | AR, false},
        {SER_P, RIPV, ERROR | AR | OVER, true},
        {0, RIPV | EIPV, ERROR | AR, false}, /* without SER_P, bit 55 has another meaning */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (mc_is_fatal(cases[i].cap, cases[i].mcg_status, cases[i].error) != cases[i].is_fatal)
            fail_msg("case %zu", i);
}
