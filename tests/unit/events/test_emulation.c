/* SPDX-License-Identifier: BSD-2-Clause */
/* How emulators identify themselves through the hypervisor's CPUID leaves. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/emulated.h"
#include "pmu/uncore/uncore.h"

static struct emulation emulation;

static void find(bool says_so)
{
    const struct cpu_caps caps = {.features = says_so ? FEATURE_HYPERVISOR : 0};

    memset(&emulation, 0xa5, sizeof(emulation));
    emulation_find(hypervisors_cpuid, &caps, &emulation);
}

static void expect_found(bool emulated, uint32_t rules)
{
    assert_int_equal(emulation.emulated, emulated);
    assert_int_equal(emulation.rules, rules);
}

TEST(machines_that_are_not_emulated)
{
    hypervisors_are(0, 0);
    find(true);
    expect_found(false, 0);
    hypervisors_are("KVMKVMKVM", 0);
    find(true);
    expect_found(false, 0);
    hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
    find(false); /* CPUID.1:ECX[31] is clear */
    expect_found(false, 0);
    assert_int_equal(hypervisors_asked, 0);
}

TEST(plain_emulation_has_no_rules)
{
    hypervisors_are("TCGTCGTCGTCG", 0);
    find(true);
    expect_found(true, 0);
    assert_true(emulation_counts(&emulation, &(struct cpu_caps){0}, &(struct event){.select = 1}));
}

/* A block of leaves that ends before the leaf for rules has no rules. */
TEST(the_models_block_has_rules)
{
    hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
    find(true);
    expect_found(true, HYPERVISORS_MODEL + 2);
    assert_int_equal(hypervisors_asked, 256);
    hypervisors_are("KVMKVMKVM", "BarecountPMU");
    find(true);
    expect_found(true, HYPERVISORS_MODEL + 2);
    hypervisors_are(0, "BarecountPMU");
    hypervisors_model_last = HYPERVISORS_MODEL + 1;
    find(true);
    expect_found(false, 0);
}

TEST(which_events_are_asked_for)
{
    static const struct {
        struct event event;
        uint32_t core_type;
        uint32_t asked[2]; /* 0: no further query */
    } ROWS[] = {
        {{.select = 0x010041d1}, 0, {0x000041d1}},
        {{.select = 0x010041d1}, CORE_TYPE_ATOM, {0x200041d1}},
        {{.select = 0x0100, .fixed_only = 1}, 0, {0}},
        {{.select = 0x0103, .scope = SCOPE_UNCORE, .kind = KIND_UNCORE}, 0, {0x010103}},
        {{.select = 0x8f34, .scope = SCOPE_UNCORE, .kind = KIND_CBO}, 0, {0x028f34}},
        {{.select = 0x0181, .scope = SCOPE_UNCORE, .kind = KIND_ARB}, 0, {0x030181}},
        {{.select = 0x1134, .scope = SCOPE_UNCORE, .kind = KIND_CHA}, 0, {0x041134}},
        {{.select = 0x0304, .scope = SCOPE_UNCORE, .kind = KIND_IMC}, 0, {0x050304}},
        {{.select = 0x0304,
          .extra = 0x0c04,
          .flags = EVENT_SUM,
          .scope = SCOPE_UNCORE,
          .kind = KIND_IMC},
         0,
         {0x050304, 0x050c04}},
        {{.scope = SCOPE_UNCORE, .kind = KIND_CLOCK}, 0, {0}},
        {{.scope = SCOPE_UNCORE, .kind = KIND_ENERGY}, 0, {0}},
    };

    hypervisors_umask2 = 0;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct cpu_caps caps = {.core_type = (uint16_t)ROWS[i].core_type};

        for (unsigned without = 0; without < 3; without++) {
            const uint32_t left_out = without < 2 ? ROWS[i].asked[without] : 0;

            hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
            for (unsigned k = 0; k < 2; k++)
                hypervisors_rule[k] = ROWS[i].asked[k] == left_out ? 0 : ROWS[i].asked[k];
            find(true);
            assert_int_equal(emulation_counts(&emulation, &caps, &ROWS[i].event), left_out == 0);
        }
    }
}

/* An event with UMASK2 has a rule of its own. Uncore selects contain no UMASK2. */
TEST(events_with_umask2)
{
    const struct event event = {.select = 0x100000041c4}, plain = {.select = 0x41c4};
    const struct event uncore = {.select = 0x10000000304, .scope = SCOPE_UNCORE, .kind = KIND_IMC};

    for (hypervisors_umask2 = 0; hypervisors_umask2 < 2; hypervisors_umask2++) {
        hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
        hypervisors_rule[0] = 0x41c4;
        hypervisors_rule[1] = 0x050304;
        find(true);
        assert_int_equal(emulation_counts(&emulation, &(struct cpu_caps){0}, &event),
                         hypervisors_umask2 == 1);
        assert_int_equal(emulation_counts(&emulation, &(struct cpu_caps){0}, &plain),
                         hypervisors_umask2 == 0);
        assert_int_equal(emulation_counts(&emulation, &(struct cpu_caps){0}, &uncore),
                         hypervisors_umask2 == 0);
    }
    hypervisors_umask2 = 0;
}

/* AMD's event number has 12 bits; the highest four are bits 35:32 of the select. */
TEST(events_of_amd)
{
    const struct cpu_caps amd = {.vendor = VENDOR_AMD};
    const struct event event = {.select = 0x100000120}, other = {.select = 0x120};

    hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
    hypervisors_rule[0] = 0x0120;
    hypervisors_umask2 = 1;
    find(true);
    assert_true(emulation_counts(&emulation, &amd, &event));
    assert_false(emulation_counts(&emulation, &amd, &other));
    hypervisors_umask2 = 0;
}
