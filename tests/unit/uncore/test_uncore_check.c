/* SPDX-License-Identifier: BSD-2-Clause */
/* The uncore counter test: it passes good counters, and finds each defect of each counter. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore.h"

#define NEHALEM 0x1a
#define CLIENT  0x2a

static struct uncore uncore;
static struct uncore_held held;
static struct uncore_record record;
static struct fake_register before[FAKE_REGISTERS];

/*
 * fake.counter has Nehalem's counters in their order, and the clock last. A client has its clock
 * first, then its slices, then the arbiter.
 */
static void machine(uint32_t model)
{
    struct cpu_caps caps = fake_cpu(VENDOR_INTEL, 6, model);

    if (model == NEHALEM)
        fake_nehalem();
    else
        fake_sandy_bridge(3);
    fake_msr(0x1d9)->value = 0x4001;
    for (unsigned i = 0; i < fake.counters; i++)
        fake.reg[fake.counter[i].counter].value = 0xabc0 + i;
    uncore_find(&FAKE_PORT, &caps, &uncore);
    uncore_describe(&uncore, &record);
    memcpy(before, fake.reg, sizeof(before));
}

static void test(uint32_t kinds)
{
    uncore_take(&FAKE_PORT, &uncore, kinds, &held);
    fake.window = true;
    uncore_check(&FAKE_PORT, &uncore, kinds, fake_delay, NULL, &record);
    fake.window = false;
    uncore_give_back(&FAKE_PORT, &held);
}

static const struct uncore_record_group *of_kind(unsigned kind)
{
    for (unsigned i = 0; i < record.groups; i++)
        if (record.group[i].kind == kind)
            return &record.group[i];
    return NULL;
}

TEST(right_counters_pass_and_all_is_left_as_found)
{
    for (unsigned core = 0; core < 4; core++) {
        machine(NEHALEM);
        fake.core = core;
        test(~0u);
        assert_int_equal(of_kind(KIND_UNCORE)->fault, UNCORE_RIGHT);
        assert_int_equal(of_kind(KIND_CLOCK)->fault, UNCORE_RIGHT);
        assert_memory_equal(fake.reg, before, sizeof(before));
        assert_int_equal(fake.absent + fake.ill_written + fake.early, 0);
    }
    machine(CLIENT);
    test(~0u);
    assert_int_equal(of_kind(KIND_CBO)->fault, UNCORE_RIGHT);
    assert_int_equal(of_kind(KIND_ARB)->fault, UNCORE_RIGHT);
    assert_int_equal(of_kind(KIND_CLOCK)->fault, UNCORE_RIGHT);
    assert_int_equal(of_kind(KIND_ENERGY)->fault, UNCORE_UNTESTED);
    assert_memory_equal(fake.reg, before, sizeof(before));
    assert_int_equal(fake.absent + fake.ill_written + fake.early, 0);
}

/* CLIENT has no status register, so overflows are tested only on NEHALEM. */
TEST(each_lie_of_each_counter_is_told)
{
    for (unsigned lie = UNCORE_STUCK; lie < UNCORE_FAULTS; lie++)
        for (unsigned liar = 0; liar < 9; liar++) {
            bool is_clock = liar == 8;

            machine(NEHALEM);
            fake.lie = (enum uncore_fault)lie;
            fake.liar = liar;
            /* the clock's test finds a clear without effect, but not a clear of all bits */
            fake.sticky = is_clock || liar & 1;
            test(~0u);
            assert_int_equal(of_kind(KIND_UNCORE)->fault, is_clock ? UNCORE_RIGHT : lie);
            assert_int_equal(of_kind(KIND_CLOCK)->fault, is_clock ? lie : UNCORE_RIGHT);
            assert_int_equal(of_kind(KIND_UNCORE)->fault_counter, is_clock ? 0 : liar);
            assert_true(fake.reg[fake.status].value == 0 || lie == UNCORE_NO_CLEAR);
        }
    for (unsigned lie = UNCORE_STUCK; lie <= UNCORE_NO_ENABLE; lie++)
        for (unsigned liar = 0; liar < fake.counters; liar++) {
            machine(CLIENT);
            fake.lie = (enum uncore_fault)lie;
            fake.liar = liar;
            test(~0u);
            assert_int_equal(of_kind(KIND_CLOCK)->fault, liar == 0 ? lie : UNCORE_RIGHT);
            assert_int_equal(of_kind(KIND_ARB)->fault, liar >= 7 ? lie : UNCORE_RIGHT);
            assert_int_equal(of_kind(KIND_CBO)->fault, liar >= 1 && liar < 7 ? lie : UNCORE_RIGHT);
            if (liar >= 1 && liar < 7) {
                assert_int_equal(of_kind(KIND_CBO)->fault_unit, (liar - 1) / 2);
                assert_int_equal(of_kind(KIND_CBO)->fault_counter, (liar - 1) % 2);
            }
        }
}

/* A status bit that was set must be set again after the test. Only an overflow can set the bit. */
TEST(status_bits_found_are_left)
{
    static const uint64_t FOUND[] = {1ull << 32 | 1ull << 5, 1ull << 63 | 1, 1ull << 61,
                                     5ull << 61};

    for (size_t i = 0; i < sizeof(FOUND) / sizeof(FOUND[0]); i++) {
        machine(NEHALEM);
        fake.reg[fake.status].value = FOUND[i];
        memcpy(before, fake.reg, sizeof(before));
        test(~0u);
        assert_int_equal(of_kind(KIND_UNCORE)->fault, UNCORE_RIGHT);
        assert_memory_equal(fake.reg, before, sizeof(before));
    }
}

TEST(only_kinds_asked_for_are_tested)
{
    machine(NEHALEM);
    test(1u << KIND_CLOCK);
    assert_int_equal(of_kind(KIND_UNCORE)->fault, UNCORE_UNTESTED);
    assert_int_equal(of_kind(KIND_CLOCK)->fault, UNCORE_RIGHT);
}

TEST(without_a_known_event_only_values_are_tested)
{
    machine(CLIENT);
    uncore.group[0].type.cycles = 0;
    test(~0u);
    assert_int_equal(of_kind(KIND_CBO)->fault, UNCORE_UNTESTED);
    machine(CLIENT);
    uncore.group[0].type.cycles = 0;
    fake.lie = UNCORE_STUCK;
    fake.liar = 4;
    test(~0u);
    assert_int_equal(of_kind(KIND_CBO)->fault, UNCORE_STUCK);
    assert_int_equal(of_kind(KIND_CBO)->fault_unit, 1);
    assert_int_equal(of_kind(KIND_CBO)->fault_counter, 1);
}

/* If an access fails, the test reports the defect that its current step looks for. */
TEST(a_refusal_is_a_fault)
{
    static const struct {
        uint32_t msr;
        unsigned fault;
    } ROWS[] = {{0x3b4, UNCORE_STUCK},     {0x3c4, UNCORE_SILENT}, {0x393, UNCORE_NO_STATUS},
                {0x392, UNCORE_NO_STATUS}, {0x1d9, UNCORE_NO_PMI}, {0x38e, UNCORE_NO_PMI},
                {0x390, UNCORE_NO_PMI}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine(NEHALEM);
        fake_msr(ROWS[i].msr)->read_faults = ROWS[i].msr != 0x3b4 && ROWS[i].msr != 0x3c4;
        fake_msr(ROWS[i].msr)->write_faults = true;
        test(1u << KIND_UNCORE);
        assert_int_equal(of_kind(KIND_UNCORE)->fault, ROWS[i].fault);
    }
}
