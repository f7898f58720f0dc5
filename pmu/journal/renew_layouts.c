/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists older layouts of payloads, and older numbers of statuses. */
#include "pmu/journal/renew_layouts.h"
#include "pmu/base/status.h"

#define END(structure, field)                                                                      \
    (offsetof(struct structure, field) + sizeof(((struct structure *)0)->field))
/* Fields `first` to `last`, which had the same layout in the old payload. */
#define FIELDS(structure, first, last)                                                             \
    {                                                                                              \
        offsetof(struct structure, first),                                                         \
            END(structure, last) - offsetof(struct structure, first)                               \
    }
/* The first `bytes` bytes from the beginning of `field`, perhaps beyond its end. */
#define PART(structure, field, bytes)                                                              \
    {                                                                                              \
        offsetof(struct structure, field), bytes                                                   \
    }
#define DROPPED(bytes)                                                                             \
    {                                                                                              \
        STRETCH_DROPPED, bytes                                                                     \
    }
/* The old payload is the beginning of today's. */
#define START(bytes)                                                                               \
    {                                                                                              \
        {                                                                                          \
            0, bytes                                                                               \
        }                                                                                          \
    }
#define TODAY(structure) sizeof(struct structure)

#define CAPS_BYTES  188u /* of struct cpu_caps before schema 4; 4 bytes of padding follow */
#define OLD_GENERAL 8u   /* pmu_found.select, schema < 7 */
#define OLD_EXTRAS  4u   /* pmu_found.extra, schema < 7 */
#define PARAM_BYTES 56u  /* known_kernel.param, schema < 4 */

/* Parts of struct cpu_record before schema 7. */
#define TO_CAPS     PART(cpu_record, cpu, offsetof(struct cpu_record, caps) + CAPS_BYTES)
#define OLD_SELECTS PART(cpu_record, found.select, 8 * OLD_GENERAL)
#define TO_SELECTS                                                                                 \
    PART(cpu_record, cpu, offsetof(struct cpu_record, found.select) + 8 * OLD_GENERAL)
#define TO_EXTRAS PART(cpu_record, found.extra, 8 * OLD_EXTRAS)

/* clang-format off */
static const struct layout LAYOUTS[] = {
    {RECORD_RUN, 2, 2, 592, TODAY(run_record),
     {FIELDS(run_record, schema, tsc_hz), FIELDS(run_record, tsc_source, overflow_after),
      FIELDS(run_record, window_cost, window_cost)}},
    {RECORD_RUN, 3, 4, 608, TODAY(run_record), START(608)},
    {RECORD_RUN, 5, 7, 784, TODAY(run_record), START(784)},
    {RECORD_KERNEL, 2, 3, 392, TODAY(known_kernel),
     {FIELDS(known_kernel, name, title), PART(known_kernel, param, PARAM_BYTES),
      FIELDS(known_kernel, n_given, buffer_bytes), FIELDS(known_kernel, expect, expect)}},
    {RECORD_KERNEL, 4, 7, 504, TODAY(known_kernel), START(504)},
    {RECORD_CPU, 2, 2, 384, TODAY(cpu_record),
     {TO_CAPS, DROPPED(4), OLD_SELECTS, FIELDS(cpu_record, found.fixed_ctrl, found.pebs_enable),
      TO_EXTRAS, FIELDS(cpu_record, found.inuse, refused_msr)}},
    {RECORD_CPU, 3, 3, 392, TODAY(cpu_record),
     {TO_CAPS, DROPPED(4), OLD_SELECTS, FIELDS(cpu_record, found.fixed_ctrl, found.pebs_enable),
      TO_EXTRAS, FIELDS(cpu_record, found.inuse, logs_found)}},
    {RECORD_CPU, 4, 6, 400, TODAY(cpu_record),
     {TO_SELECTS, FIELDS(cpu_record, found.fixed_ctrl, found.pebs_enable), TO_EXTRAS,
      FIELDS(cpu_record, found.inuse, logs_found)}},
    {RECORD_CPU, 7, 7, 520, TODAY(cpu_record), START(520)},
    {RECORD_RESULT, 2, 3, 112, TODAY(result), START(112)},
    {RECORD_RESULT, 4, 7, 128, TODAY(result), START(128)},
    {RECORD_NOTE, 2, 7, 240, TODAY(note), START(240)},
    {RECORD_END, 2, 7, 24, TODAY(end_record), START(24)},
    {RECORD_TEST, 2, 6, 416, TODAY(counter_tests), START(416)},
    {RECORD_TEST, 7, 7, 480, TODAY(counter_tests), START(480)},
    {RECORD_AGAIN, 2, 7, 8, TODAY(again), START(8)},
    {RECORD_STATE, 3, 7, 328, TODAY(cpu_state), START(328)},
    {RECORD_NOISE, 3, 7, 200, TODAY(noise), START(200)},
    {RECORD_NEXT, 4, 7, 16, TODAY(next), START(16)},
    {RECORD_UNCORE, 6, 7, 672, TODAY(uncore_record), START(672)},
};
/* clang-format on */

const struct layout *layout_of(uint32_t type, uint32_t schema)
{
    for (unsigned i = 0; i < sizeof(LAYOUTS) / sizeof(LAYOUTS[0]); i++)
        if (LAYOUTS[i].type == type && LAYOUTS[i].first <= schema && schema <= LAYOUTS[i].last)
            return &LAYOUTS[i];
    return 0;
}

uint32_t layout_sample_bytes(uint32_t schema)
{
    return schema == 2 ? 24 : SAMPLE_BYTES(0);
}

void layout_take(const struct layout *layout, const char *from, size_t count, char *to)
{
    size_t at = 0, end = 0; /* offsets: `at` in `from`, `end` in `to` */

    for (size_t i = 0; i < layout->today; i++)
        to[i] = 0;
    for (unsigned s = 0; s < STRETCHES_MAX; s++) {
        const struct stretch *stretch = &layout->stretch[s];

        for (size_t i = 0; i < stretch->bytes && stretch->to != STRETCH_DROPPED; i++)
            to[stretch->to + i] = from[at + i];
        at += stretch->bytes;
        if (stretch->bytes > 0 && stretch->to != STRETCH_DROPPED)
            end = stretch->to + (size_t)stretch->bytes;
    }
    for (; at < count && end < layout->today; at++, end++) /* fields added since */
        to[end] = from[at];
}

/* Statuses that were inserted between older ones; `since` is their first schema. */
static const struct {
    uint8_t status, since;
} LATER[] = {
    {STATUS_NO_PAGES, 4},      {STATUS_NO_MEMORY_TYPE, 4}, {STATUS_ALONE, 4},
    {STATUS_CHANGED, 4},       {STATUS_HANG, 4},           {STATUS_SKIPPED_KERNEL, 4},
    {STATUS_CUT_OFF, 4},       {STATUS_PARTNER, 4},        {STATUS_STOPPED, 3},
    {STATUS_TSC, 3},           {STATUS_STATE_ABSENT, 3},   {STATUS_STATE_KEPT, 3},
    {STATUS_STATE_PART, 3},    {STATUS_STATE_BASE, 3},     {STATUS_STATE_RANGE, 3},
    {STATUS_STATE_VOLTAGE, 3}, {STATUS_STATE_CLOCK, 3},    {STATUS_STATE_VENDOR, 3},
    {STATUS_NO_MONITOR, 3},    {STATUS_NO_PERF, 5},        {STATUS_PERF_REFUSED, 5},
    {STATUS_PERF_DENIED, 5},   {STATUS_PERF_COUNTER, 5},   {STATUS_HUGE_PAGES, 5},
    {STATUS_WRITE_BACK, 5},    {STATUS_KILLED, 5},         {STATUS_DIED, 5},
};

static bool had(uint32_t schema, uint32_t status)
{
    if (status > STATUS_DIED) /* the last status of schema 5; later ones were appended */
        return schema > 5;
    for (unsigned i = 0; i < sizeof(LATER) / sizeof(LATER[0]); i++)
        if (LATER[i].status == status)
            return LATER[i].since <= schema;
    return true;
}

/* Invalid numbers remain invalid. */
static uint32_t status_today(uint32_t schema, uint32_t number)
{
    for (uint32_t status = 0; status < STATUS_COUNT; status++)
        if (had(schema, status) && number-- == 0)
            return status;
    return STATUS_COUNT;
}

/*
 * Where today's payloads contain statuses. From offset `at` on, there are `count` statuses of
 * `size` bytes each, `step` bytes apart. If `count` is 0, the statuses continue up to the payload's
 * end.
 */
static const struct {
    uint8_t type, size;
    uint16_t at, step, count;
} STATUSES[] = {
    {RECORD_CPU, 4, offsetof(struct cpu_record, status), 4, 1},
    {RECORD_RESULT, 4, offsetof(struct result, status), 4, 1},
    {RECORD_RESULT, 4, offsetof(struct result, program_error.status), 4, 1},
    {RECORD_RESULT, 4, offsetof(struct result, restore_error.status), 4, 1},
    {RECORD_TEST, 4, offsetof(struct counter_tests, status), 4, 1},
    {RECORD_NOISE, 4, offsetof(struct noise, status), 4, 1},
    {RECORD_STATE, 4, offsetof(struct cpu_state, item) + offsetof(struct state_item, status),
     sizeof(struct state_item), STATE_ITEMS_MAX},
    {RECORD_EVENTS, 1, offsetof(struct event, status), sizeof(struct event), 0},
};

void layout_statuses(uint32_t type, uint32_t schema, char *payload, size_t bytes)
{
    for (unsigned i = 0; i < sizeof(STATUSES) / sizeof(STATUSES[0]); i++) {
        size_t at = STATUSES[i].at;

        if (STATUSES[i].type != type)
            continue;
        for (unsigned k = 0;
             (k < STATUSES[i].count || STATUSES[i].count == 0) && at + STATUSES[i].size <= bytes;
             k++, at += STATUSES[i].step) {
            uint8_t *one = (uint8_t *)payload + at;
            uint32_t *four = (uint32_t *)(void *)(payload + at);

            if (STATUSES[i].size == 1)
                *one = (uint8_t)status_today(schema, *one);
            else
                *four = status_today(schema, *four);
        }
    }
}
