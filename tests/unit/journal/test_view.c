/* SPDX-License-Identifier: BSD-2-Clause */
/* Which records of a journal are accepted, by their fields and sizes. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"
#include "pmu/base/bytes.h"

#define SCRATCH_COUNT 3u

static void zero(struct cpu_caps *caps)
{
    caps->pmu_version = 0; /* one pass without slots */
}

/*
 * Writes RUN, PLAN, two kernels, a CPU with counters, a result, a CPU without counters, a result,
 * and END. Each CPU record is followed by events and a schedule.
 */
static void write_run(void)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_RANGE);
    run_cpu(0, NULL);
    run_result(1, STATUS_OK);
    run_cpu(1, zero);
    run_result(0, STATUS_OK);
    run_end();
}

enum {
    AT_RUN,
    AT_PLAN,
    AT_KERNEL,
    AT_SECOND,
    AT_CPU,
    AT_EVENTS,
    AT_SCHEDULE,
    AT_RESULT,
    AT_BARE_CPU,
    AT_BARE_EVENTS,
    AT_BARE_SCHEDULE,
    AT_BARE_RESULT
};

static struct journal_head *record_at(unsigned index)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head = journal_next(&cursor);

    while (index-- > 0)
        head = journal_next(&cursor);
    assert_non_null(head);
    return (struct journal_head *)(run_bytes + ((const char *)head - run_bytes));
}

/* view_take() needs only the journal's start and size from the cursor, so a new cursor suffices. */
static const struct result *take(struct view *view, const struct journal_head *head)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);

    return view_take(view, &cursor, head);
}

static bool believed(unsigned index)
{
    struct view view;
    const struct result *result = NULL;

    view_start(&view, run_scratch, SCRATCH_COUNT);
    for (unsigned i = 0; i <= index; i++)
        result = take(&view, record_at(i));
    switch (record_at(index)->type) {
    case RECORD_RUN:
        return view.run == journal_payload(record_at(index));
    case RECORD_KERNEL:
        return view.kernel[view.kernels - 1] == journal_payload(record_at(index));
    case RECORD_CPU:
        return view.cpu == journal_payload(record_at(index));
    case RECORD_EVENTS:
        return view.event == journal_payload(record_at(index));
    case RECORD_SCHEDULE:
        return view.schedule == journal_payload(record_at(index));
    default:
        return result == journal_payload(record_at(index));
    }
}

#define FIELD(structure, field)                                                                    \
    offsetof(struct structure, field), sizeof(((struct structure *)0)->field)
#define LAST(structure, field)                                                                     \
    offsetof(struct structure, field) + sizeof(((struct structure *)0)->field) - 1, 1
#define EVENT(index, field)                                                                        \
    (index) * sizeof(struct event) + offsetof(struct event, field),                                \
        sizeof(((struct event *)0)->field)
#define COST   (1ll << 32)
#define STRIDE SAMPLE_BYTES

static const struct {
    unsigned record;
    bool right;
    size_t offset, size;
    int64_t value;
} FIELDS[] = {
    {AT_RUN, false, FIELD(run_record, schema), RECORD_SCHEMA + 1},
    {AT_RUN, false, FIELD(run_record, schema), RECORD_SCHEMA - 1},
    {AT_RUN, true, FIELD(run_record, window_cost[WINDOW_OS][0]), COST},
    {AT_RUN, false, FIELD(run_record, window_cost[WINDOW_OS][4]), COST + 1},
    {AT_RUN, true, FIELD(run_record, window_cost[WINDOW_USR][4]), -COST},
    {AT_RUN, false, FIELD(run_record, window_cost[WINDOW_USR][0]), -COST - 1},
    {AT_RUN, false, FIELD(run_record, window_cost[WINDOW_USR][4]), COST + 1},
    {AT_RUN, true, FIELD(run_record, method), 99},
    {AT_RUN, true, FIELD(run_record, kernel_ring), 99},
    {AT_RUN, false, LAST(run_record, version), 'x'},
    {AT_RUN, false, LAST(run_record, started), 'x'},
    {AT_RUN, false, LAST(run_record, plan_name), 'x'},
    {AT_RUN, false, LAST(run_record, label), 'x'},
    {AT_RUN, false, LAST(run_record, firmware_vendor), 'x'},
    {AT_RUN, false, LAST(run_record, smbios.firmware_version), 'x'},
    {AT_RUN, false, LAST(run_record, smbios.maker), 'x'},
    {AT_RUN, false, LAST(run_record, smbios.product), 'x'},
    {AT_RUN, false, LAST(run_record, smbios.uuid), 'x'},
    {AT_RUN, true, FIELD(run_record, source), SOURCE_LINUX},
    {AT_RUN, false, FIELD(run_record, source), RUN_SOURCES},
    {AT_RUN, false, FIELD(run_record, linux_host.read_by), LINUX_READS},
    {AT_RUN, false, LAST(run_record, linux_host.kernel), 'x'},
    {AT_RUN, false, LAST(run_record, linux_host.governor), 'x'},
    {AT_RUN, false, LAST(run_record, linux_host.isolated_cpus), 'x'},
    {AT_KERNEL, false, FIELD(known_kernel, n), 0},
    {AT_KERNEL, true, FIELD(known_kernel, n), 1},
    {AT_KERNEL, true, FIELD(known_kernel, n), INT64_MAX / 2},
    {AT_KERNEL, false, FIELD(known_kernel, n), INT64_MAX / 2 + 1},
    {AT_KERNEL, false, FIELD(known_kernel, n), -1},
    {AT_KERNEL, true, FIELD(known_kernel, expect[0].kind), EXPECT_NOTHING},
    {AT_KERNEL, false, FIELD(known_kernel, expect[4].kind), EXPECT_RANGE + 1},
    {AT_KERNEL, false, FIELD(known_kernel, expect[0].low), -1},
    {AT_KERNEL, false, FIELD(known_kernel, expect[4].low_2n), -1},
    {AT_KERNEL, true, FIELD(known_kernel, expect[4].low_2n), INT64_MAX},
    {AT_KERNEL, false, LAST(known_kernel, name), 'x'},
    {AT_KERNEL, false, LAST(known_kernel, title), 'x'},
    {AT_KERNEL, false, LAST(known_kernel, param), 'x'},
    {AT_CPU, true, FIELD(cpu_record, caps.gp_count), GP_COUNTERS_MAX},
    {AT_CPU, false, FIELD(cpu_record, caps.gp_count), GP_COUNTERS_MAX + 1},
    {AT_CPU, true, FIELD(cpu_record, cache[7].type), CACHE_UNIFIED},
    {AT_CPU, false, FIELD(cpu_record, cache[7].type), CACHE_TYPES},
    {AT_CPU, false, LAST(cpu_record, caps.brand), 'x'},
    {AT_CPU, false, LAST(cpu_record, caps.vendor_id), 'x'},
    {AT_EVENTS, true, EVENT(0, declared), EVENT_UNDECLARED},
    {AT_EVENTS, false, EVENT(0, declared), EVENT_UNDECLARED - 1},
    {AT_EVENTS, true, EVENT(12, declared), DECLARED_COUNT - 1},
    {AT_EVENTS, false, EVENT(12, declared), DECLARED_COUNT},
    {AT_EVENTS, true, EVENT(0, unit), UNITS - 1},
    {AT_EVENTS, false, EVENT(0, unit), UNITS},
    {AT_EVENTS, false, EVENT(12, unit), UNITS},
    {AT_EVENTS, false, EVENT(0, scope), SCOPE_UNCORE},
    {AT_EVENTS, false, EVENT(12, scope), SCOPE_UNCORE + 1},
    {AT_EVENTS, true, EVENT(12, kind), 0xff}, /* ignored for a CPU's event */
    {AT_EVENTS, true, EVENT(12, name[EVENT_NAME_BYTES - 2]), 'x'},
    {AT_EVENTS, false, EVENT(12, name[EVENT_NAME_BYTES - 1]), 'x'},
    {AT_EVENTS, true, EVENT(0, rings), 0xff}, /* used as a mask */
    {AT_EVENTS, true, EVENT(0, status), 0xff},
    {AT_EVENTS, true, EVENT(0, fixed), 99},
    {AT_SCHEDULE, true, FIELD(schedule, passes), 0},
    {AT_SCHEDULE, true, FIELD(schedule, passes), 3},
    {AT_SCHEDULE, false, FIELD(schedule, passes), 4}, /* there are three passes */
    {AT_SCHEDULE, false, FIELD(schedule, passes), UINT32_MAX},
    {AT_SCHEDULE, true, FIELD(schedule, pass[0].slots), SLOTS_MAX},
    {AT_SCHEDULE, false, FIELD(schedule, pass[0].slots), SLOTS_MAX + 1},
    {AT_SCHEDULE, false, FIELD(schedule, pass[2].slots), SLOTS_MAX + 1},
    {AT_SCHEDULE, true, FIELD(schedule, pass[0].extras), EXTRAS_MAX},
    {AT_SCHEDULE, false, FIELD(schedule, pass[2].extras), EXTRAS_MAX + 1},
    {AT_SCHEDULE, true, FIELD(schedule, pass[0].slot[0].event), 12},
    {AT_SCHEDULE, false, FIELD(schedule, pass[0].slot[0].event), 13},
    {AT_SCHEDULE, false, FIELD(schedule, pass[2].slot[4].event), 13},
    {AT_SCHEDULE, true, FIELD(schedule, pass[2].slot[5].event), 13}, /* no such slot */
    {AT_SCHEDULE, false, FIELD(schedule, pass[0].slot[0].where), SLOT_UNCORE},
    {AT_SCHEDULE, false, FIELD(schedule, pass[0].slot[0].where), SLOT_UNCORE + 1},
    {AT_SCHEDULE, true, FIELD(schedule, pass[0].slot[0].counter), FIXED_COUNTERS_MAX - 1},
    {AT_SCHEDULE, false, FIELD(schedule, pass[0].slot[0].counter), FIXED_COUNTERS_MAX},
    {AT_SCHEDULE, true, FIELD(schedule, pass[2].slot[4].counter), GP_COUNTERS_MAX - 1},
    {AT_SCHEDULE, false, FIELD(schedule, pass[2].slot[4].counter), GP_COUNTERS_MAX},
    {AT_RESULT, true, FIELD(result, stride_bytes), STRIDE(7)}, /* the first pass has seven slots */
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(6)},
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(7) + 4},
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(SLOTS_MAX) + 8},
    {AT_RESULT, true, FIELD(result, samples), 18}, /* three passes of 4 + 2 */
    {AT_RESULT, false, FIELD(result, samples), 19},
    {AT_RESULT, false, FIELD(result, samples), UINT32_MAX},
    {AT_RESULT, true, FIELD(result, kernel), 0},
    {AT_RESULT, false, FIELD(result, kernel), 2},
    {AT_RESULT, false, FIELD(result, cpu), 1},
    {AT_RESULT, true, FIELD(result, status), 99},
    {AT_BARE_RESULT, true, FIELD(result, stride_bytes), STRIDE(0)},
    {AT_BARE_RESULT, false, FIELD(result, stride_bytes), STRIDE(0) - 8},
};

TEST(fields_at_their_bounds)
{
    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        struct journal_head *head;

        write_run();
        assert_true(believed(FIELDS[i].record));
        head = record_at(FIELDS[i].record);
        memcpy((char *)(head + 1) + FIELDS[i].offset, &FIELDS[i].value, FIELDS[i].size);
        head->payload_crc = crc32_ieee(0, head + 1, head->payload_bytes);
        head->head_crc = crc32_ieee(0, head, offsetof(struct journal_head, head_crc));
        if (believed(FIELDS[i].record) != FIELDS[i].right)
            fail_msg("row %zu: %s", i, FIELDS[i].right ? "refused" : "believed");
    }
}

TEST(sizes_at_their_bounds)
{
    static const unsigned RECORDS[] = {AT_RUN,    AT_KERNEL,   AT_CPU,
                                       AT_EVENTS, AT_SCHEDULE, AT_RESULT};

    for (size_t i = 0; i < sizeof(RECORDS) / sizeof(RECORDS[0]); i++) {
        struct journal_head short_head[256];
        struct view view;

        write_run();
        view_start(&view, run_scratch, SCRATCH_COUNT);
        for (unsigned k = 0; k < RECORDS[i]; k++)
            take(&view, record_at(k));
        memcpy(short_head, record_at(RECORDS[i]), sizeof(short_head));
        short_head[0].payload_bytes--;
        assert_null(take(&view, short_head));
        assert_true(RECORDS[i] != AT_RUN || !view.run);
        assert_true(RECORDS[i] != AT_KERNEL || (view.kernels == 1 && !view.kernel[0]));
        assert_true(RECORDS[i] != AT_CPU || !view.cpu);
        assert_true(RECORDS[i] != AT_EVENTS || (!view.event && view.events == 0));
        assert_true(RECORDS[i] != AT_SCHEDULE || (view.event && !view.schedule));
    }
}

static struct {
    struct journal_head head;
    union {
        struct event event[EVENTS_MAX + 1];
        struct schedule schedule;
        char room[SCHEDULE_BYTES(PASSES_MAX + 1)];
    } payload;
} large;

TEST(events_and_passes_at_their_most)
{
    struct view view;

    write_run();
    view_start(&view, run_scratch, SCRATCH_COUNT);
    for (unsigned i = 0; i <= AT_CPU; i++)
        take(&view, record_at(i));
    for (unsigned above = 0; above < 2; above++) {
        uint32_t passes = PASSES_MAX + above;

        memset(&large, 0, sizeof(large));
        large.head.type = RECORD_EVENTS;
        large.head.payload_bytes = (EVENTS_MAX + above) * sizeof(struct event);
        take(&view, &large.head);
        assert_int_equal(view.events, above ? 0 : EVENTS_MAX);
        assert_int_equal(view.event != NULL, !above);

        take(&view, record_at(AT_EVENTS));
        memset(&large, 0, sizeof(large));
        large.head.type = RECORD_SCHEDULE;
        large.head.payload_bytes = (uint32_t)SCHEDULE_BYTES(passes);
        large.payload.schedule.passes = passes;
        take(&view, &large.head);
        assert_int_equal(view.schedule != NULL, !above);
        large.head.payload_bytes -= 1;
        take(&view, &large.head);
        assert_null(view.schedule);
    }
}
