/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversion of older journals, and the numbers and layouts that must never change. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/old.h"

/* A status becomes today's status of the same name. Other statuses are invalid. */
TEST(statuses_keep_their_meaning)
{
    static alignas(8) char payload[1024];

    for (size_t i = 0; i < OLDS; i++)
        for (uint32_t s = 0; s < OLD[i].statuses_count + 3; s++) {
            uint32_t expected =
                s < OLD[i].statuses_count ? OLD[i].statuses[s] : (uint32_t)STATUS_COUNT;
            const struct result *result;
            const struct event *event;

            begin_old(OLD[i].schema, OLD[i].run);
            memset(payload, 0, sizeof(payload));
            memcpy(payload + offsetof(struct result, status), &s, sizeof(s));
            run_append(RECORD_RESULT, payload, OLD[i].result);
            memset(payload, 0, sizeof(payload));
            payload[sizeof(struct event) + offsetof(struct event, status)] = (char)s;
            run_append(RECORD_EVENTS, payload, 2 * sizeof(struct event));
            renew(run_bytes, run_journal.used);
            result = journal_payload(renewed_record(RECORD_RESULT));
            event = journal_payload(renewed_record(RECORD_EVENTS));
            assert_int_equal(result->status, expected);
            assert_int_equal(event[0].status, STATUS_OK);
            assert_int_equal(event[1].status, expected);
            if (OLD[i].result <= offsetof(struct result, partner)) {
                assert_int_equal(result->partner, CPU_NONE);
                assert_int_equal(result->node, NODE_UNKNOWN);
            }
        }
}

/* Numbers of schemas 5 and 6. */
TEST(numbers_stay)
{
    static const uint32_t RIGHT[] = {RECORD_RUN,    RECORD_PLAN,     RECORD_KERNEL, RECORD_CPU,
                                     RECORD_RESULT, RECORD_NOTE,     RECORD_END,    RECORD_TEST,
                                     RECORD_EVENTS, RECORD_SCHEDULE, RECORD_AGAIN,  RECORD_STATE,
                                     RECORD_NOISE,  RECORD_NEXT,     RECORD_UNCORE};

    assert_int_equal(sizeof(OF_5), STATUS_DIED + 1);
    for (uint32_t i = 0; i < sizeof(OF_5); i++)
        assert_int_equal(OF_5[i], i);
    for (uint32_t i = 0; i < sizeof(RIGHT) / sizeof(RIGHT[0]); i++)
        assert_int_equal(RIGHT[i], i + 1);
    assert_int_equal(STATUS_UNCORE_UNKNOWN, STATUS_DIED + 1);
    assert_int_equal(STATUS_UNCORE_FIELD, STATUS_DIED + 10);
    assert_int_equal(COUNTER_RIGHT, 0);
    assert_int_equal(COUNTER_DISTURBED, COUNTER_FAULTS - 1);
    assert_int_equal(TSC_MONOTONIC, 5);
    assert_int_equal(TSC_PSTATE_DEF0, 6);
    assert_int_equal(UNIT_SLOTS, 3);
    assert_int_equal(UNIT_MICROJOULES, 6);
    assert_int_equal(SLOT_FIXED, 1);
    assert_int_equal(SLOT_UNCORE, 2);
    assert_int_equal(SCOPE_UNCORE, 1);
    assert_int_equal(KIND_ENERGY, 8);
    assert_int_equal(KIND_M3UPI, 15);
    assert_int_equal(UNCORE_NO_PMI, 9);
    assert_int_equal(SPACE_MMIO, 2);
    assert_int_equal(DECLARED_STORES, 4);
    assert_int_equal(STATE_RATIO, 2);
    assert_int_equal(METHOD_DELTAS, 1);
    assert_int_equal(EXPECT_RANGE, 2);
    assert_int_equal(SAMPLE_2N, 1);
    assert_int_equal(NOTE_REMARK, 2);
}

TEST(parts_do_not_grow)
{
    assert_int_equal(sizeof(struct journal_head), 32);
    assert_int_equal(sizeof(struct event), 128);
    assert_int_equal(sizeof(struct pass), 248);
    assert_int_equal(sizeof(struct slot), 8);
    assert_int_equal(sizeof(struct sample), 56 + 8 * 14);
    assert_int_equal(sizeof(struct msr_result), 16);
    assert_int_equal(sizeof(struct expect), 40);
    assert_int_equal(sizeof(struct state_item), 40);
    assert_int_equal(sizeof(struct tested_counter), 32);
    assert_int_equal(sizeof(struct cpu_caps), 200);
    assert_int_equal(sizeof(struct pmu_found), 200);
    assert_int_equal(sizeof(struct pmu_error), 24);
    assert_int_equal(sizeof(struct uncore_error), 32);
    assert_int_equal(sizeof(struct uncore_record_group), 16);
    assert_int_equal(sizeof(struct linux_record), 168);
    assert_int_equal(offsetof(struct run_record, number), 4);
    assert_int_equal(offsetof(struct run_record, version), 8);
}

/* In schema 2 the head of a sample is shorter, so zeros are inserted after it. */
TEST(samples_of_schema_2)
{
    enum { SLOTS = 3, SAMPLES = 5, STRIDE = 24 + 8 * SLOTS, HEAD = 112 };
    static alignas(8) char payload[HEAD + SAMPLES * STRIDE + sizeof(struct msr_result)];
    struct result *head = (struct result *)(void *)payload; /* only its first 112 bytes */
    const struct msr_result msr = {.msr = 0x34, .kind = MSR_OP_READ, .value = 77};
    const struct result *result;

    memset(payload, 0, sizeof(payload));
    head->samples = SAMPLES, head->stride_bytes = STRIDE, head->msrs_after = 1;
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct sample sample = {
            .pass = (uint16_t)i, .attempt = 3, .overflowed = 5, .tsc = 1000 + i};
        uint64_t raw[SLOTS] = {10 * i, 10 * i + 1, 10 * i + 2};

        memcpy(payload + HEAD + i * STRIDE, &sample, 24);
        memcpy(payload + HEAD + i * STRIDE + 24, raw, sizeof(raw));
    }
    memcpy(payload + HEAD + SAMPLES * STRIDE, &msr, sizeof(msr));
    begin_old(2, 592);
    run_append(RECORD_RESULT, payload, sizeof(payload));
    renew(run_bytes, run_journal.used);
    result = journal_payload(renewed_record(RECORD_RESULT));
    assert_int_equal(result_bytes(result), renewed_record(RECORD_RESULT)->payload_bytes);
    assert_int_equal(result->stride_bytes, SAMPLE_BYTES(SLOTS));
    for (unsigned i = 0; i < SAMPLES; i++) {
        const struct sample *sample = result_sample(result, i);

        assert_int_equal(sample->pass, i);
        assert_int_equal(sample->attempt, 3);
        assert_int_equal(sample->overflowed, 5);
        assert_int_equal(sample->tsc, 1000 + i);
        assert_int_equal(sample->aperf | sample->mperf | sample->gap_ticks | sample->limits, 0);
        assert_int_equal(sample->thermal | sample->package_thermal | sample->mc_changed, 0);
        for (unsigned s = 0; s < SLOTS; s++)
            assert_int_equal(sample->raw[s], 10 * i + s);
    }
    assert_memory_equal(result_msrs(result), &msr, sizeof(msr));
}
