/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages for unknown, misspelt and unavailable events. */
#include "tests/unit/test.h"
#include "pmu/events/can.h"
#include "tests/unit/fakes/find.h"
#include "tests/unit/fakes/random.h"

BEFORE_ALL(random_start);
BEFORE_EACH(skylake_with_table);

static void assert_refused(const char *text, enum status status, const char *says)
{
    enum status found = find(text);

    if (found != status || !strstr(why, says))
        fail_msg("%s: status %d, expected %d: %s", text, found, status, why);
}

TEST(written_wrong)
{
    static const struct bad_line ROWS[] = {
        {"", "expected the name of an event"},
        {"  ", "expected the name of an event"},
        {":u", "expected the name of an event"},
        {"|", "expected the name of an event"},
        {"rc0|", "expected the name of an event"},
        {"A\tB", "expected printable ASCII, found 'A?B'"},
        {"UOPS_ISSUED.ANY:", "unknown modifier ''; expected cmask, inv, edge, any"},
        {"UOPS_ISSUED.ANY:foo", "unknown modifier 'foo'"},
        {"r412e:foo", "unknown modifier 'foo'"},
        {"UOPS_ISSUED.ANY:umask=1", "unknown modifier 'umask=1'"},
        {"UOPS_ISSUED.ANY:cmask=1:p", "unknown modifier 'p'"},
        {"UOPS_ISSUED.ANY:uq", "unknown modifier 'uq'"},
        {"UOPS_ISSUED.ANY:uk=1", "unknown modifier 'uk=1'"},
        {"UOPS_ISSUED.ANY:cmask=1:inv:cmask=1", "expected each modifier once, found 'cmask'"},
        {"UOPS_ISSUED.ANY:c=1:cmask=1", "expected each modifier once, found 'cmask'"},
        {"UOPS_ISSUED.ANY:inv:i", "expected each modifier once, found 'inv'"},
        {"UOPS_ISSUED.ANY:u:u", "expected each modifier once, found 'u'"},
        {"UOPS_ISSUED.ANY:ukk", "expected each modifier once, found 'k'"},
        {"UOPS_ISSUED.ANY:u=0", "expected a ring"},
        {"UOPS_ISSUED.ANY:u=2", "u: expected a number from 0 to 1, found '2'"},
        {"UOPS_ISSUED.ANY:cmask=256", "cmask: expected a number from 0 to 255, found '256'"},
        {"UOPS_ISSUED.ANY:cmask=0x100", "cmask: expected a number from 0 to 255"},
        {"UOPS_ISSUED.ANY:cmask", "cmask: expected a number from 0 to 255, found ''"},
        {"UOPS_ISSUED.ANY:cmask=", "cmask: expected a number from 0 to 255, found ''"},
        {"UOPS_ISSUED.ANY:cmask=-1", "found '-1'"},
        {"UOPS_ISSUED.ANY:inv=2", "inv: expected a number from 0 to 1, found '2'"},
        {"UOPS_ISSUED.ANY:inv=", "inv: expected a number from 0 to 1, found ''"},
        {"rc0:u|rc0:u", "expected modifiers at the end only"},
        {"r1|r2|r3|r4|r5|r6|r7|r8|r9", "expected at most 8"},
        {"r1412e", "expected a select without USR, OS"},
        {"r2412e", "expected a select without USR, OS"},
        {"r8412e", "PC"},
        {"r10412e", "INT"},
        {"r40412e", "EN"},
        {"r8000000000000000", "reserved bits"},
        {"cpu/event=0x2e", "expected a '/' at the end"},
        {"cpu//", "unknown term ''; expected event, umask"},
        {"cpu/umask=1/", "expected event= between the slashes"},
        {"cpu/event=0x2e,/", "unknown term ''"},
        {"cpu/event=0x2e,pc/", "unknown term 'pc'"},
        {"cpu/event=0x2e,pc=1/", "unknown term 'pc=1'"},
        {"cpu/event=0x2e,event=0x2e/", "each modifier once, found 'event'"},
        {"cpu/event=0x100/", "event: expected a number from 0 to 255"},
        {"cpu/event=2e/", "event: expected a number from 0 to 255, found '2e'"},
        {"cpu/event=1,umask=0x10000/", "umask: expected a number from 0 to 65535"},
        {"cpu/event=1/x", "unknown modifier 'x'"},
        {"cpu/event=1/u/", "unknown modifier 'u/'"},
        {"cpu/event=1,u/", "unknown term 'u'"},
        {"cpu/UOPS_ISSUED.ANY,event=1/", "unknown term 'UOPS_ISSUED.ANY'"},
        {"cpu/event=1,name=/", "expected a name after name="},
        {"cpu/rc0,rc1/", "expected one event between the slashes"},
        {"cpu/rc0,config=0xc1/", "expected one event between the slashes"},
        {"cpu/config=0x2412e/", "expected a select without USR, OS"},
        {"cpu/config=zz/", "config: expected a number"},
        {"cpu/event=0xcd,ldlat=65536/", "ldlat: expected a number from 0 to 65535"},
        {"cpu/event=0xc6,frontend=0x1000000/", "frontend: expected a number from 0 to 16777215"},
        {"cpu/event=0xb7,offcore_rsp=0x10000000000000000/", "offcore_rsp: expected a number"},
        {"cpu/event=0xb7,offcore_rsp=1,ldlat=3/", "expected only one of offcore_rsp, ldlat"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_refused(ROWS[i].line, STATUS_EVENT_SYNTAX, ROWS[i].says);
    assert_int_equal(strncmp(why, "cpu/event=0xb7", 14), 0);
}

TEST(perfs_cache_events)
{
    static const char *const NAMES[] = {"L1-dcache-load-misses",
                                        "l1-icache-load-misses:u",
                                        "LLC-loads",
                                        "dTLB-load-misses",
                                        "iTLB-loads",
                                        "node-stores",
                                        "branch-load-misses",
                                        "cpu/L1-dcache-loads/"};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        assert_refused(NAMES[i], STATUS_EVENT_UNKNOWN,
                       "; perf's cache events are not supported; "
                       "--list-events lists this CPU's events");
        assert_null(strstr(why, "nearest"));
    }
    assert_refused("branch-mises", STATUS_EVENT_UNKNOWN, "nearest: branch-misses");
}

TEST(nearest_names)
{
    read_own("L1D.REPLACEMENT,151,,,,,,\nL1D.REPLACEMENTS,152,,,,,,\nL1D.REPLACED,153,,,,,,\n"
             "L1D.REPLACEMENT_ALL,154,,,,,,\nABFGHE,155,,,,,,\n");
    assert_refused("L2_RQSTS.RFO_MIS", STATUS_EVENT_UNKNOWN,
                   "no event of this name is known for this CPU; nearest: L2_RQSTS.RFO_MISS");
    assert_refused("L2_RQSTS:RFO_MIS:cmask=1:u", STATUS_EVENT_UNKNOWN,
                   "nearest: L2_RQSTS.RFO_MISS");
    assert_refused("longest_lat_cache.mis:u", STATUS_EVENT_UNKNOWN,
                   "nearest: LONGEST_LAT_CACHE.MISS");
    /* the three names are 1, 1 and 4 changes away; L1D.REPLACED is 5 away */
    assert_refused("L1D.REPLACEMENTT", STATUS_EVENT_UNKNOWN,
                   "nearest: L1D.REPLACEMENT, L1D.REPLACEMENTS, L1D.REPLACEMENT_ALL");
    /* names that contain the text are suggested, in the table's order */
    assert_refused("rfo", STATUS_EVENT_UNKNOWN, "nearest: L2_RQSTS.RFO_MISS, L2_RQSTS.ALL_RFO");
    assert_refused("SOMETHING_ELSE_ENTIRELY", STATUS_EVENT_UNKNOWN, "for this CPU");
    assert_null(strstr(why, "nearest"));
    /* for six letters, names up to 2 changes away are suggested */
    assert_refused("XABCDE", STATUS_EVENT_UNKNOWN, "for this CPU");
    assert_null(strstr(why, "nearest"));
    assert_refused("UOPS_ISSUED.AN|UOPS_ISSUED.ANY", STATUS_EVENT_UNKNOWN,
                   "nearest: UOPS_ISSUED.ANY");
    assert_refused("cpu/uops_issued.anx,cmask=1/", STATUS_EVENT_UNKNOWN,
                   "nearest: UOPS_ISSUED.ANY");
    assert_null(strstr(why, "ANY, UOPS_ISSUED.ANY"));
    assert_refused("LONGEST:any", STATUS_EVENT_UNKNOWN, "nearest: LONGEST_LAT_CACHE.MISS");
    tables.count = 0;
    assert_refused("BUILT.ON", STATUS_EVENT_UNKNOWN,
                   "(there is no event table for it); nearest: BUILT.IN");
}

TEST(unit_masks_that_cannot_be_ored)
{
    assert_refused(
        "L2_RQSTS.RFO_MISS|UOPS_ISSUED.ANY", STATUS_EVENT_TWO,
        "must belong to one event and differ in nothing else; UOPS_ISSUED.ANY has another event");
    assert_refused("UOPS_ISSUED.ANY|UOPS_ISSUED.STALL_CYCLES", STATUS_EVENT_TWO,
                   "UOPS_ISSUED.STALL_CYCLES has other flags or another threshold");
    assert_refused("OCR.READS.MISS|OCR.READS.HIT", STATUS_EVENT_TWO, "another extra register");
    assert_refused("rc0|INST_RETIRED.ANY", STATUS_EVENT_TWO, "INST_RETIRED.ANY has no unit mask");
    assert_refused("L2_RQSTS.RFO_MISS|L2_RQSTS.ALL_RFO", STATUS_EVENT_TWO, "other counters");
}

TEST(what_a_cpu_lacks)
{
    assert_refused("RTM.CYCLES", STATUS_EVENT_TSX, "IN_TX");
    assert_refused("rc0:in_tx", STATUS_EVENT_TSX, "IN_TX");
    assert_refused("rc0:intxcp", STATUS_EVENT_TSX, "IN_TX");
    assert_refused("SLOTS.WIDE", STATUS_EVENT_FIELD, "UMASK2");
    assert_refused("rc0:eq", STATUS_EVENT_FIELD, "EQ");
    assert_refused("INST_RETIRED.ANY:cmask=1", STATUS_EVENT_FIXED, "fixed counter");
    assert_refused("INST_RETIRED.ANY:any", STATUS_EVENT_FIXED, "fixed counter");
    assert_refused("INST_RETIRED.ANY:ldlat=3", STATUS_EVENT_FIXED, "fixed counter");
    assert_refused("HIGH.COUNTERS", STATUS_NO_COUNTER,
                   "it has 4, and the event's bitmap of counters is f0H");
    assert_refused("cpu_atom/event=0xc4/", STATUS_EVENT_CORE, "other type of core");
    caps.core_type = CORE_TYPE_ATOM;
    assert_refused("cpu_core/event=0xc4/", STATUS_EVENT_CORE, "other type of core");
    assert_int_equal(find("cpu_atom/event=0xc4/"), STATUS_OK);

    caps.fixed_map = 6;
    assert_refused("INST_RETIRED.ANY", STATUS_NO_FIXED, "no such fixed counter");
    caps.fixed_refused = 1;
    assert_refused("INST_RETIRED.ANY", STATUS_MSR_FAULT, "#GP");
    caps.gp_count = 0;
    assert_refused("rc0", STATUS_NO_COUNTER, "no counter that can count");
    caps.gp_refused = 4;
    assert_refused("rc0", STATUS_MSR_FAULT, "#GP");
    caps.pmu_version = 0;
    assert_refused("rc0", STATUS_NO_PMU, "version 0");
    caps.vendor = VENDOR_AMD;
    assert_refused("r412e", STATUS_VENDOR, "not supported on CPUs of this vendor and family");
    assert_int_equal(event.select, 0x412e);
    assert_refused("r412e:any", STATUS_EVENT_SYNTAX, "this vendor's CPUs have no such field");
}

/* Intel SDM vol. 3B: ANY exists from version 3 on, unless CPUID.0AH:EDX[15] is set. */
TEST(any_where_it_is_deprecated)
{
    assert_int_equal(find("rc0:any"), STATUS_OK);
    assert_int_equal(find("CPU_CLK_UNHALTED.THREAD_P_ANY"), STATUS_OK);
    caps.pmu_leaf[3] = 1u << 15;
    assert_refused("rc0:any", STATUS_EVENT_ANY, "CPUID.0AH:EDX[15]");
    assert_refused("CPU_CLK_UNHALTED.THREAD_P_ANY", STATUS_EVENT_ANY, "CPUID.0AH:EDX[15]");
    assert_int_equal(find("CPU_CLK_UNHALTED.THREAD_P_ANY:any=0"), STATUS_OK);
    caps.pmu_leaf[3] = ~(1u << 15);
    assert_int_equal(find("rc0:any"), STATUS_OK);
    caps.pmu_version = 3;
    assert_int_equal(find("rc0:any"), STATUS_OK);
    caps.pmu_version = 2;
    assert_refused("rc0:any", STATUS_EVENT_ANY, "version 3");
}

TEST(what_a_version_has)
{
    static const struct {
        const char *text;
        uint32_t first_version;
        enum status before;
    } ROWS[] = {
        {"OCR.READS.MISS", 3, STATUS_EVENT_REGISTER},
        {"cpu/event=0xbb,offcore_rsp=1/", 3, STATUS_EVENT_REGISTER},
        {"rc6:frontend=1", 4, STATUS_EVENT_REGISTER},
        {"rc0:cmask=2:inv:edge", 1, STATUS_NO_PMU},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (caps.pmu_version = 0; caps.pmu_version < 8; caps.pmu_version++) {
            enum status expected = caps.pmu_version == 0                      ? STATUS_NO_PMU
                                   : caps.pmu_version < ROWS[i].first_version ? ROWS[i].before
                                                                              : STATUS_OK;

            assert_int_equal(find(ROWS[i].text), expected);
        }
}

/* CPUID.23H:EBX enumerates UMASK2 and EQ, even if leaf 0AH reports version 5. */
TEST(fields_of_leaf_23h)
{
    for (caps.pmu_version = 5; caps.pmu_version < 7; caps.pmu_version++) {
        for (unsigned is_eq = 0; is_eq < 2; is_eq++) {
            caps.features = is_eq ? FEATURE_EQ : FEATURE_UMASK2;
            assert_int_equal(find("SLOTS.WIDE"), is_eq ? STATUS_EVENT_FIELD : STATUS_OK);
            assert_int_equal(find("rc0:cmask=2:eq"), is_eq ? STATUS_OK : STATUS_EVENT_FIELD);
        }
    }
}

/* Nova Lake has four offcore registers, none of which is MSR_OFFCORE_RSP_0. */
TEST(registers_of_the_model)
{
    const struct event four = {.select = 0x01d6, .extra_msr = 0x3e0, .extra = 1};
    const struct event two = {.select = 0x01b7, .extra_msr = 0x1a6, .extra = 1};

    caps.pmu_version = 6;
    for (unsigned i = 0; i < 2; i++) {
        struct event event[] = {four, two};

        caps.family = i == 0 ? 6 : 18;
        for (unsigned e = 0; e < 2; e++) {
            char more[128];
            struct out out = out_buffer(more, sizeof(more));

            event[e].fixed = EVENT_NOT_FIXED;
            assert_int_equal(event_can_be_counted(&event[e], &caps, &out),
                             (e == 0) == (i == 1) ? STATUS_OK : STATUS_EVENT_REGISTER);
        }
    }
}

/* Without PEBS, latency events would read as 0. */
TEST(what_counts_nothing)
{
    assert_refused("MEM_TRANS.LATENCY_GT_4", STATUS_EVENT_PEBS, "PEBS");
    assert_refused("cpu/event=0xcd,umask=0x1,ldlat=3/", STATUS_EVENT_PEBS, "PEBS");
    assert_refused("r8000", STATUS_EVENT_NUMBER, "number 0");
    assert_refused("cpu/event=0,umask=0x80/", STATUS_EVENT_NUMBER, "number 0");
}

/*
 * A set bit in CPUID.0AH:EBX means that the CPU lacks the event. The number of architectural
 * events, in EAX, limits only built-in events.
 */
TEST(architectural_events)
{
    assert_int_equal(find("LONGEST_LAT_CACHE.MISS"), STATUS_OK);
    assert_int_equal(event.arch, 4);
    caps.arch_events = 4;
    assert_refused("LONGEST_LAT_CACHE.MISS", STATUS_EVENT_NOT_LISTED, "ends before");
    assert_int_equal(find("r412e"), STATUS_OK);
    caps.arch_events = 7;
    caps.arch_events_absent = 1u << 4;
    assert_refused("LONGEST_LAT_CACHE.MISS", STATUS_EVENT_ABSENT, "lacks the event");
    assert_refused("r412e", STATUS_EVENT_ABSENT, "lacks the event");
    caps.arch_events_absent = 1u << 1;
    assert_int_equal(find("INST_RETIRED.ANY_P"), STATUS_OK);
    assert_int_equal(event.fixed_only, 1);
}

TEST(builtin_events_of_other_models)
{
    builtin[4].status = STATUS_EVENT_MODEL;
    caps.arch_events = 4;
    assert_refused("BUILT.IN:u", STATUS_EVENT_MODEL, "for this CPU model");
    assert_refused("BUILT.IN|r1c4", STATUS_EVENT_MODEL, "for this CPU model");
    assert_refused("BUILT.IN|BUILT.TOO", STATUS_EVENT_MODEL, "for this CPU model");
    assert_refused("r1c4|BUILT.IN|r2c4", STATUS_EVENT_MODEL, "for this CPU model");
    assert_int_equal(event.select, 0x23c4);
    assert_refused("LONGEST_LAT_CACHE.MISS", STATUS_EVENT_NOT_LISTED, "ends before");
    assert_int_equal(find("LONGEST_LAT_CACHE.MISS|r412e"), STATUS_OK);
    assert_int_equal(find("r412e|LONGEST_LAT_CACHE.MISS"), STATUS_OK);
    read_own("BUILT.IN,20c4,,,,,,\nLONGEST_LAT_CACHE.MISS,412e,,,,,,\n");
    assert_int_equal(find("BUILT.IN"), STATUS_OK);
    assert_int_equal(find("LONGEST_LAT_CACHE.MISS"), STATUS_OK);
    builtin[4].status = STATUS_OK;
}

TEST(random_texts)
{
    static const char *const WORDS[] = {
        "UOPS_ISSUED", "ANY",     "INST_RETIRED",
        "r412e",       "cpu/",    "/",
        ",",           ":",       ".",
        "|",           "+",       "=",
        "event=",      "umask",   "cmask=1",
        "inv",         "u",       "k",
        "name=",       "ldlat=4", "0x",
        "255",         "\xff",    " ",
        "config=",
    };
    for (unsigned round = 0; round < 20000; round++) {
        char text[300] = "";
        size_t size = 0;

        for (uint64_t words = random_below(9); words > 0; words--)
            size += (size_t)snprintf(text + size, sizeof(text) - size, "%s",
                                     WORDS[random_below(sizeof(WORDS) / sizeof(WORDS[0]))]);
        if (random_below(4) == 0 && size > 0)
            text[random_below(size)] = (char)random_bits();
        find_bytes(text, size);
    }
    for (unsigned round = 0; round < 200; round++) {
        char text[2000];
        size_t size = random_below(sizeof(text));

        for (size_t i = 0; i < size; i++)
            text[i] = round & 1 ? (char)(' ' + random_below(95)) : (char)random_bits();
        find_bytes(text, size);
    }
}
