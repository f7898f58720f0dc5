/* SPDX-License-Identifier: BSD-2-Clause */
/* A small table of uncore events, and lookups in it. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_UNCORE_FIND_H
#define BARECOUNT_TESTS_UNIT_FAKES_UNCORE_FIND_H

#include "tests/unit/fakes/events.h"
#include "tests/unit/fakes/uncore_units.h"
#include "pmu/events/find.h"
#include "pmu/events/uncore.h"

static const char TABLE[] =
    "barecount-events,1,test\nname,select,counters,fixed,flags,msr,value,description,unit\n"
    "UOPS_ISSUED.ANY,10e,,,,,,A core's,\n"
    "UNC_OF_THE_CORE,20e,,,,,,A core's,\n"
    "UNC_CBO_CACHE_LOOKUP.READ_MESI,1f34,3,,,,,,cbox\n"
    "UNC_CBO_CACHE_LOOKUP.WRITE_I,2834,,,,,,,cbox\n"
    "UNC_CBO_XSNP_RESPONSE.MISS_XCORE,4122,,,,,,,cbox\n"
    "UNC_ARB_TRK_OCCUPANCY.ALL,180,1,,d,,,,arb\n"
    "UNC_ARB_TRK_OCCUPANCY.SECOND,480,2,,,,,,arb\n"
    "UNC_ARB_TRK_OCCUPANCY.CYCLES,1000180,1,,,,,,arb\n"
    "UNC_CHA_LLC_LOOKUP.ANY,1134,f,,,e05,fe0000,,cha\n"
    "UNC_CHA_LLC_LOOKUP.DATA_READ,334,f,,,e05,1e20000,,cha\n"
    "UNC_M_CAS_COUNT.RD,304,,,,,,,imc\n"
    "UNC_M_CAS_COUNT.WR,c04,,,,,,,imc\n"
    "UNC_MC_READS,0,1,,,,,,imc_free_running\n"
    "UNC_CLOCK.SOCKET,0,1,,,,,,clock\n"
    "UNC_LLC_MISS.ANY,309,,,,,,,uncore\n"
    "UNC_QHL_TO_QMC_BYPASS,26,f00,,,,,,uncore\n"
    "UNC_ADDR_OPCODE_MATCH.LOCAL,435,,,,396,4000000000000000,,uncore\n";

static struct event event;
static char why[EVENT_WHY_BYTES];

static inline enum status find(const char *text)
{
    struct out out = out_buffer(why, sizeof(why));
    size_t size = strlen(text);
    enum status status;

    memset(&event, 0xa5, sizeof(event));
    status = uncore_event_find(&tables, &uncore, keep_text(text, size), size, &event, &out);
    free(kept_texts[--kept_count]);
    out_end(&out);
    assert_int_equal(event.status, status);
    assert_int_equal(event.scope, SCOPE_UNCORE);
    assert_int_equal(event.fixed, EVENT_NOT_FIXED);
    assert_int_equal(event.arch, EVENT_NOT_ARCH);
    assert_int_equal(event.declared, EVENT_UNDECLARED);
    assert_int_equal(event.rings, RING_OS | RING_USR);
    assert_false(out.failed);
    assert_int_equal(status == STATUS_OK, why[0] == 0);
    if (status == STATUS_OK) {
        assert_true(event.counters != 0);
        assert_true(event.kind != KIND_NONE);
    }
    return status;
}

static inline void with_table(void)
{
    forget_tables();
    assert_int_equal(read_bytes(TABLE, strlen(TABLE), false, &SKYLAKE), 0);
    assert_int_equal(reported.count, 0);
    client_uncore(0x9e);
}

static inline void nehalem(void)
{
    nehalem_uncore();
}

static inline void skylake(void)
{
    client_uncore(0x9e);
}

#endif
