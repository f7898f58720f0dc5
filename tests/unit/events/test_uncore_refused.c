/* SPDX-License-Identifier: BSD-2-Clause */
/* Rejected texts of uncore events. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_find.h"

BEFORE_EACH(with_table);

static const struct {
    void (*uncore)(void);
    const char *text;
    enum status status;
    const char *says;
} ROWS[] = {
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI:u", STATUS_UNCORE_RING, "leave out :u and :k"},
    {skylake, "llc_lookups:uk", STATUS_UNCORE_RING, "cannot tell rings apart"},
    {skylake, "uncore_cbox/event=0x34/k", STATUS_UNCORE_RING, "cannot tell rings apart"},
    {skylake, "uncore_cbox/event=0x34/:u", STATUS_UNCORE_RING, "cannot tell rings apart"},
    {skylake, "package_energy_uJ:u", STATUS_UNCORE_RING, "cannot tell rings apart"},
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI:cmask=32", STATUS_UNCORE_FIELD, "cmask (at most 1f)"},
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI:occ_rst", STATUS_UNCORE_FIELD, "occ_rst"},
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI:match=1", STATUS_UNCORE_FIELD, "match"},
    {skylake, "uncore_cbox/event=0x34,filter0=1/", STATUS_UNCORE_FIELD, "filter"},
    {skylake, "uncore_cbox/config=0x200034/", STATUS_UNCORE_FIELD, ": others"},
    {skylake, "UNC_CLOCK.SOCKET:edge", STATUS_UNCORE_FIELD, ": edge"},
    {skylake, "uncore_clock/event=1/", STATUS_UNCORE_FIELD, ": event"},
    {skylake, "dram_read_bytes:cmask=1", STATUS_UNCORE_FIELD, ": cmask"},
    {skylake, "package_energy_uJ:edge", STATUS_UNCORE_FIELD, "no such field"},
    {skylake, "uncore_energy/event=1/", STATUS_UNCORE_FIELD,
     "expected package_energy_uJ dram_energy_uJ core_energy_uJ"},
    {skylake, "uncore_imc_free_running/event=0xff,umask=0x20/", STATUS_UNCORE_FIELD,
     "expected dram_read_bytes dram_write_bytes"},
    {nehalem, "UNC_LLC_MISS.ANY:filter0=1", STATUS_UNCORE_FIELD, "filter"},
    {skylake, "UNC_LLC_MISS.ANY", STATUS_UNCORE_ABSENT, "it has no uncore"},
    {skylake, "UNC_M_CAS_COUNT.RD", STATUS_UNCORE_ABSENT, "it has no imc"},
    {skylake, "uncore_cha/event=1/", STATUS_UNCORE_ABSENT, "it has no cha"},
    {skylake, "dram_energy_uJ", STATUS_UNCORE_ABSENT, "no such uncore counters"},
    {nehalem, "package_energy_uJ", STATUS_UNCORE_ABSENT, "no such uncore counters"},
    {nehalem, "llc_lookups:cmask=2", STATUS_UNCORE_FIELD, "the sum of two events, which takes no"},
    {nehalem, "llc_lookups:edge", STATUS_UNCORE_FIELD, "the sum of two events, which takes no"},
    {nehalem, "llc_lookups:match=1", STATUS_UNCORE_FIELD, "the sum of two events, which takes no"},
    {nehalem, "llc_lookups|UNC_LLC_MISS.ANY", STATUS_EVENT_TWO,
     "UNC_LLC_MISS.ANY cannot be ORed with the sum of two events"},
    {nehalem, "UNC_LLC_MISS.ANY|llc_lookups", STATUS_EVENT_TWO,
     "llc_lookups is the sum of two events"},
    {nehalem, "UNC_QHL_TO_QMC_BYPASS", STATUS_NO_COUNTER, "no counter that can count"},
    {skylake, "UNC_CBO_CACHE_LOKUP.READ_MESI", STATUS_EVENT_UNKNOWN,
     "nearest: UNC_CBO_CACHE_LOOKUP.READ_MESI"},
    {skylake, "llc_lookups|UNC_CBO_CACHE_LOOKUP.WRITE_J", STATUS_EVENT_UNKNOWN, "nearest: "},
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI|UNC_CBO_XSNP_RESPONSE.MISS_XCORE", STATUS_EVENT_TWO,
     "MISS_XCORE has another event number"},
    {skylake, "UNC_CBO_CACHE_LOOKUP.READ_MESI|UNC_ARB_TRK_OCCUPANCY.ALL", STATUS_EVENT_TWO,
     "another kind of unit"},
    {skylake, "UNC_ARB_TRK_OCCUPANCY.ALL|UNC_ARB_TRK_OCCUPANCY.CYCLES", STATUS_EVENT_TWO,
     "other flags or another threshold"},
    {skylake, "UNC_ARB_TRK_OCCUPANCY.ALL|UNC_ARB_TRK_OCCUPANCY.SECOND", STATUS_EVENT_TWO,
     "counted by other counters"},
    {skylake, "package_energy_uJ|core_energy_uJ", STATUS_EVENT_TWO, "has no unit mask"},
    {skylake, "dram_read_bytes|UNC_MC_READS", STATUS_EVENT_TWO, "has no unit mask"},
    {skylake_server_uncore, "UNC_CHA_LLC_LOOKUP.ANY|UNC_CHA_LLC_LOOKUP.DATA_READ", STATUS_EVENT_TWO,
     "another extra register, or another value in it"},
    {skylake, "uncore_cbox_3/event=0x34/", STATUS_EVENT_SYNTAX,
     "all units of a kind are counted together; expected uncore_cbox/"},
    {skylake, "uncore_gpu/event=0x34/", STATUS_EVENT_SYNTAX, "one of uncore clock cbox"},
    {skylake, "uncore_cbox/umask=0x34/", STATUS_EVENT_SYNTAX, "expected event="},
    {skylake, "uncore_cbox/event=0x100/", STATUS_EVENT_SYNTAX, "from 0 to 255"},
    {skylake, "uncore_cbox/event=1,event=2/", STATUS_EVENT_SYNTAX, "each modifier once"},
    {skylake, "uncore_cbox/event=1,config=2/", STATUS_EVENT_SYNTAX, "expected config="},
    {skylake, "uncore_cbox/event=1,ldlat=2/", STATUS_EVENT_SYNTAX, "unknown term 'ldlat=2'"},
    {skylake, "uncore_cbox/event=1,name=/", STATUS_EVENT_SYNTAX, "after name="},
    {skylake, "uncore_cbox/event=1", STATUS_EVENT_SYNTAX, "expected a '/' at the end"},
    {skylake, "uncore_cbox//", STATUS_EVENT_SYNTAX, "unknown term ''"},
    {skylake, "llc_misses:any", STATUS_EVENT_SYNTAX, "unknown modifier 'any'"},
    {skylake, "llc_misses:edge:any", STATUS_EVENT_SYNTAX, "unknown modifier 'any'"},
    {skylake, "llc_misses:edge:edge", STATUS_EVENT_SYNTAX, "each modifier once"},
    {skylake, "llc_misses:cmask", STATUS_EVENT_SYNTAX, "cmask: expected a number"},
    {skylake, "llc_misses:edge|llc_misses", STATUS_EVENT_SYNTAX, "at the end only"},
    {skylake, "llc_misses:filter0=1:filter1=1", STATUS_EVENT_SYNTAX, "only one match or"},
    {skylake, "llc_misses|", STATUS_EVENT_SYNTAX, "expected the name"},
    {skylake, "UNC_\x01", STATUS_EVENT_SYNTAX, "expected printable ASCII"},
    {skylake, "UNC_A|A|A|A|A|A|A|A|A", STATUS_EVENT_SYNTAX, "at most 8 unit masks"},
};

TEST(refusals)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        enum status status;

        ROWS[i].uncore();
        status = find(ROWS[i].text);
        if (status != ROWS[i].status || !strstr(why, ROWS[i].says))
            fail_msg("'%s': status %u: %s", ROWS[i].text, status, why);
    }
}

#define LISTED                                                                                     \
    "edge, inv, cmask, occ_rst, match, filter0, filter1, filter_state, filter_opc_0, filter_opc_1"

/* Uncore events have no rings, so the messages list neither u nor k. */
TEST(terms_are_listed)
{
    skylake();
    find("uncore_cbox/umsk=1/");
    assert_string_equal(why, "uncore_cbox/umsk=1/: unknown term 'umsk=1'; expected event, umask, "
                             "config, name, " LISTED);
    find("llc_misses:any");
    assert_string_equal(why, "llc_misses:any: unknown modifier 'any'; expected " LISTED);
}

TEST(the_select_of_what_is_absent)
{
    assert_int_equal(find("uncore_cha/event=0x34,umask=0x11/"), STATUS_UNCORE_ABSENT);
    assert_int_equal(event.select, 0x1134);
    assert_int_equal(find("UNC_M_CAS_COUNT.RD:cmask=2"), STATUS_UNCORE_ABSENT);
    assert_int_equal(event.select, 2u << 24 | 0x304);
}
