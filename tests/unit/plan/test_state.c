/* SPDX-License-Identifier: BSD-2-Clause */
/* [state] on a CPU: the registers and values that are written, and their restoring. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/state.h"

BEFORE_EACH(machine);

TEST(nothing_is_touched_when_all_is_kept)
{
    set((struct plan_state){.park = PARK_MWAIT, .bus_masters_off = true});
    assert_int_equal(now.items, 0);
    assert_int_equal(fake.reads + fake.writes, 0);
    restore();
    assert_int_equal(fake.reads + fake.writes, 0);
}

TEST(turbo_off_and_back)
{
    set((struct plan_state){.turbo = SWITCH_OFF});
    assert_item(0, STATE_TURBO, MSR_IA32_MISC_ENABLE, STATUS_OK);
    assert_values(0, MISC_FOUND, MISC_FOUND | 1ull << 38, MISC_FOUND | 1ull << 38);
    assert_int_equal(now.item[0].written, 1);
    assert_words("turbo off");
    restore();
    assert_log(2, MSR_IA32_MISC_ENABLE, MISC_FOUND | 1ull << 38, MSR_IA32_MISC_ENABLE, MISC_FOUND);
    assert_int_equal(now.item[0].written, 0);
}

TEST(found_as_asked)
{
    fake_set(MSR_MISC_FEATURE_CONTROL, 0xf);
    fake_set(MSR_IA32_PERF_CTL, RATIO_BASE << 8);
    set((struct plan_state){.turbo = SWITCH_ON, .prefetch = SWITCH_OFF, .ratio = PLAN_RATIO_BASE});
    assert_int_equal(now.items, 4);
    for (unsigned i = 0; i < 3; i++) {
        assert_item(i, i, now.item[i].msr, STATUS_OK);
        assert_int_equal(now.item[i].written, 0);
        assert_values(i, now.item[i].found, now.item[i].found, now.item[i].found);
    }
    assert_values(3, CLOCK(RATIO_NOW), CLOCK(RATIO_BASE), CLOCK(RATIO_BASE));
    assert_words("turbo on; prefetch off (0xf); ratio 21");
    restore();
    assert_int_equal(fake.writes, 0);
}

/*
 * While turbo is off, CPUID does not report it, but the turbo-disable bit in IA32_MISC_ENABLE is
 * set.
 */
TEST(turbo_that_cpuid_hides)
{
    caps.features &= ~FEATURE_TURBO;
    set((struct plan_state){.turbo = SWITCH_OFF});
    assert_item(0, STATE_TURBO, 0, STATUS_STATE_ABSENT);
    assert_int_equal(fake.writes, 0);
    fake_set(MSR_IA32_MISC_ENABLE, MISC_FOUND | 1ull << 38);
    set((struct plan_state){.turbo = SWITCH_ON});
    assert_values(0, MISC_FOUND | 1ull << 38, MISC_FOUND, MISC_FOUND);
    restore();
    assert_log(2, MSR_IA32_MISC_ENABLE, MISC_FOUND, MSR_IA32_MISC_ENABLE, MISC_FOUND | 1ull << 38);
}

/* The prefetchers' bits in MSR 1A4H, by model and core type. */
TEST(prefetchers_of_intel)
{
    static const struct {
        uint32_t model, core_type, native;
        uint64_t off;
    } ROWS[] = {
        {0x55, 0, 0, 0xf},
        {0x1a, 0, 0, 0xf},
        {0x8a, CORE_TYPE_CORE, 0, 0xf},
        {0x8a, CORE_TYPE_ATOM, 0, 0x5},
        {0x97, CORE_TYPE_CORE, 1, 0x2f},
        {0x97, 0, 0, 0x2f},
        {0x97, CORE_TYPE_ATOM, 1, 0x3d},
        {0xbe, CORE_TYPE_ATOM, 1, 0x3d},
        {0xaa, CORE_TYPE_CORE, 2, 0x1ef},
        {0xaf, CORE_TYPE_ATOM, 2, 0x1ff},
        {0xc6, CORE_TYPE_ATOM, 3, 0x1ff},
        {0xcc, CORE_TYPE_CORE, 4, 0x1ef},
        {0xcc, CORE_TYPE_ATOM, 4, 0x11ff},
        {0x8f, 0, 0, 0x2f},
        {0xad, 0, 0, 0x1ef},
        {0x5c, 0, 0, 0x5},
        {0x5f, 0, 0, 0x5},
        {0x7a, 0, 0, 0x5},
        {0x57, 0, 0, 0x3},
        {0x85, 0, 0, 0x3},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const uint64_t other = 0xe000 | (0x11ffull & ~ROWS[i].off);

        machine();
        caps.model = ROWS[i].model;
        caps.core_type = (uint16_t)ROWS[i].core_type;
        caps.native_model = (uint16_t)ROWS[i].native;
        fake_register(MSR_MISC_FEATURE_CONTROL)->writable = ~0ull;
        fake_set(MSR_MISC_FEATURE_CONTROL, other);
        fake_add(MSR_E_CORE_PREFETCH_LLC, ~0ull);
        fake_add(MSR_E_CORE_PREFETCH_L2, ~0ull);
        fake_set(MSR_E_CORE_PREFETCH_LLC, ~0ull); /* already off: not written */
        fake_set(MSR_E_CORE_PREFETCH_L2, ~0ull);
        set((struct plan_state){.prefetch = SWITCH_OFF});
        assert_int_equal(now.items, ROWS[i].core_type == CORE_TYPE_ATOM && ROWS[i].native ? 3 : 1);
        assert_item(0, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_OK);
        assert_values(0, other, other | ROWS[i].off, other | ROWS[i].off);
        restore();
        assert_log(2, MSR_MISC_FEATURE_CONTROL, other | ROWS[i].off, MSR_MISC_FEATURE_CONTROL,
                   other);
        fake_set(MSR_MISC_FEATURE_CONTROL, other | ROWS[i].off);
        set((struct plan_state){.prefetch = SWITCH_ON});
        assert_values(0, other | ROWS[i].off, other, other);
    }
}

/* Gracemont and later also have two registers for each module of four cores. */
TEST(prefetchers_of_modules)
{
    caps.core_type = CORE_TYPE_ATOM;
    caps.native_model = 1;
    fake_register(MSR_MISC_FEATURE_CONTROL)->writable = ~0ull;
    fake_add(MSR_E_CORE_PREFETCH_LLC, ~0ull);
    fake_add(MSR_E_CORE_PREFETCH_L2, ~0ull);
    fake_set(MSR_E_CORE_PREFETCH_LLC, 0x123);
    set((struct plan_state){.prefetch = SWITCH_OFF});
    assert_int_equal(now.items, 3);
    assert_item(1, STATE_PREFETCH, MSR_E_CORE_PREFETCH_LLC, STATUS_OK);
    assert_values(1, 0x123, 0x123 | 1ull << 43, 0x123 | 1ull << 43);
    assert_item(2, STATE_PREFETCH, MSR_E_CORE_PREFETCH_L2, STATUS_OK);
    assert_values(2, 0, 1ull << 40, 1ull << 40);
    assert_words("prefetch off (0x3d)");
    restore();
    assert_log(6, MSR_MISC_FEATURE_CONTROL, 0x3d, MSR_MISC_FEATURE_CONTROL, 0);
    assert_int_equal(fake_value(MSR_E_CORE_PREFETCH_LLC), 0x123);
    assert_int_equal(fake_value(MSR_E_CORE_PREFETCH_L2), 0);
    now.items = 0;
    wish = (struct plan_state){.ratio = PLAN_RATIO_BASE};
    state_look(&STATE_PORT, &caps, &wish, &now);
    assert_int_equal(now.items, 4);
    assert_item(2, STATE_PREFETCH, MSR_E_CORE_PREFETCH_LLC, STATUS_OK);
    assert_int_equal(now.item[2].kept, 1);
}

TEST(models_are_of_family_6)
{
    caps.family = 19;
    caps.model = 0x5c;
    set((struct plan_state){.prefetch = SWITCH_OFF});
    assert_int_equal(now.item[0].asked, 0xf);
}

TEST(bits_that_are_not_there)
{
    caps.core_type = CORE_TYPE_CORE;
    caps.native_model = 1;
    set((struct plan_state){.prefetch = SWITCH_OFF});
    assert_item(0, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_STATE_PART);
    assert_values(0, 0, 0x2f, 0xf);
    assert_why(0, "the CPU accepted only some of the requested bits: MSR 0x1a4 took 0xf of 0x2f");
    assert_words("prefetch off (0xf)");
    restore();
    assert_int_equal(fake_value(MSR_MISC_FEATURE_CONTROL), 0);
    machine();
    fake_register(MSR_MISC_FEATURE_CONTROL)->stuck = 0xa;
    set((struct plan_state){.prefetch = SWITCH_OFF});
    assert_item(0, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_STATE_PART);
    assert_values(0, 0, 0xf, 0x5);
    assert_why(0, "the CPU accepted only some of the requested bits: MSR 0x1a4 took 0x5 of 0xf");
    restore();
    assert_int_equal(fake_value(MSR_MISC_FEATURE_CONTROL), 0);
    machine();
    fake_set(MSR_MISC_FEATURE_CONTROL, 0xf);
    fake_register(MSR_MISC_FEATURE_CONTROL)->stuck = 0x3;
    set((struct plan_state){.prefetch = SWITCH_ON});
    assert_values(0, 0xf, 0, 0x3);
    assert_why(0, "the CPU accepted only some of the requested bits: MSR 0x1a4 took 0xc of 0xf");
    assert_words("prefetch on");
    machine();
    fake_register(MSR_MISC_FEATURE_CONTROL)->stuck = 0xf;
    set((struct plan_state){.prefetch = SWITCH_OFF});
    assert_item(0, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_STATE_KEPT);
    assert_int_equal(now.item[0].written, 0);
}

TEST(amd)
{
    caps = (struct cpu_caps){.vendor = VENDOR_AMD,
                             .family = 0x19,
                             .features = FEATURE_MSR | FEATURE_AMD_BOOST | FEATURE_AMD_PREFETCH};
    fake_set(MSR_AMD_HWCR, 0x9000011);
    fake_set(MSR_AMD_PREFETCH_CONTROL, 0x10);
    set((struct plan_state){.turbo = SWITCH_OFF, .prefetch = SWITCH_OFF, .ratio = 20});
    assert_item(0, STATE_TURBO, MSR_AMD_HWCR, STATUS_OK);
    assert_values(0, 0x9000011, 0xb000011, 0xb000011);
    assert_item(1, STATE_PREFETCH, MSR_AMD_PREFETCH_CONTROL, STATUS_OK);
    assert_values(1, 0x10, 0x3f, 0x3f);
    assert_item(2, STATE_RATIO, 0, STATUS_STATE_VENDOR);
    assert_words("turbo off; prefetch off (0x2f)");
    restore();
    assert_int_equal(fake.writes, 4);
    assert_int_equal(fake.log[2].msr, MSR_AMD_PREFETCH_CONTROL); /* in reverse order */
    assert_int_equal(fake.log[2].value, 0x10);
    assert_int_equal(fake.log[3].msr, MSR_AMD_HWCR);
    assert_int_equal(fake.log[3].value, 0x9000011);
    caps.features = FEATURE_MSR;
    fake.writes = fake.reads = 0;
    set((struct plan_state){.turbo = SWITCH_OFF, .prefetch = SWITCH_OFF});
    assert_item(0, STATE_TURBO, 0, STATUS_STATE_ABSENT);
    assert_item(1, STATE_PREFETCH, 0, STATUS_STATE_ABSENT);
    assert_int_equal(fake.reads + fake.writes, 0);
}

/* LS_CFG[54] stops speculation past locked instructions, and DE_CFG[1] makes LFENCE serialising. */
TEST(what_amd_does_at_lock_and_lfence)
{
    const struct plan_state asks = {.lock_speculation = SWITCH_OFF, .lfence_serializes = SWITCH_ON};

    caps = (struct cpu_caps){
        .vendor = VENDOR_AMD, .family = 0x17, .pmu_version = 1, .features = FEATURE_MSR};
    fake_add(0xc0011020, ~0ull);
    fake_add(0xc0011029, ~0ull);
    fake_set(0xc0011020, 0x400);
    fake_set(0xc0011029, 0x3000310e08200);
    set(asks);
    assert_item(0, STATE_LOCK_SPECULATION, 0xc0011020, STATUS_OK);
    assert_values(0, 0x400, 1ull << 54 | 0x400, 1ull << 54 | 0x400);
    assert_item(1, STATE_LFENCE, 0xc0011029, STATUS_OK);
    assert_values(1, 0x3000310e08200, 0x3000310e08202, 0x3000310e08202);
    assert_words("lock_speculation off; lfence_serializes on");
    assert_true(state_lfence_waits(&caps, &now));
    restore();
    assert_int_equal(fake_value(0xc0011020), 0x400);
    assert_true(fake_value(0xc0011029) == 0x3000310e08200);
    fake_set(0xc0011029, 2);
    set((struct plan_state){.lfence_serializes = SWITCH_OFF});
    assert_values(0, 2, 0, 0);
    assert_words("lfence_serializes off");
    assert_false(state_lfence_waits(&caps, &now));
    now.items = 0;
    assert_false(state_lfence_waits(&caps, &now));
    caps.family = FAMILY_ZEN_3;
    assert_true(state_lfence_waits(&caps, &now));
    caps.family = 0x16;
    caps.pmu_version = 0;
    fake.writes = fake.reads = 0;
    set(asks);
    assert_item(0, STATE_LOCK_SPECULATION, 0, STATUS_STATE_ABSENT);
    assert_item(1, STATE_LFENCE, 0, STATUS_STATE_ABSENT);
    assert_int_equal(fake.reads + fake.writes, 0);
}

TEST(no_register_at_all)
{
    for (unsigned i = 0; i < 2; i++) {
        machine();
        if (i == 0)
            caps.vendor = VENDOR_OTHER;
        else
            caps.features = 0;
        set((struct plan_state){.turbo = SWITCH_ON, .prefetch = SWITCH_ON, .ratio = 9});
        assert_int_equal(now.items, 3);
        for (unsigned k = 0; k < 3; k++)
            assert_item(k, k, 0,
                        i == 0 && k == STATE_RATIO ? STATUS_STATE_VENDOR : STATUS_STATE_ABSENT);
        assert_why(0, "the CPU has no register for this setting");
        assert_words("");
        assert_int_equal(fake.reads + fake.writes, 0);
    }
}

TEST(registers_that_refuse)
{
    static const uint32_t MSRS[] = {MSR_IA32_MISC_ENABLE, MSR_MISC_FEATURE_CONTROL,
                                    MSR_IA32_PERF_CTL};
    static const enum status EXPECTED[] = {STATUS_MSR_REFUSED, STATUS_MSR_REFUSED,
                                           STATUS_STATE_KEPT};

    for (unsigned m = 0; m < 3; m++)
        for (unsigned how = 0; how < 3; how++) {
            struct fake_register *reg;

            machine();
            reg = fake_register(MSRS[m]);
            reg->read_faults = how == 0;
            reg->write_faults = how == 1;
            reg->stuck = how == 2 ? ~0ull : 0;
            set((struct plan_state){.turbo = SWITCH_OFF, .prefetch = SWITCH_OFF, .ratio = 21});
            assert_item(m, m, MSRS[m], EXPECTED[how]);
            assert_int_equal(now.item[m].written, 0);
            assert_int_equal(now.items, m == 2 ? 3 : 4);
            for (unsigned k = 0; k < 3; k++)
                assert_int_equal(now.item[k].status == STATUS_OK, k != m);
            reg->stuck = 0;
            fake.writes = 0;
            restore();
            assert_int_equal(fake.writes, 2);
        }
    machine();
    fake_register(MSR_IA32_MISC_ENABLE)->write_faults = true;
    set((struct plan_state){.turbo = SWITCH_OFF});
    assert_why(0, "the CPU has no such MSR, or refuses the value: MSR 0x1a0, found 0x40840, asked "
                  "0x4000040840");
}

TEST(a_value_that_is_not_kept_is_put_back_at_once)
{
    fake_set(MSR_IA32_PERF_CTL, 0x0800);
    fake_register(MSR_IA32_PERF_CTL)->stuck = 0x100;
    set((struct plan_state){.ratio = 21}); /* 21 is 15H, but the register would store 14H */
    assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_STATE_KEPT);
    assert_log(2, MSR_IA32_PERF_CTL, 0x1500, MSR_IA32_PERF_CTL, 0x0800);
    assert_int_equal(now.item[0].written, 0);
}

TEST(restored_in_reverse)
{
    fake_set(MSR_MISC_FEATURE_CONTROL, 0x2);
    fake_set(MSR_IA32_PERF_CTL, 0x100000900);
    set((struct plan_state){.turbo = SWITCH_OFF, .prefetch = SWITCH_OFF, .ratio = 21});
    assert_values(2, 0x100000900, 0x100001500, 0x100001500);
    fake.writes = 0;
    fake_register(MSR_MISC_FEATURE_CONTROL)->stuck = 0xf;
    restore();
    assert_int_equal(fake.writes, 3);
    assert_int_equal(fake.log[0].msr, MSR_IA32_PERF_CTL);
    assert_int_equal(fake.log[0].value, 0x100000900);
    assert_int_equal(fake.log[1].msr, MSR_MISC_FEATURE_CONTROL);
    assert_int_equal(fake.log[1].value, 0x2);
    assert_int_equal(fake.log[2].msr, MSR_IA32_MISC_ENABLE);
    assert_int_equal(fake.log[2].value, MISC_FOUND);
    assert_int_equal(now.item[1].written, 1);
    assert_int_equal(now.item[1].status, STATUS_STATE_KEPT);
    assert_int_equal(now.item[0].written + now.item[2].written + now.item[3].written, 0);
    fake_register(MSR_MISC_FEATURE_CONTROL)->write_faults = true;
    restore();
    assert_int_equal(fake.writes, 3);
    assert_int_equal(now.item[1].status, STATUS_MSR_REFUSED);
    fake_register(MSR_MISC_FEATURE_CONTROL)->write_faults = false;
    fake_register(MSR_MISC_FEATURE_CONTROL)->stuck = 0;
    restore();
    restore();
    assert_int_equal(fake.writes, 4);
}
