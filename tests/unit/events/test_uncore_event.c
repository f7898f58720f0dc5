/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore events from texts: names from tables, perf's terms, and errors. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_find.h"

BEFORE_EACH(with_table);

TEST(texts)
{
    static const struct {
        void (*uncore)(void);
        const char *text;
        uint64_t kind;
        uint64_t select;
        unsigned counters;
        uint32_t msr;
        uint64_t extra;
        uint64_t unit;
    } ROWS[] = {
        {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI", KIND_CBO, 0x1f34, 3, 0, 0, UNIT_COUNT},
        {skylake, " unc_cbo_cache_lookup:read_mesi ", KIND_CBO, 0x1f34, 3, 0, 0, UNIT_COUNT},
        {skylake, "UNC_CBO_CACHE_LOOKUP.WRITE_I:edge:cmask=2", KIND_CBO,
         0x2834 | UNCORE_EDGE | 2 << 24, 3, 0, 0, UNIT_COUNT},
        {skylake, "UNC_CBO_CACHE_LOOKUP:WRITE_I:t=31:i", KIND_CBO, 0x2834 | UNCORE_INV | 0x1f000000,
         3, 0, 0, UNIT_UNCORE_CYCLES},
        {skylake, "UNC_CBO_CACHE_LOOKUP.WRITE_I:thresh=0x1:e=0", KIND_CBO, 0x2834 | 1 << 24, 3, 0,
         0, UNIT_UNCORE_CYCLES},
        {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI | UNC_CBO_CACHE_LOOKUP:WRITE_I:c=1:e", KIND_CBO,
         0x3f34 | 1 << 24 | UNCORE_EDGE, 3, 0, 0, UNIT_COUNT},
        {skylake, "UNC_ARB_TRK_OCCUPANCY.ALL", KIND_ARB, 0x180, 1, 0, 0, UNIT_COUNT},
        {skylake, "UNC_ARB_TRK_OCCUPANCY.CYCLES", KIND_ARB, 0x1000180, 1, 0, 0, UNIT_UNCORE_CYCLES},
        {skylake, "UNC_ARB_TRK_OCCUPANCY.CYCLES:cmask=0", KIND_ARB, 0x180, 1, 0, 0, UNIT_COUNT},
        {skylake, "UNC_CLOCK.SOCKET", KIND_CLOCK, 0, 1, 0, 0, UNIT_UNCORE_CYCLES},
        {skylake, "UNC_MC_READS", KIND_IMC_FREE, 0, 1, 0, 0, UNIT_COUNT},
        {skylake, "uncore_cbox/event=0x34,umask=0x11,edge,inv,thresh=2/", KIND_CBO,
         0x1134 | UNCORE_EDGE | UNCORE_INV | 2 << 24, 3, 0, 0, UNIT_COUNT},
        {skylake, "UNCORE_ARB/config=0x180/", KIND_ARB, 0x180, 3, 0, 0, UNIT_COUNT},
        {skylake, "uncore_clock/event=0xff/", KIND_CLOCK, 0, 1, 0, 0, UNIT_UNCORE_CYCLES},
        {skylake_server_uncore, "UNC_CHA_LLC_LOOKUP.ANY", KIND_CHA, 0x1134, 0xf, 0xe05, 0xfe0000,
         UNIT_COUNT},
        {skylake_server_uncore, "UNC_CHA_LLC_LOOKUP.ANY:filter_state=1", KIND_CHA, 0x1134, 0xf,
         0xe05, 1 << 17, UNIT_COUNT},
        {skylake_server_uncore, "uncore_cha/event=0x35,umask=0x21,filter_opc_0=0x202/", KIND_CHA,
         0x2135, 0xf, 0xe06, 0x202 << 9 | 0x33, UNIT_COUNT},
        {skylake_server_uncore, "uncore_cha/event=0x34,umask=0x11,filter0=0x20000/", KIND_CHA,
         0x1134, 0xf, 0xe05, 0x20000, UNIT_COUNT},
        {skylake_server_uncore, "uncore_cha/event=0/", KIND_CHA, 0, 0xf, 0, 0, UNIT_UNCORE_CYCLES},
        {skylake_server_uncore, "uncore_imc/event=0,edge/", KIND_IMC, UNCORE_EDGE, 0xf, 0, 0,
         UNIT_COUNT},
        {skylake_server_uncore, "UNC_M_CAS_COUNT.RD|UNC_M_CAS_COUNT.WR", KIND_IMC, 0xf04, 0xf, 0, 0,
         UNIT_COUNT},
        {nehalem, "UNC_LLC_MISS.ANY", KIND_UNCORE, 0x309, 0xff, 0, 0, UNIT_COUNT},
        {nehalem, "UNC_LLC_MISS.ANY:occ_rst:cmask=255", KIND_UNCORE,
         0x309 | UNCORE_RST | UNCORE_CMASK, 0xff, 0, 0, UNIT_UNCORE_CYCLES},
        {nehalem, "UNC_LLC_MISS.ANY:match=0x8000000000000001", KIND_UNCORE, 0x309, 0xff, 0x396,
         0x8000000000000001, UNIT_COUNT},
        {nehalem, "UNC_ADDR_OPCODE_MATCH.LOCAL", KIND_UNCORE, 0x435, 0xff, 0x396,
         0x4000000000000000, UNIT_COUNT},
        {nehalem, "uncore/event=0x3,umask=4,occ_rst/", KIND_UNCORE, 0x403 | UNCORE_RST, 0xff, 0, 0,
         UNIT_COUNT},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        ROWS[i].uncore();
        if (!uncore_event_is(&tables, piece_of(ROWS[i].text)))
            fail_msg("'%s' is none", ROWS[i].text);
        if (find(ROWS[i].text) != STATUS_OK)
            fail_msg("%s", why);
        if (event.kind != ROWS[i].kind || event.select != ROWS[i].select ||
            event.counters != ROWS[i].counters || event.extra_msr != ROWS[i].msr ||
            event.extra != ROWS[i].extra || event.unit != ROWS[i].unit)
            fail_msg("'%s': kind %u, select %llx, counters %x, msr %x = %llx, unit %u",
                     ROWS[i].text, event.kind, (unsigned long long)event.select, event.counters,
                     event.extra_msr, (unsigned long long)event.extra, event.unit);
    }
}

/* Bits 8 and above of a unit mask are bits 32 and above of the select, like perfmon's UMaskExt. */
TEST(wide_unit_masks)
{
    start_uncore(0x8f);
    add_group(KIND_CHA, STYLE_SELECT, 4, UNCORE_EVENT_UMASK | UNCORE_UMASK_EXT);
    assert_int_equal(find("uncore_cha/event=0x34,umask=0x1fc101/"), STATUS_OK);
    assert_int_equal(event.select, 0x1fc1ull << 32 | 0x01 << 8 | 0x34);
    assert_int_equal(find("uncore_cha/event=0x34,umask=0x400000001/"), STATUS_UNCORE_FIELD);
    assert_non_null(strstr(why, "umask_ext (at most 3ffffff)"));
}

TEST(names_of_events)
{
    assert_int_equal(find(" UNC_CLOCK.SOCKET "), STATUS_OK);
    assert_string_equal(event.name, "UNC_CLOCK.SOCKET");
    assert_int_equal(find("uncore_arb/event=0x81,umask=1,name=REQUESTS/"), STATUS_OK);
    assert_string_equal(event.name, "REQUESTS");
    assert_int_equal(find("UNC_ARB_TRK_OCCUPANCY.ALL"), STATUS_OK);
    assert_int_equal(event.flags, EVENT_DEPRECATED);
    assert_int_equal(find(formatted("uncore_arb/event=0x81,umask=%0100d/", 1)), STATUS_OK);
    assert_int_equal(strlen(event.name), EVENT_NAME_BYTES - 1);
    assert_int_equal(event.name[EVENT_NAME_BYTES - 10], '~');
}

TEST(packages_that_cannot)
{
    memset(&uncore, 0, sizeof(uncore));
    assert_int_equal(find("llc_misses"), STATUS_UNCORE_UNKNOWN);
    assert_int_equal(find("UNC_CLOCK.SOCKET"), STATUS_UNCORE_UNKNOWN);
    assert_int_equal(find("uncore_cbox/event=1/"), STATUS_UNCORE_UNKNOWN);
    assert_int_equal(find("package_energy_uJ"), STATUS_UNCORE_UNKNOWN);
    uncore.energy_step[ENERGY_CORE] = 5; /* on Zen, energy is counted, but uncore events are not */
    assert_int_equal(find("package_energy_uJ"), STATUS_UNCORE_ABSENT);
    assert_int_equal(find("CORE_ENERGY_UJ"), STATUS_OK);

    skylake_server_uncore();
    uncore.group[1].status = STATUS_UNCORE_DEVICE;
    assert_int_equal(find("dram_read_bytes"), STATUS_UNCORE_DEVICE);
    assert_int_equal(find("UNC_M_CAS_COUNT.RD"), STATUS_UNCORE_DEVICE);
    assert_int_equal(find("llc_lookups"), STATUS_OK);
    uncore.status = STATUS_UNCORE_REFUSED;
    assert_int_equal(find("llc_lookups"), STATUS_UNCORE_REFUSED);
    assert_int_equal(find("dram_energy_uJ"), STATUS_OK);
}

TEST(whose_texts)
{
    static const char *const OURS[] = {
        "llc_lookups",   "LLC_MISSES:edge",     "UNC_CLOCK:SOCKET", "UNC_M_CAS_COUNT.RD|X",
        "unc_not.there", "uncore_gpu/event=1/", "uncore/event=1/",  " package_energy_uj ",
    };
    static const char *const THEIRS[] = {
        "UOPS_ISSUED.ANY",
        "llc_lookup",
        "cpu/event=1/",
        "r1b7",
        "UNC_OF_THE_CORE",
        "uncore_",
        "",
        "UNC_",
        "uncorex/event=1/",
    };
    struct event_entry *row = event_table_find(&tables, piece_of("UNC_CLOCK.SOCKET"));

    assert_null(row);
    assert_non_null(event_table_find_unit(&tables, piece_of("UNC_CLOCK.SOCKET")));
    assert_null(event_table_find_unit(&tables, piece_of("UOPS_ISSUED.ANY")));
    for (size_t i = 0; i < sizeof(OURS) / sizeof(OURS[0]); i++)
        if (!uncore_event_is(&tables, piece_of(OURS[i])))
            fail_msg("'%s'", OURS[i]);
    for (size_t i = 0; i < sizeof(THEIRS) / sizeof(THEIRS[0]); i++)
        if (uncore_event_is(&tables, piece_of(THEIRS[i])))
            fail_msg("'%s'", THEIRS[i]);
}

TEST(the_cores_have_none_of_them)
{
    struct out out = out_buffer(why, sizeof(why));

    assert_int_equal(
        event_find(&tables, 0, 0, &SKYLAKE, "UNC_CLOCK.SOCKET", 16, RING_OS, &event, &out),
        STATUS_EVENT_UNKNOWN);
    out = out_buffer(why, sizeof(why));
    assert_int_equal(event_find(&tables, 0, 0, &SKYLAKE, "llc_lookup", 10, RING_OS, &event, &out),
                     STATUS_EVENT_UNKNOWN);
    assert_non_null(strstr(out_end(&out), "nearest: llc_lookups"));
}

TEST(sums_need_two_counters)
{
    start_uncore(0xad);
    add_group(KIND_IMC, STYLE_SELECT, 2, UNCORE_EVENT_UMASK);
    assert_int_equal(find("dram_read_bytes"), STATUS_OK);
    assert_int_equal(event.counters, 3);
    uncore.group[0].type.counters = 1;
    assert_int_equal(find("dram_read_bytes"), STATUS_NO_COUNTER);
    assert_non_null(strstr(why, "the sum of two events, and each needs its own counter"));
    uncore.group[0].type.counters = 2;
    uncore.group[0].type.fields = 0xff05; /* too narrow for event 6 */
    assert_int_equal(find("dram_read_bytes"), STATUS_UNCORE_FIELD);
}
