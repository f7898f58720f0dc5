/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's counters. Registers and bits are from the APM vol. 2, "Performance Counter MSRs" and
 * "Performance-Monitoring Counter Global Control".
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/counters/select.h"
#include "pmu/counters/spare.h"
#include "pmu/events/built_in.h"
#include "pmu/events/can.h"

#define AMD_ID "AuthenticAMD"

#define GLOBAL_STATUS 0xc0000300u
#define GLOBAL_CTL    0xc0000301u
#define STATUS_CLEAR  0xc0000302u
#define MASK_48       0xffffffffffffull

/* select and counter: MSRs of the first counter. step: distance to the MSRs of the next counter. */
static const struct layout {
    uint32_t version, counters, features, select, counter, step;
} V2 = {2, 6, FEATURE_AMD_CORE, 0xc0010200, 0xc0010201, 2},
  V1 = {1, 6, FEATURE_AMD_CORE, 0xc0010200, 0xc0010201, 2},
  OLD = {1, 4, 0, 0xc0010000, 0xc0010004, 1};
static const struct layout *const LAYOUTS[] = {&V2, &V1, &OLD};
#define LAYOUTS_COUNT (sizeof(LAYOUTS) / sizeof(LAYOUTS[0]))

static struct cpu_caps caps;
static struct event events[EVENTS_MAX];
static struct schedule schedule;
static struct schedule_work work;
static struct programmed programmed;

/* All registers of this machine can be written, except GLOBAL_STATUS. */
static void machine_for(const struct layout *of, enum count_method method)
{
    unsigned count;

    memset(&fake, 0, sizeof(fake));
    fake_add(MSR_IA32_DEBUGCTL, 0x1801);
    for (unsigned i = 0; i < of->counters; i++) {
        fake_add(of->select + of->step * i, 0x3ffffff7ffffull);
        fake_add(of->counter + of->step * i, MASK_48);
    }
    if (of->version == 2) {
        fake_add(GLOBAL_CTL, 0x3f);
        fake_add(GLOBAL_STATUS, 0);
        fake_add(STATUS_CLEAR, 3ull << 58 | 0x3f);
    }
    caps = (struct cpu_caps){
        .vendor = VENDOR_AMD, .family = 0x19, .model = 0x11, .features = of->features};
    caps_take_amd_pmu((struct cpuid_regs){.eax = of->version == 2, .ebx = 6}, &caps);
    event_builtins(VENDOR_AMD, &count);
    for (unsigned e = 0; e < count; e++)
        event_builtin(e, &caps, RING_OS, &events[e]);
    schedule_make(&caps, schedule_one_a_pass(&caps, method), events, count, &schedule, &work);
}

static void machine(const struct layout *of)
{
    machine_for(of, METHOD_RESET);
}

TEST(counters_by_cpuid)
{
    static const struct {
        const char *vendor_id;
        uint32_t family, features;
        struct cpuid_regs leaf;
        uint32_t version, counters;
    } ROWS[] = {
        {AMD_ID, 0x17, FEATURE_AMD_CORE, {0}, 1, 6},
        {VENDOR_ID_HYGON, 0x18, FEATURE_AMD_CORE, {0}, 1, 6},
        {AMD_ID, 0x18, FEATURE_AMD_CORE, {0}, 0, 0}, /* not known */
        {VENDOR_ID_HYGON, 0x19, FEATURE_AMD_CORE, {0}, 0, 0},
        {AMD_ID, 0x19, FEATURE_AMD_CORE, {.eax = 1, .ebx = 0x304106}, 2, 6},
        {AMD_ID, 0x1a, FEATURE_AMD_CORE, {.eax = 7, .ebx = 0x84104}, 2, 4},
        {AMD_ID, 0x1a, FEATURE_AMD_CORE, {.eax = 7, .ebx = 0xf}, 2, 6}, /* RDPMC reads only six */
        {AMD_ID, 0x19, 0, {.eax = 1, .ebx = 6}, 1, 4},
        {AMD_ID, 0x19, 0, {0}, 1, 4}, /* a hypervisor hides PerfCtrExtCore */
        {AMD_ID, 0x16, FEATURE_AMD_CORE, {0}, 0, 0},
        {AMD_ID, 0x1b, FEATURE_AMD_CORE, {.eax = 1, .ebx = 6}, 0, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct cpu_caps found = {
            .vendor = VENDOR_AMD, .family = ROWS[i].family, .features = ROWS[i].features};

        strcpy(found.vendor_id, ROWS[i].vendor_id);
        caps_take_amd_pmu(ROWS[i].leaf, &found);
        assert_int_equal(found.pmu_version, ROWS[i].version);
        assert_int_equal(caps_general_count(&found), ROWS[i].counters);
        assert_int_equal(found.gp_width_bits, ROWS[i].version ? 48 : 0);
        assert_int_equal(found.fixed_map, 0);
        assert_int_equal(event_counts_at_all(&found), ROWS[i].version ? STATUS_OK : STATUS_VENDOR);
    }
}

/* Bit 17 of a select is OS, and bit 22 is EN. */
static uint64_t select_of(unsigned event)
{
    return events[event].select | 1ull << 17 | 1ull << 22;
}

TEST(with_perfmonv2_one_write_opens_a_pass)
{
    machine(&V2);
    assert_int_equal(schedule.passes, 2); /* 9 events besides instructions, 5 counters for them */
    for (unsigned p = 0; p < schedule.passes; p++) {
        const struct pass *pass = &schedule.pass[p];
        uint64_t selects[6] = {0};

        assert_int_equal(pmu_program(&FAKE_PORT, &caps, events, pass, &programmed).status,
                         STATUS_OK);
        for (unsigned s = 0; s < pass->slots; s++)
            selects[pass->slot[s].counter] = select_of(pass->slot[s].event);
        assert_int_equal(pass->slot[0].event, 0);
        for (unsigned i = 0; i < 6; i++)
            assert_true(fake_value(0xc0010200 + 2 * i) == selects[i]);
        assert_int_equal(programmed.open_msr, GLOBAL_CTL);
        assert_int_equal(programmed.open_value, fake_bits(pass->slots));
    }
    assert_int_equal(fake_value(GLOBAL_CTL) + fake.absent, 0);
}

TEST(without_it_a_pass_has_one_counter)
{
    for (size_t i = 1; i < LAYOUTS_COUNT; i++) {
        machine(LAYOUTS[i]);
        for (unsigned p = 0; p < schedule.passes; p++) {
            const struct pass *pass = &schedule.pass[p];

            assert_int_equal(pass->slots, 1);
            assert_int_equal(pmu_program(&FAKE_PORT, &caps, events, pass, &programmed).status,
                             STATUS_OK);
            assert_int_equal(programmed.open_msr, LAYOUTS[i]->select);
            assert_true(programmed.open_value == select_of(pass->slot[0].event));
            assert_true(fake_value(LAYOUTS[i]->select) ==
                        (select_of(pass->slot[0].event) & ~(1ull << 22)));
        }
        assert_int_equal(fake.absent, 0);
    }
}

/*
 * Without a global control, a pass with several events needs method=deltas: the first counter's
 * select opens the window, and the other counters are enabled from the start. Instructions take the
 * first counter of each pass, and the other events share the other counters.
 */
TEST(without_it_differences_take_all_counters)
{
    for (size_t i = 1; i < LAYOUTS_COUNT; i++) {
        const struct layout *of = LAYOUTS[i];

        machine_for(of, METHOD_DELTAS);
        assert_int_equal(schedule.passes, (9 + of->counters - 2) / (of->counters - 1));
        for (unsigned p = 0; p < schedule.passes; p++) {
            const struct pass *pass = &schedule.pass[p];
            unsigned first = pass->slot[0].counter;

            assert_int_equal(pass->slot[0].event, 0);
            assert_int_equal(pmu_program(&FAKE_PORT, &caps, events, pass, &programmed).status,
                             STATUS_OK);
            assert_int_equal(programmed.open_msr, of->select + of->step * first);
            assert_true(programmed.open_value == select_of(0));
            assert_true(fake_value(programmed.open_msr) == (select_of(0) & ~(1ull << 22)));
            for (unsigned s = 1; s < pass->slots; s++)
                assert_true(fake_value(of->select + of->step * pass->slot[s].counter) ==
                            select_of(pass->slot[s].event));
        }
        assert_int_equal(fake.absent, 0);
    }
}

/* Event 76H counts core cycles. 530076H selects it with USR, OS, INT and EN. */
TEST(a_counter_to_end_kernels)
{
    for (size_t i = 0; i < LAYOUTS_COUNT; i++) {
        const struct layout *of = LAYOUTS[i];
        const unsigned last = of->counters - 1;
        const uint32_t select = of->select + of->step * last;
        struct spare_watch watch;

        machine(of);
        assert_true(spare_can(&caps, 0));
        assert_int_equal(spare_counter(&caps), last);
        pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[0], &programmed);
        spare_add(&caps, last, &programmed);
        assert_int_equal(programmed.open_msr, of->version == 2 ? GLOBAL_CTL : of->select);
        assert_int_equal(programmed.open_value >> last & 1, of->version == 2);
        assert_true(spare_start(&FAKE_PORT, &caps, last, 1000));
        assert_int_equal(fake_value(select), 0x530076);
        watch = spare_watch(&caps, last);
        assert_int_equal(watch.msr, of->counter + of->step * last);
        assert_true(fake_value(watch.msr) == (-1000 & MASK_48));
        assert_false(spare_is_over(&FAKE_PORT, &watch));
        fake_set(watch.msr, 0);
        assert_true(spare_is_over(&FAKE_PORT, &watch));
        assert_true(spare_stop(&FAKE_PORT, &caps, last));
        assert_int_equal(fake_value(select) + fake.absent, 0);
    }
}

/* Event 2BH counts SMIs, on the last counter that is neither reserved nor in the pass. */
static void check_smis(const struct layout *of, const struct pass *pass, uint32_t reserved)
{
    uint32_t taken = reserved, select;
    unsigned counter = of->counters;
    uint64_t opens;

    for (unsigned s = 0; s < pass->slots; s++)
        taken |= 1u << pass->slot[s].counter;
    while (counter > 0 && taken >> (counter - 1) & 1)
        counter--;
    pmu_program(&FAKE_PORT, &caps, events, pass, &programmed);
    opens = programmed.open_value;
    assert_int_equal(programmed.smi_msr, 0);
    pmu_count_smis(&FAKE_PORT, &caps, reserved, &programmed);
    if (counter == 0) {
        assert_int_equal(programmed.smi_msr, 0);
        assert_true(programmed.open_value == opens);
        return;
    }
    select = of->select + of->step * (counter - 1);
    assert_int_equal(programmed.smi_msr, of->counter + of->step * (counter - 1));
    assert_int_equal(fake_value(select), 0x43002b);
    assert_true(programmed.open_value == (opens | (uint64_t)(of->version == 2) << (counter - 1)));
    assert_true(pmu_keep_smis(&FAKE_PORT, &caps, &programmed));
    fake_set(select, 0x430076);
    assert_false(pmu_keep_smis(&FAKE_PORT, &caps, &programmed));
    assert_int_equal(fake_value(select), 0x43002b);
}

TEST(smis_have_a_counter_that_is_left)
{
    for (size_t i = 0; i < LAYOUTS_COUNT; i++) {
        const struct layout *of = LAYOUTS[i];

        machine(of);
        for (unsigned p = 0; p < schedule.passes; p++) {
            check_smis(of, &schedule.pass[p], 0);
            check_smis(of, &schedule.pass[p], (1u << of->counters) >> 1);
        }
        machine_for(of, METHOD_DELTAS);
        check_smis(of, &schedule.pass[0], 0);
        assert_int_equal(fake.absent, 0);
    }
    machine(&V2);
    fake_register(V2.select + 5 * V2.step)->stuck = 1; /* other software uses it */
    pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[1], &programmed);
    pmu_count_smis(&FAKE_PORT, &caps, 0, &programmed);
    assert_int_equal(programmed.smi_msr, 0);
}

TEST(a_preset_may_be_as_long_as_a_counter)
{
    static const uint64_t AHEAD[] = {0, 1, 0x80000001, MASK_48};

    for (size_t i = 0; i < LAYOUTS_COUNT; i++) {
        machine(LAYOUTS[i]);
        assert_true(pmu_preset_max(&caps) == MASK_48);
        pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[0], &programmed);
        for (size_t k = 0; k < sizeof(AHEAD) / sizeof(AHEAD[0]); k++) {
            assert_true(fake_preset(&caps, &programmed, AHEAD[k]));
            assert_true(fake_value(LAYOUTS[i]->counter) == (-AHEAD[k] & MASK_48));
        }
    }
}

/* Reserved bit 7 of the status was seen set on real hardware. The program must not write it. */
TEST(what_the_firmware_left_is_taken_and_given_back)
{
    struct pmu_found found;

    machine(&V2);
    fake_set(0xc0010204, 0x5300c2);
    fake_set(GLOBAL_CTL, 0x3f);
    fake_set(GLOBAL_STATUS, 1ull << 59 | 1 << 7 | 1 << 2);
    fake_set(MSR_IA32_DEBUGCTL, 0x1801);
    assert_int_equal(pmu_take(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    assert_true(pmu_was_in_use(&found, &caps));
    assert_int_equal(fake_value(0xc0010204) + fake_value(GLOBAL_CTL), 0);
    assert_int_equal(fake_value(MSR_IA32_DEBUGCTL), 1);
    assert_true(fake_value(STATUS_CLEAR) == (1ull << 59 | 1 << 2));
    assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    assert_int_equal(fake_value(0xc0010204), 0x5300c2);
    assert_int_equal(fake_value(GLOBAL_CTL), 0x3f);
    assert_int_equal(fake_value(MSR_IA32_DEBUGCTL), 0x1801);
    assert_int_equal(fake.absent, 0);
}

/*
 * On a core that no PPR describes, the program uses the events that Linux counts on all AMD cores.
 */
TEST(events_of_an_unknown_core)
{
    unsigned count, found = 0;

    event_builtins(VENDOR_AMD, &count);
    machine(&V2);
    caps.family = 0x1a;
    caps.model = 0x50;
    for (unsigned e = 0; e < count; e++) {
        struct event event;

        event_builtin(e, &caps, RING_OS, &event);
        if (event.status != STATUS_OK) {
            assert_int_equal(event.status, STATUS_EVENT_MODEL);
            continue;
        }
        assert_true(event.select == 0xc0 || event.select == 0xc2 || event.select == 0xc3 ||
                    event.select == 0x76);
        found++;
    }
    assert_int_equal(found, 4);
}

/* `fills` and `clock`: selects of data cache fills and of P0 clock cycles; 0: no such event */
TEST(events_of_each_generation)
{
    static const struct {
        uint32_t family, model;
        uint64_t fills, clock;
    } ROWS[] = {
        {0x17, 0x01, 0x5b43, 0},           {0x17, 0x31, 0x5b43, 0},
        {0x19, 0x01, 0x5f44, 0},           {0x19, 0x50, 0x5f44, 0},
        {0x19, 0x11, 0xdf44, 0x100000120}, {0x19, 0x61, 0xdf44, 0x100000120},
        {0x1a, 0x02, 0xdf44, 0x100000120},
    };
    unsigned count;

    event_builtins(VENDOR_AMD, &count);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine(&V1);
        caps.family = ROWS[i].family;
        caps.model = ROWS[i].model;
        for (unsigned e = 0; e < count; e++) {
            struct event event, raw;

            event_builtin(e, &caps, RING_OS, &event);
            if (strcmp(event.name, "DATA_CACHE_FILLS_FROM_SYSTEM") == 0)
                assert_true(event.select == ROWS[i].fills);
            if (strcmp(event.name, "CYCLES_NOT_IN_HALT.P0_FREQ") == 0)
                assert_int_equal(event.status, ROWS[i].clock ? STATUS_OK : STATUS_EVENT_MODEL);
            else
                assert_int_equal(event.status, STATUS_OK);
            raw = event;
            raw.declared = EVENT_UNDECLARED;
            raw.flags = 0;
            event_classify(&raw, &caps);
            if (event.status == STATUS_OK)
                assert_int_equal(raw.declared, event.declared);
            assert_int_equal(raw.flags, event.flags);
            assert_int_equal(event.flags, (event.select & 0xff) == 0x29 ? EVENT_AT_LEAST : 0);
        }
    }
}

static struct event found(uint64_t select)
{
    struct event event = {.select = select, .fixed = EVENT_NOT_FIXED, .rings = RING_OS};
    char text[80];
    struct out more = out_buffer(text, sizeof(text));

    event.status = (uint8_t)event_can_be_counted(&event, &caps, &more);
    return event;
}

#define MERGE 0xf004000ffull /* EN and event FFFH */

/* PMCx003 can add 64 in one cycle, so it needs a second counter, with event FFFH. */
TEST(a_merged_event_takes_two_counters)
{
    for (size_t i = 0; i < LAYOUTS_COUNT; i++) {
        const struct layout *of = LAYOUTS[i];
        const uint64_t open = of->version == 2 ? 3 : 0x420f03;

        machine(of);
        events[0] = found(0xc0);
        events[1] = found(0x0f03);
        events[2] = found(0x76);
        assert_int_equal(events[1].status, STATUS_OK);
        schedule_make(&caps, false, events, 3, &schedule, &work);
        assert_int_equal(schedule.passes, 2);
        for (unsigned p = 0; p < 2; p++) {
            const struct pass *pass = &schedule.pass[p];
            const bool is_merged = pass->slot[0].event == 1;

            assert_int_equal(pmu_program(&FAKE_PORT, &caps, events, pass, &programmed).status,
                             STATUS_OK);
            assert_int_equal(pass->slots, is_merged ? 1 : 2);
            assert_true((fake_value(of->select + of->step) == MERGE) == is_merged);
            if (!is_merged)
                continue;
            assert_int_equal(pass->slot[0].counter, 0);
            assert_true(programmed.open_value == open);
            assert_true(fake_preset(&caps, &programmed, 5));
            assert_int_equal(fake_value(of->counter), 0xfffffffffffb);
            assert_int_equal(fake_value(of->counter + of->step), 0xffff); /* bits 63:48 */
            assert_true(fake_preset(&caps, &programmed, 0));
            assert_int_equal(fake_value(of->counter) + fake_value(of->counter + of->step), 0);
            pmu_count_smis(&FAKE_PORT, &caps, 0x3c & ((1u << of->counters) - 1), &programmed);
            assert_int_equal(programmed.smi_msr, 0);
        }
    }
}

TEST(what_cannot_be_merged)
{
    machine(&V2);
    assert_int_equal(found(0xf000000ff).status, STATUS_EVENT_MERGED);
    assert_int_equal(found(1ull << 43 | 0x0f03).status, STATUS_EVENT_MERGED);
    caps_keep_general(&caps, 1);
    assert_int_equal(found(0x0f03).status, STATUS_NO_COUNTER);
}

/*
 * Bit 43 (PREC_RET) works on counter 2, even if a Zen 3 server's CPUID does not report the bit (AMD
 * revision guide 56683, erratum 1292).
 */
TEST(precise_retirement_is_on_counter_2)
{
    static const struct {
        uint32_t family, model, features;
        bool has_bit;
    } ROWS[] = {
        {0x17, 0x31, 0, false}, {0x19, 0x01, 0, true},  {0x19, 0x01, FEATURE_HYPERVISOR, false},
        {0x19, 0x21, 0, false}, {0x1a, 0x02, 0, false}, {0x1a, 0x02, FEATURE_AMD_PREC_RET, true},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine(&V1);
        caps = (struct cpu_caps){.vendor = VENDOR_AMD,
                                 .family = ROWS[i].family,
                                 .model = ROWS[i].model,
                                 .features = FEATURE_AMD_CORE | ROWS[i].features};
        caps_take_amd_pmu((struct cpuid_regs){0}, &caps);
        events[0] = found(1ull << 43 | 0xc0);
        assert_int_equal(events[0].status, ROWS[i].has_bit ? STATUS_OK : STATUS_EVENT_PREC_RET);
        if (!ROWS[i].has_bit)
            continue;
        schedule_make(&caps, true, events, 1, &schedule, &work);
        assert_int_equal(schedule.pass[0].slot[0].counter, 2);
        fake_register(0xc0010204)->stuck = 1ull << 43; /* reads as 0 */
        assert_int_equal(
            pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[0], &programmed).status,
            STATUS_OK);
        assert_true(programmed.open_value == 0x800004200c0);
    }
    *fake_register(0xc0010204) =
        (struct fake_register){.msr = 0xc0010204, .writable = ~0ull, .stuck = 0xff};
    assert_int_equal(pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[0], &programmed).status,
                     STATUS_READ_BACK);
}

TEST(events_without_a_restriction)
{
    static const struct {
        uint64_t select;
        enum status status;
    } ROWS[] = {
        {0x1000000c7, STATUS_OK},
        {0x0400, STATUS_OK},
    };

    machine(&V2);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct event event = {.select = ROWS[i].select, .fixed = EVENT_NOT_FIXED};
        char text[80];
        struct out more = out_buffer(text, sizeof(text));

        assert_int_equal(event_can_be_counted(&event, &caps, &more), ROWS[i].status);
        event.extra_msr = 0x1a6;
        if (ROWS[i].status == STATUS_OK)
            assert_int_equal(event_can_be_counted(&event, &caps, &more), STATUS_EVENT_REGISTER);
    }
}

TEST(a_select_in_words)
{
    const struct event merged = {.select = 0xf03,
                                 .flags = EVENT_MERGED,
                                 .extra_msr = 0xc0010202,
                                 .extra = MERGE,
                                 .rings = RING_OS,
                                 .fixed = EVENT_NOT_FIXED};
    const struct event event = {
        .select = 0x801010401c7, .rings = RING_OS, .fixed = EVENT_NOT_FIXED};
    char text[120];
    struct out out = out_buffer(text, sizeof(text));

    select_words(VENDOR_AMD, &event, &out);
    assert_string_equal(out_end(&out), "event 1C7H, unit mask 01H, CPL 0; threshold (CMASK) 1, "
                                       "edges (E), precise retirement (PREC_RET)");
    out = out_buffer(text, sizeof(text));
    select_words(VENDOR_AMD, &merged, &out);
    assert_string_equal(out_end(&out),
                        "event 03H, unit mask 0FH, CPL 0; merged with the next counter");
}
