/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine-check banks: which are read, and which changes are counted. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/journal/evidence.h"

#define BANKS 7u /* of the fake machine */

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

/* Uses the number from IA32_MCG_CAP, at most 32; a #GP ends the list. */
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

/* Without CPUID's bit neither IA32_MCG_CAP nor a bank is read. */
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

/* Each changed bank counts once per reading, whatever its new value. */
TEST(machine_checks_are_changes)
{
    struct machine_checks checks = {.banks = 32};

    for (unsigned i = 0; i < 40; i++)
        fake_set(0x401 + 4 * i, i << 8);
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 31); /* all were 0 */
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 0);
    fake_set(0x401 + 4 * 0, 1ull << 63);
    fake_set(0x401 + 4 * 31, 0);
    fake_set(0x401 + 4 * 32, 1);
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 2);
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 0);
    fake_set(0x401, 1ull << 63 | 1ull << 38); /* only the corrected error count */
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 1);
    fake_register(0x401)->read_faults = true;
    fake_set(0x401, 0);
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 0);
    fake.reads = 0;
    checks.banks = 0;
    assert_int_equal(evidence_machine_checks(&FAKE_PORT, &checks), 0);
    assert_int_equal(fake.reads + fake.writes + fake.absent, 0);
}
