/* SPDX-License-Identifier: BSD-2-Clause */
/* Journals of older schemas, built by tests, and their conversion. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_OLD_H
#define BARECOUNT_TESTS_UNIT_FAKES_OLD_H

#include "tests/unit/fakes/run.h"
#include "pmu/journal/renew.h"

#define VERSION "0.9.1"

static alignas(8) char renewed_bytes[RUN_JOURNAL_KB << 10];
static struct journal renewed;

/*
 * The status codes of each schema, in the order of their numbers. Schemas 2 and 3 had NO_USER in
 * place of NO_SPACE.
 */
#define STATUSES_BEFORE_SPACE                                                                      \
    STATUS_OK, STATUS_NO_PMU, STATUS_VENDOR, STATUS_EVENT_ABSENT, STATUS_EVENT_NOT_LISTED,         \
        STATUS_EVENT_MODEL, STATUS_NO_FIXED, STATUS_NO_COUNTER, STATUS_CPU_FEATURE,                \
        STATUS_KERNEL_RING0, STATUS_NO_SPACE
#define STATUSES_OF_EVENTS                                                                         \
    STATUS_START_FAILED, STATUS_NO_MEMORY, STATUS_EVENT_UNKNOWN, STATUS_EVENT_SYNTAX,              \
        STATUS_EVENT_TWO, STATUS_EVENT_FIXED, STATUS_EVENT_CORE, STATUS_EVENT_ANY,                 \
        STATUS_EVENT_FIELD, STATUS_EVENT_TSX, STATUS_EVENT_PEBS, STATUS_EVENT_NUMBER,              \
        STATUS_EVENT_REGISTER
#define STATUSES_OF_STATE                                                                          \
    STATUS_STATE_ABSENT, STATUS_STATE_KEPT, STATUS_STATE_PART, STATUS_STATE_BASE,                  \
        STATUS_STATE_RANGE, STATUS_STATE_VOLTAGE, STATUS_STATE_CLOCK, STATUS_STATE_VENDOR,         \
        STATUS_NO_MONITOR
#define STATUSES_OF_4                                                                              \
    STATUSES_BEFORE_SPACE, STATUS_NO_PAGES, STATUS_NO_MEMORY_TYPE, STATUS_ALONE, STATUS_MSR_FAULT, \
        STATUS_MSR_REFUSED, STATUS_READ_BACK, STATUS_FAULT, STATUS_CHANGED, STATUS_HANG,           \
        STATUS_SKIPPED_KERNEL, STATUS_CUT_OFF, STATUS_PARTNER, STATUS_TIMEOUT, STATUS_SKIPPED,     \
        STATUS_STOPPED, STATUS_TSC, STATUSES_OF_EVENTS, STATUSES_OF_STATE

static const uint8_t OF_2[] = {STATUSES_BEFORE_SPACE, STATUS_MSR_FAULT,  STATUS_MSR_REFUSED,
                               STATUS_READ_BACK,      STATUS_FAULT,      STATUS_TIMEOUT,
                               STATUS_SKIPPED,        STATUSES_OF_EVENTS};
static const uint8_t OF_3[] = {STATUSES_BEFORE_SPACE, STATUS_MSR_FAULT, STATUS_MSR_REFUSED,
                               STATUS_READ_BACK,      STATUS_FAULT,     STATUS_TIMEOUT,
                               STATUS_SKIPPED,        STATUS_STOPPED,   STATUS_TSC,
                               STATUSES_OF_EVENTS,    STATUSES_OF_STATE};
static const uint8_t OF_4[] = {STATUSES_OF_4};
static const uint8_t OF_5[] = {STATUSES_OF_4,      STATUS_NO_PERF,      STATUS_PERF_REFUSED,
                               STATUS_PERF_DENIED, STATUS_PERF_COUNTER, STATUS_HUGE_PAGES,
                               STATUS_WRITE_BACK,  STATUS_KILLED,       STATUS_DIED};

/*
 * Sizes in bytes of the records that changed, from the assertions in each schema's
 * pmu/journal/record.h.
 */
static const struct {
    uint32_t schema, run, kernel, cpu, result, sample;
    const uint8_t *statuses;
    uint32_t statuses_count;
} OLD[] = {
    {2, 592, 392, 384, 112, 24, OF_2, sizeof(OF_2)},
    {3, 608, 392, 392, 112, 56, OF_3, sizeof(OF_3)},
    {4, 608, 504, 400, 128, 56, OF_4, sizeof(OF_4)},
    {5, 784, 504, 400, 128, 56, OF_5, sizeof(OF_5)},
};
#define OLDS (sizeof(OLD) / sizeof(OLD[0]))

static inline void begin_old(uint32_t schema, uint32_t run_bytes_then)
{
    static alignas(8) char run[sizeof(struct run_record) + 8];

    memset(run, 0, sizeof(run));
    memcpy(run, &schema, sizeof(schema));
    memcpy(run + 8, VERSION, sizeof(VERSION));
    memset(run_bytes, 0, sizeof(run_bytes));
    run_journal = (struct journal){.bytes = run_bytes, .size = sizeof(run_bytes), .run_id = RUN_ID};
    run_append(RECORD_RUN, run, run_bytes_then);
}

static inline void renew(const char *bytes, size_t size)
{
    const struct renewal renewal = renew_look(bytes, size);

    assert_int_equal(renewal.need, RENEW_ANEW);
    assert_true(renewal.bytes <= sizeof(renewed_bytes));
    renewed = (struct journal){.bytes = renewed_bytes, .size = renewal.bytes - 8};
    assert_false(renew_write(bytes, size, &renewed));
    renewed = (struct journal){.bytes = renewed_bytes, .size = renewal.bytes};
    assert_true(renew_write(bytes, size, &renewed));
    assert_int_equal(renewed.used, renewal.bytes);
    assert_int_equal(renew_look(renewed_bytes, renewed.used).need, RENEW_NOTHING);
}

static inline const struct journal_head *renewed_record(uint32_t type)
{
    struct journal_cursor cursor = journal_start(renewed_bytes, renewed.used);
    const struct journal_head *head;

    while ((head = journal_next(&cursor)) && head->type != type)
        ;
    assert_non_null(head);
    return head;
}

#endif
