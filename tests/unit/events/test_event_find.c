/* SPDX-License-Identifier: BSD-2-Clause */
/* Event texts of plans, and the register values that they give. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/find.h"
#include "pmu/base/bytes.h"

BEFORE_EACH(skylake_with_table);

#define E   (1ull << 18)
#define ANY (1ull << 21)
#define INV (1ull << 23)

#define CMASK(n) ((n) * (1ull << 24))

static void assert_select(const char *text, uint64_t select, uint8_t rings)
{
    if (find(text) != STATUS_OK || event.select != select || event.rings != rings)
        fail_msg("%s: select %llx, rings %u, status %d: %s", text, (unsigned long long)event.select,
                 event.rings, event.status, why);
}

TEST(forms)
{
    static const struct {
        const char *text;
        uint64_t select;
        uint8_t rings;
    } ROWS[] = {
        {"L2_RQSTS.DEMAND_DATA_RD_MISS", 0x2124, RING_OS},
        {"l2_rqsts:demand_data_rd_miss", 0x2124, RING_OS},
        {" \tL2_RQSTS.RFO_MISS \r", 0x2224, RING_OS},
        {"L2_RQSTS.RFO_MISS:u", 0x2224, RING_USR},
        {"L2_RQSTS.RFO_MISS:k", 0x2224, RING_OS},
        {"L2_RQSTS.RFO_MISS:uk", 0x2224, RING_OS | RING_USR},
        {"L2_RQSTS.RFO_MISS:k:u", 0x2224, RING_OS | RING_USR},
        {"L2_RQSTS:RFO_MISS:u=1:k=0", 0x2224, RING_USR},
        {"UOPS_ISSUED.ANY:cmask=1:inv", 0x10e | INV | CMASK(1), RING_OS},
        {"UOPS_ISSUED:ANY:c=1:i", 0x10e | INV | CMASK(1), RING_OS},
        {"UOPS_ISSUED:ANY:c=1:i=1:e=0:t=0:u", 0x10e | INV | CMASK(1), RING_USR},
        {"UOPS_ISSUED:ANY:any", 0x10e | ANY, RING_OS},
        {"UOPS_ISSUED:ANY:t", 0x10e | ANY, RING_OS},
        {"uops_issued.any:CMASK=0xff:Edge", 0x10e | E | CMASK(255), RING_OS},
        {"UOPS_ISSUED.STALL_CYCLES:cmask=2", 0x10e | INV | CMASK(2), RING_OS},
        {"UOPS_ISSUED.STALL_CYCLES:inv=0", 0x10e | CMASK(1), RING_OS},
        {"UOPS_ISSUED.STALL_CYCLES:e", 0x10e | E | INV | CMASK(1), RING_OS},
        {"r412e", 0x412e, RING_OS},
        {"R412E", 0x412e, RING_OS},
        {"r180412e:uk", 0x180412e, RING_OS | RING_USR},
        {"rc0:c=1:e", 0xc0 | E | CMASK(1), RING_OS},
        {"cpu/event=0x2e,umask=0x41/", 0x412e, RING_OS},
        {"cpu/event=0x2e,umask=0x41/u", 0x412e, RING_USR},
        {"cpu/event=46,umask=65,cmask=1,inv/:uk", 0x412e | INV | CMASK(1), RING_OS | RING_USR},
        {"cpu/config=0x180412e/k", 0x180412e, RING_OS},
        {"cpu/r412e/", 0x412e, RING_OS},
        {"cpu/l2_rqsts.rfo_miss,edge=1,cmask=0x2/", 0x2224 | E | CMASK(2), RING_OS},
        {"cpu/ event=0x3c , any=1 /", 0x3c | ANY, RING_OS},
        {"cpu_core/event=0xc4/", 0xc4, RING_OS},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_select(ROWS[i].text, ROWS[i].select, ROWS[i].rings);
        assert_int_equal(event.extra_msr, 0);
        assert_int_equal(event.fixed, EVENT_NOT_FIXED);
        assert_int_equal(event.fixed_only, 0);
        assert_int_equal(event.scope | event.kind, 0);
    }
}

/* 21H | 22H is 23H, and E2H | 21H is E3H. Adding E2H and 21H would carry into USR. */
TEST(unit_masks_are_ored)
{
    assert_select("L2_RQSTS.DEMAND_DATA_RD_MISS|L2_RQSTS.RFO_MISS", 0x2324, RING_OS);
    assert_int_equal(event.counters, 3);
    assert_int_equal(event.flags, EVENT_PRECISE);
    assert_select("L2_RQSTS.ALL_RFO+L2_RQSTS.DEMAND_DATA_RD_MISS", 0xe324, RING_OS);
    assert_int_equal(event.counters, 0xc);
    assert_select("L2_RQSTS.ALL_RFO | r2124 | r124:cmask=1:u", 0xe324 | CMASK(1), RING_USR);
    assert_string_equal(event.name, "L2_RQSTS.ALL_RFO | r2124 | r124:cmask=1:u");
    assert_select("OCR.READS.MISS|OCR.READS.MISS", 0x1b7, RING_OS);
    assert_int_equal(event.extra, 0x3fbfc00001);
}

TEST(what_a_row_says)
{
    assert_select("mem_inst_retired.all_loads", 0x81d0, RING_OS);
    assert_string_equal(event.name, "mem_inst_retired.all_loads");
    for (size_t i = strlen(event.name); i < EVENT_NAME_BYTES; i++)
        assert_int_equal(event.name[i], 0);
    assert_int_equal(event.counters, 0xf);
    assert_int_equal(event.unit, UNIT_COUNT);
    assert_select("OLD.NAME", 0x1c7, RING_OS);
    assert_int_equal(event.flags, EVENT_DEPRECATED);
    assert_select("OCR.READS.MISS", 0x1b7, RING_OS);
    assert_int_equal(event.flags, EVENT_ALONE);
    assert_int_equal(event.extra_msr, 0x1a6);
    assert_int_equal(event.extra, 0x3fbfc00001);
}

static void assert_extra(const char *text, uint32_t msr, uint64_t value)
{
    assert_int_equal(find(text), msr == 0x3f6 ? STATUS_EVENT_PEBS : STATUS_OK);
    assert_int_equal(event.extra_msr, msr);
    assert_int_equal(event.extra, value);
}

TEST(extra_registers)
{
    assert_extra("cpu/event=0xb7,umask=1,offcore_rsp=0x3fffc08000/", 0x1a6, 0x3fffc08000);
    assert_extra("cpu/event=0xb7,umask=2,offcore_rsp=0x10008/", 0x1a7, 0x10008);
    assert_extra("cpu/event=0xbb,umask=1,offcore_rsp=0x3fffc08000/", 0x1a7, 0x3fffc08000);
    assert_extra("cpu/event=0x2b,umask=1,offcore_rsp=1/", 0x1a7, 1);
    assert_extra("cpu/event=0xcd,umask=0x1,ldlat=0xffff/u", 0x3f6, 65535);
    assert_extra("cpu/event=0xc6,umask=0x1,frontend=0xffffff/", 0x3f7, 0xffffff);
    assert_extra("MEM_TRANS.LATENCY_GT_4:ldlat=128", 0x3f6, 128);
    assert_extra("OCR.READS.MISS:offcore_rsp=5", 0x1a6, 5);
}

TEST(precedence)
{
    assert_select("UOPS_ISSUED.ANY", 0x10e, RING_OS);
    assert_select("BUILT.IN", 0x20c4, RING_OS);
    assert_int_equal(event.counters, 3);
    read_own("UOPS_ISSUED.ANY,20e,,,,,,\nBUILT.IN,1c4,,,,,,\n0E.03 r412e\n");
    assert_select("UOPS_ISSUED.ANY", 0x20e, RING_OS);
    assert_select("BUILT.IN", 0x1c4, RING_OS);
    assert_select("r412e", 0x30e, RING_OS);
    assert_select("cpu/r412e/", 0x30e, RING_OS);
}

/* INST_RETIRED:ANY is a name, but X:any is the name X and a modifier. */
TEST(names_and_modifiers_that_look_alike)
{
    read_own("X,11,,,,,,\nX.U,22,,,,,,\nX.U.CMASK,33,,,,,,\n");
    assert_select("X:any", 0x11 | ANY, RING_OS);
    assert_select("X:u", 0x22, RING_OS);
    assert_select("X:u:u", 0x22, RING_USR);
    assert_select("X:k:u", 0x11, RING_OS | RING_USR);
    assert_select("X:u:cmask", 0x33, RING_OS);
    assert_select("X:u:cmask=1", 0x22 | CMASK(1), RING_OS);
}

static void assert_fixed(const char *text, int fixed, bool only)
{
    if (find(text) != STATUS_OK || event.fixed != fixed || event.fixed_only != only)
        fail_msg("%s: fixed %d, only %d: %s", text, event.fixed, event.fixed_only, why);
}

TEST(fixed_counters)
{
    assert_fixed("INST_RETIRED.ANY", 0, true);
    assert_int_equal(event.select, 0x100);
    assert_fixed("INST_RETIRED.ANY:uk", 0, true);
    assert_int_equal(event.rings, RING_OS | RING_USR);
    assert_fixed("INST_RETIRED:ANY:c=0:e=0", 0, true);
    assert_fixed("INST_RETIRED.ANY_P", 0, false);
    assert_fixed("INST_RETIRED.ANY_P:u", 0, false);
    assert_fixed("INST_RETIRED.ANY_P:cmask=0", 0, false);
    assert_fixed("INST_RETIRED.ANY_P:cmask=1", EVENT_NOT_FIXED, false);
    assert_fixed("INST_RETIRED.ANY_P:frontend=3", EVENT_NOT_FIXED, false);
    assert_fixed("cpu/INST_RETIRED.ANY_P,umask=1/", EVENT_NOT_FIXED, false);
    assert_fixed("INST_RETIRED.ANY_P|r1c0", EVENT_NOT_FIXED, false);
    assert_fixed("INST_RETIRED.ANY_P|INST_RETIRED.ANY_P", 0, false);
    assert_fixed("CPU_CLK_UNHALTED.THREAD_P_ANY", EVENT_NOT_FIXED, false);
    assert_fixed("CPU_CLK_UNHALTED.REF_TSC", 2, true);
    assert_fixed("r300", 2, true);
    assert_fixed("cpu/event=0,umask=3/u", 2, true);
    assert_fixed("rc0", EVENT_NOT_FIXED, false);

    caps.fixed_map = 6;
    assert_fixed("INST_RETIRED.ANY_P", EVENT_NOT_FIXED, false);
    caps.gp_count = 0;
    assert_fixed("CPU_CLK_UNHALTED.THREAD_P", 1, true);
}

/* The selects are from Linux, intel_perfmon_event_map. */
TEST(perfs_generic_names)
{
    static const struct {
        const char *text;
        uint64_t select;
        int fixed, arch;
        uint8_t rings;
    } ROWS[] = {
        {"instructions", 0xc0, 0, 1, RING_OS},
        {"Instructions:u", 0xc0, 0, 1, RING_USR},
        {"cpu/instructions/k", 0xc0, 0, 1, RING_OS},
        {"instructions:cmask=1", 0xc0 | CMASK(1), EVENT_NOT_FIXED, EVENT_NOT_ARCH, RING_OS},
        {"cycles:uk", 0x3c, 1, 0, RING_OS | RING_USR},
        {"cpu-cycles", 0x3c, 1, 0, RING_OS},
        {"ref-cycles:u", 0x300, 2, EVENT_NOT_ARCH, RING_USR},
        {"branches", 0xc4, EVENT_NOT_FIXED, 5, RING_OS},
        {"branch-instructions:u", 0xc4, EVENT_NOT_FIXED, 5, RING_USR},
        {"branch-misses:k", 0xc5, EVENT_NOT_FIXED, 6, RING_OS},
        {"cache-references", 0x4f2e, EVENT_NOT_FIXED, 3, RING_OS},
        {"cache-misses:u", 0x412e, EVENT_NOT_FIXED, 4, RING_USR},
        {"bus-cycles", 0x13c, EVENT_NOT_FIXED, 2, RING_OS},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_select(ROWS[i].text, ROWS[i].select, ROWS[i].rings);
        assert_string_equal(event.name, ROWS[i].text);
        if (event.fixed != ROWS[i].fixed || event.arch != ROWS[i].arch)
            fail_msg("%s: fixed %d, arch %d", ROWS[i].text, event.fixed, event.arch);
        assert_int_equal(event.fixed_only, ROWS[i].select == 0x300);
    }
    assert_int_equal(find("ref-cycles:cmask=1"), STATUS_EVENT_FIXED);
    caps.arch_events_absent = 1u << 6;
    assert_int_equal(find("branch-misses"), STATUS_EVENT_ABSENT);
    caps.arch_events = 6;
    assert_int_equal(find("branch-misses"), STATUS_EVENT_NOT_LISTED);
    read_own("branch-misses,20c5,,,,,,\n");
    assert_select("branch-misses", 0x20c5, RING_OS);
}

TEST(units)
{
    static const struct {
        const char *text;
        unsigned unit;
    } ROWS[] = {
        {"INST_RETIRED.ANY", UNIT_COUNT},
        {"r200", UNIT_CYCLES},
        {"CPU_CLK_UNHALTED.REF_TSC", UNIT_REFERENCE_CYCLES},
        {"CPU_CLK_UNHALTED.THREAD_P", UNIT_CYCLES},
        {"r13c", UNIT_BUS_CYCLES}, /* Skylake's crystal clock */
        {"r1a4", UNIT_SLOTS},
        {"rc0", UNIT_COUNT},
        {"rc0:cmask=1", UNIT_CYCLES},
        {"rc0:cmask=1:inv", UNIT_CYCLES},
        {"rc0:cmask=1:inv:edge", UNIT_COUNT},
        {"r3c:edge", UNIT_COUNT},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_int_equal(find(ROWS[i].text), STATUS_OK);
        if (event.unit != ROWS[i].unit)
            fail_msg("%s: unit %u", ROWS[i].text, event.unit);
    }
    caps.fixed_map = 0x77; /* Skymont's topdown counters 4 to 6 */
    for (unsigned i = 4; i < 7; i++) {
        char text[8];

        snprintf(text, sizeof(text), "r%u00", i + 1);
        assert_int_equal(find(text), STATUS_OK);
        assert_int_equal(event.unit, UNIT_SLOTS);
    }
}

TEST(names_of_ones_own)
{
    const char *text;

    assert_select("cpu/event=0x2e,umask=0x41,name=L3Miss/u", 0x412e, RING_USR);
    assert_string_equal(event.name, "L3Miss");
    /* a name longer than 95 characters is cut to 86, and the whole name's checksum is added */
    text = formatted("r412e%*s:u", 88, "");
    assert_int_equal(find(text), STATUS_OK);
    assert_string_equal(event.name, text);
    text = formatted("r412e%*s:u", 89, "");
    assert_int_equal(find(text), STATUS_OK);
    assert_string_equal(event.name, formatted("%.86s~%08x", text, crc32_ieee(0, text, 96)));
}
