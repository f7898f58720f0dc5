/* SPDX-License-Identifier: BSD-2-Clause */
/* Which records of a journal are believed: each field just right, and one step beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_run.h"
#include "pmu/crc32.h"

/* Room for values of a calibration, and not one more: an overrun is seen. */
#define SCRATCH_COUNT 3u

static void zero(struct cpu_caps *caps)
{
    caps->pmu_version = 0; /* one pass without a slot */
}

/* RUN, PLAN, two kernels, a CPU with counters, a result, a CPU without, a result, END. */
static int write_run(void **state)
{
    (void)state;
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_RANGE);
    run_cpu(0, NULL);
    run_result(1, STATUS_OK);
    run_cpu(1, zero);
    run_result(0, STATUS_OK);
    run_end();
    return 0;
}

enum { AT_RUN, AT_PLAN, AT_KERNEL, AT_SECOND, AT_CPU, AT_RESULT, AT_BARE_CPU, AT_BARE_RESULT };

static struct journal_head *record_at(unsigned index)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head = journal_next(&cursor);

    while (index-- > 0)
        head = journal_next(&cursor);
    assert_non_null(head);
    return (struct journal_head *)(run_bytes + ((const char *)head - run_bytes));
}

/* Whether the record at an index is believed, when all before it are as they stand. */
static bool believed(unsigned index)
{
    struct view view;
    const struct result *result = NULL;

    view_start(&view, run_scratch, SCRATCH_COUNT);
    for (unsigned i = 0; i <= index; i++)
        result = view_take(&view, record_at(i));
    switch (record_at(index)->type) {
    case RECORD_RUN:
        return view.run == journal_payload(record_at(index));
    case RECORD_KERNEL:
        return view.kernel[view.kernels - 1] == journal_payload(record_at(index));
    case RECORD_CPU:
        return view.cpu == journal_payload(record_at(index));
    default:
        return result == journal_payload(record_at(index));
    }
}

#define FIELD(structure, field)                                                                    \
    offsetof(struct structure, field), sizeof(((struct structure *)0)->field)
#define LAST(structure, field)                                                                     \
    offsetof(struct structure, field) + sizeof(((struct structure *)0)->field) - 1, 1
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
    {AT_RUN, true, FIELD(run_record, events), EVENTS_MAX},
    {AT_RUN, false, FIELD(run_record, events), EVENTS_MAX + 1},
    {AT_RUN, true, FIELD(run_record, events), 0},
    {AT_RUN, true, FIELD(run_record, window_cost[0]), COST},
    {AT_RUN, false, FIELD(run_record, window_cost[4]), COST + 1},
    {AT_RUN, true, FIELD(run_record, window_cost[4]), -COST},
    {AT_RUN, false, FIELD(run_record, window_cost[0]), -COST - 1},
    {AT_RUN, true, FIELD(run_record, event[0].declared), EVENT_UNDECLARED},
    {AT_RUN, false, FIELD(run_record, event[0].declared), EVENT_UNDECLARED - 1},
    {AT_RUN, true, FIELD(run_record, event[12].declared), DECLARED_COUNT - 1},
    {AT_RUN, false, FIELD(run_record, event[12].declared), DECLARED_COUNT},
    {AT_RUN, true, FIELD(run_record, event[0].unit), UNIT_REFERENCE_CYCLES},
    {AT_RUN, false, FIELD(run_record, event[0].unit), UNIT_REFERENCE_CYCLES + 1},
    {AT_RUN, true, FIELD(run_record, event[15].unit), 99}, /* beyond those that there are */
    {AT_RUN, true, FIELD(run_record, event[13].unit), 99},
    {AT_RUN, false, LAST(run_record, version), 'x'},
    {AT_RUN, false, LAST(run_record, started), 'x'},
    {AT_RUN, false, LAST(run_record, plan_name), 'x'},
    {AT_RUN, false, LAST(run_record, label), 'x'},
    {AT_RUN, false, LAST(run_record, firmware_vendor), 'x'},
    {AT_RUN, false, LAST(run_record, firmware_version), 'x'},
    {AT_RUN, false, LAST(run_record, maker), 'x'},
    {AT_RUN, false, LAST(run_record, product), 'x'},
    {AT_RUN, false, LAST(run_record, uuid), 'x'},
    {AT_RUN, false, LAST(run_record, event[12].name), 'x'},
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
    {AT_CPU, true, FIELD(cpu_record, caps.gp_count), GP_COUNTERS_MAX},
    {AT_CPU, false, FIELD(cpu_record, caps.gp_count), GP_COUNTERS_MAX + 1},
    {AT_CPU, true, FIELD(cpu_record, schedule.passes), 0},
    {AT_CPU, true, FIELD(cpu_record, schedule.passes), PASSES_MAX},
    {AT_CPU, false, FIELD(cpu_record, schedule.passes), PASSES_MAX + 1},
    {AT_CPU, true, FIELD(cpu_record, schedule.pass[0].slots), SLOTS_MAX},
    {AT_CPU, false, FIELD(cpu_record, schedule.pass[0].slots), SLOTS_MAX + 1},
    {AT_CPU, true, FIELD(cpu_record, schedule.pass[15].slots), SLOTS_MAX + 1}, /* no such pass */
    {AT_CPU, true, FIELD(cpu_record, schedule.pass[3].slots), SLOTS_MAX + 1},
    {AT_CPU, false, FIELD(cpu_record, schedule.pass[0].slot[0].event), 13},
    {AT_CPU, true, FIELD(cpu_record, schedule.pass[1].slot[3].event), 12},
    {AT_CPU, false, FIELD(cpu_record, schedule.pass[1].slot[3].event), 13},
    {AT_CPU, true, FIELD(cpu_record, schedule.pass[1].slot[4].event), 13}, /* nor such a slot */
    {AT_CPU, false, LAST(cpu_record, caps.brand), 'x'},
    {AT_CPU, false, LAST(cpu_record, caps.vendor_id), 'x'},
    {AT_RESULT, true, FIELD(result, stride_bytes), STRIDE(7)}, /* the first pass has seven slots */
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(6)},
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(7) + 4},
    {AT_RESULT, false, FIELD(result, stride_bytes), STRIDE(SLOTS_MAX) + 8},
    {AT_RESULT, true, FIELD(result, samples), 18}, /* three passes of four and two */
    {AT_RESULT, false, FIELD(result, samples), 19},
    {AT_RESULT, false, FIELD(result, samples), UINT32_MAX},
    {AT_RESULT, true, FIELD(result, kernel), 0},
    {AT_RESULT, false, FIELD(result, kernel), 2},
    {AT_RESULT, false, FIELD(result, cpu), 1},
    {AT_RESULT, true, FIELD(result, status), 99},
    {AT_BARE_RESULT, true, FIELD(result, stride_bytes), STRIDE(0)},
    {AT_BARE_RESULT, false, FIELD(result, stride_bytes), STRIDE(0) - 8},
};

static void fields_at_their_bounds(void **state)
{
    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        struct journal_head *head;

        write_run(state);
        assert_true(believed(FIELDS[i].record));
        head = record_at(FIELDS[i].record);
        memcpy((char *)(head + 1) + FIELDS[i].offset, &FIELDS[i].value, FIELDS[i].size);
        head->payload_crc = crc32_ieee(0, head + 1, head->payload_bytes);
        head->head_crc = crc32_ieee(0, head, offsetof(struct journal_head, head_crc));
        if (believed(FIELDS[i].record) != FIELDS[i].right)
            fail_msg("row %zu: %s", i, FIELDS[i].right ? "refused" : "believed");
    }
}

/* A record of just its size is whole, one byte less is not. */
static void sizes_at_their_bounds(void **state)
{
    static const unsigned RECORDS[] = {AT_RUN, AT_KERNEL, AT_CPU, AT_RESULT};

    for (size_t i = 0; i < sizeof(RECORDS) / sizeof(RECORDS[0]); i++) {
        struct journal_head short_head[256];
        struct view view;

        write_run(state);
        view_start(&view, run_scratch, SCRATCH_COUNT);
        for (unsigned k = 0; k < RECORDS[i]; k++)
            view_take(&view, record_at(k));
        memcpy(short_head, record_at(RECORDS[i]), sizeof(short_head));
        short_head[0].payload_bytes--;
        assert_null(view_take(&view, short_head));
        assert_true(RECORDS[i] != AT_RUN || !view.run);
        assert_true(RECORDS[i] != AT_KERNEL || (view.kernels == 1 && !view.kernel[0]));
        assert_true(RECORDS[i] != AT_CPU || !view.cpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_at_their_bounds),
        cmocka_unit_test(sizes_at_their_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
