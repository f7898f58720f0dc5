/* SPDX-License-Identifier: BSD-2-Clause */
/* A small event table for Skylake and some built-in events, and lookups in both. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_FIND_H
#define BARECOUNT_TESTS_UNIT_FAKES_FIND_H

#include "tests/unit/fakes/events.h"
#include "pmu/events/find.h"

static const char SKX[] = TABLE_HEAD "MEM_INST_RETIRED.ALL_LOADS,81d0,f,,,,,Loads\n"
                                     "L2_RQSTS.DEMAND_DATA_RD_MISS,2124,,,,,,\n"
                                     "L2_RQSTS.RFO_MISS,2224,3,,p,,,\n"
                                     "L2_RQSTS.ALL_RFO,e224,c,,,,,\n"
                                     "UOPS_ISSUED.ANY,10e,,,,,,\n"
                                     "UOPS_ISSUED.STALL_CYCLES,180010e,,,,,,\n"
                                     "INST_RETIRED.ANY,,,0,,,,\n"
                                     "INST_RETIRED.ANY_P,c0,,0,,,,\n"
                                     "CPU_CLK_UNHALTED.THREAD_P,3c,,1,,,,\n"
                                     "CPU_CLK_UNHALTED.THREAD_P_ANY,20003c,,1,,,,\n"
                                     "OCR.READS.MISS,1b7,,,a,1a6,3fbfc00001,\n"
                                     "OCR.READS.HIT,1b7,,,a,1a6,3f803c0001,\n"
                                     "MEM_TRANS.LATENCY_GT_4,1cd,,,p,3f6,4,\n"
                                     "HIGH.COUNTERS,c7,f0,,,,,\n"
                                     "OLD.NAME,1c7,,,d,,,\n"
                                     "RTM.CYCLES,10000003c,,,,,,\n"
                                     "SLOTS.WIDE,100000001a4,,,,,,\n";

static struct event builtin[] = {
    {.name = "INST_RETIRED.ANY", .select = 0x100, .arch = -1, .fixed = 0, .fixed_only = 1},
    {.name = "CPU_CLK_UNHALTED.REF_TSC", .select = 0x300, .arch = -1, .fixed = 2, .fixed_only = 1},
    {.name = "LONGEST_LAT_CACHE.MISS", .select = 0x412e, .arch = 4, .fixed = -1},
    {.name = "UOPS_ISSUED.ANY", .select = 0xffff, .arch = -1, .fixed = -1},
    {.name = "BUILT.IN", .select = 0x20c4, .counters = 3, .arch = -1, .fixed = -1},
    {.name = "BUILT.TOO", .select = 0x10c4, .arch = -1, .fixed = -1},
};
#define BUILTINS (sizeof(builtin) / sizeof(builtin[0]))

static struct cpu_caps caps;
static struct event event;
static char why[EVENT_WHY_BYTES];

static inline enum status find_bytes(const char *text, size_t size)
{
    struct out out = out_buffer(why, sizeof(why));
    enum status status;

    memset(&event, 0xa5, sizeof(event));
    status = event_find(&tables, builtin, BUILTINS, &caps, keep_text(text, size), size, RING_OS,
                        &event, &out);
    free(kept_texts[--kept_count]);
    out_end(&out);
    assert_int_equal(event.status, status);
    assert_false(out.failed);
    assert_int_equal(status == STATUS_OK, why[0] == 0);
    return status;
}

static inline enum status find(const char *text)
{
    return find_bytes(text, strlen(text));
}

static inline void skylake_with_table(void)
{
    caps = SKYLAKE;
    forget_tables();
    assert_int_equal(read_bytes(SKX, strlen(SKX), false, &caps), 0);
    assert_int_equal(reported.count, 0);
}

#endif
