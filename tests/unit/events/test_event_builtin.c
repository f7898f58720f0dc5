/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups of built-in events by name, on CPUs that support them and on others. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "pmu/events/find.h"
#include "pmu/events/built_in.h"

static struct cpu_caps caps;
static struct event builtin[64];
static unsigned builtins;
static struct event found;
static char why[EVENT_WHY_BYTES];

static void on(struct cpu_caps cpu)
{
    caps = cpu;
    event_builtins(caps.vendor, &builtins);
    assert_true(builtins <= sizeof(builtin) / sizeof(builtin[0]));
    for (unsigned i = 0; i < builtins; i++)
        event_builtin(i, &caps, RING_OS, &builtin[i]);
    forget_tables();
}

static enum status find(const char *text, uint8_t rings)
{
    struct out out = out_buffer(why, sizeof(why));
    enum status status;

    memset(&found, 0xa5, sizeof(found));
    status = event_find(&tables, builtin, builtins, &caps, text, strlen(text), rings, &found, &out);
    out_end(&out);
    assert_false(out.failed);
    assert_int_equal(found.status, status);
    return status;
}

static struct cpu_caps cpu(unsigned which)
{
    struct cpu_caps made = SKYLAKE;

    switch (which) {
    case 1:
        made.model = 0x3c;
        break;
    case 2:
        made.fixed_map = 0;
        break;
    case 3:
        made.fixed_map = 3;
        made.fixed_refused = 4;
        break;
    case 4:
        made.gp_count = 0;
        break;
    case 5:
        made.gp_count = 0;
        made.gp_refused = 4;
        break;
    case 6:
        made.arch_events_absent = 1u << 1 | 1u << 5 | 1u << 6;
        break;
    case 7:
        made.arch_events = 3;
        break;
    case 8:
        made.pmu_version = 0;
        break;
    case 9:
        made.vendor = VENDOR_AMD;
        break;
    case 10: /* only two counters left */
        made.gp_count = 2;
        break;
    default:
        break;
    }
    return made;
}
#define CPUS 11u

TEST(a_name_finds_what_is_built_in)
{
    for (unsigned which = 0; which < CPUS; which++) {
        unsigned lacking = 0;

        on(cpu(which));
        for (unsigned i = 0; i < builtins; i++) {
            enum status status = find(builtin[i].name, RING_OS);

            if (status != (enum status)builtin[i].status)
                fail_msg("CPU %u, %s: '%s', built in '%s'", which, builtin[i].name,
                         status_text(status), status_text(builtin[i].status));
            lacking += status != STATUS_OK;
            assert_string_equal(found.name, builtin[i].name);
            assert_int_equal(found.select, builtin[i].select);
            assert_int_equal(found.arch, builtin[i].arch);
            if (status == STATUS_OK)
                assert_memory_equal(&found, &builtin[i], sizeof(found));
            else
                assert_non_null(strstr(why, status_text(status)));
        }
        assert_int_equal(lacking > 0, which > 0 && which < 10);
    }
}

TEST(rings_and_case_are_the_askers)
{
    on(SKYLAKE);
    assert_int_equal(find("inst_retired:any_p", RING_OS | RING_USR), STATUS_OK);
    assert_int_equal(found.rings, RING_OS | RING_USR);
    assert_int_equal(found.select, 0xc0);
    assert_int_equal(found.declared, DECLARED_INSTRUCTIONS);
    assert_int_equal(find("INST_RETIRED.ANY:u", RING_OS), STATUS_OK);
    assert_int_equal(found.rings, RING_USR);
    assert_int_equal(found.fixed_only, 1);
    assert_int_equal(found.fixed, 0);
    assert_int_equal(found.declared, DECLARED_INSTRUCTIONS);
}

/* Kernels declare no event that has a CMASK. */
TEST(modified_it_is_another_event)
{
    on(SKYLAKE);
    assert_int_equal(find("INST_RETIRED.ANY_P:cmask=1", RING_OS), STATUS_OK);
    assert_int_equal(found.select, 1ull << 24 | 0xc0);
    assert_int_equal(found.declared, EVENT_UNDECLARED);
    assert_int_equal(found.arch, EVENT_NOT_ARCH);
    assert_int_equal(find("INST_RETIRED.ANY:cmask=1", RING_OS), STATUS_EVENT_FIXED);
    on(cpu(6));
    assert_int_equal(find("INST_RETIRED.ANY_P:u", RING_OS), STATUS_EVENT_ABSENT);
}

/* PREC_RET changes how AMD's CPUs count an event, not what they count. */
TEST(precise_retirement_is_the_same_event)
{
    struct cpu_caps zen_3 = {
        .vendor = VENDOR_AMD, .family = 0x19, .model = 1, .features = FEATURE_AMD_CORE};

    caps_take_amd_pmu((struct cpuid_regs){0}, &zen_3);
    on(zen_3);
    assert_int_equal(find("RETIRED_INSTRUCTIONS:prec_ret", RING_OS), STATUS_OK);
    assert_int_equal(found.select, 1ull << 43 | 0xc0);
    assert_int_equal(found.declared, DECLARED_INSTRUCTIONS);
    assert_int_equal(found.counters, 1u << 2);
    zen_3.features = 0;
    zen_3.model = 0x21;
    on(zen_3);
    assert_int_equal(find("RETIRED_INSTRUCTIONS:prec_ret", RING_OS), STATUS_EVENT_PREC_RET);
    on(SKYLAKE);
    assert_int_not_equal(find("INST_RETIRED.ANY_P:prec_ret", RING_OS), STATUS_OK);
    assert_non_null(strstr(why, "this vendor's CPUs have no such field"));
}

TEST(names_that_are_near)
{
    on(SKYLAKE);
    assert_int_equal(find("INST_RETIRED.ANI", RING_OS), STATUS_EVENT_UNKNOWN);
    assert_non_null(strstr(why, "nearest: INST_RETIRED.ANY"));
}

/* Selects: Linux, arch/x86/events/amd/core.c. */
TEST(perfs_names_on_amd)
{
    static const struct {
        const char *name;
        uint64_t select;
        enum status on_zen_2;
        uint8_t unit;
    } ROWS[] = {
        {"instructions", 0xc0, STATUS_OK, UNIT_COUNT},
        {"cycles", 0x76, STATUS_OK, UNIT_CYCLES},
        {"cpu-cycles", 0x76, STATUS_OK, UNIT_CYCLES},
        {"ref-cycles", 0x100000120, STATUS_EVENT_MODEL, UNIT_REFERENCE_CYCLES},
        {"branches", 0xc2, STATUS_OK, UNIT_COUNT},
        {"branch-instructions", 0xc2, STATUS_OK, UNIT_COUNT},
        {"branch-misses", 0xc3, STATUS_OK, UNIT_COUNT},
        {"cache-references", 0xff60, STATUS_OK, UNIT_COUNT},
        {"cache-misses", 0x0964, STATUS_OK, UNIT_COUNT},
        {"bus-cycles", 0, STATUS_EVENT_UNKNOWN, UNIT_COUNT},
    };

    for (unsigned zen_4 = 0; zen_4 < 2; zen_4++) {
        struct cpu_caps zen = {.vendor = VENDOR_AMD,
                               .family = zen_4 ? 0x19 : 0x17,
                               .model = zen_4 ? 0x11 : 0x31,
                               .features = FEATURE_AMD_CORE};

        caps_take_amd_pmu((struct cpuid_regs){.eax = zen_4, .ebx = 6}, &zen);
        on(zen);
        for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
            const enum status right = zen_4 && ROWS[i].select ? STATUS_OK : ROWS[i].on_zen_2;

            assert_int_equal(find(ROWS[i].name, RING_OS), right);
            assert_true(found.select == ROWS[i].select);
            if (right == STATUS_OK)
                assert_int_equal(found.unit, ROWS[i].unit);
        }
    }
}
