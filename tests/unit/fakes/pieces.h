/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits a journal into records, reassembles changed records with valid checksums, and renders the
 * result. Rendering must not fault, and must give valid files.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PIECES_H
#define BARECOUNT_TESTS_UNIT_FAKES_PIECES_H

#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/csv.h"
#include "tests/unit/fakes/html.h"
#include "tests/unit/fakes/json.h"
#include "tests/unit/fakes/next.h"
#include "tests/unit/fakes/run_uncore.h"
#include "pmu/report/report.h"

#define RECORDS_MAX   48u
#define SCRATCH_COUNT 3u /* fewer than the samples of a pass */

static char text[1 << 20];

struct journal_piece {
    uint32_t type;
    size_t size;
    char *payload;
};
static struct journal_piece pieces[RECORDS_MAX];
static unsigned pieces_count;

/* Only CPU 0 counts its package's events. */
static inline void outside(unsigned cpu)
{
    run_more_count = 0;
    if (cpu != 0)
        return;
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES)->select = 0x304;
    run_uncore_event("dram_energy_uJ", KIND_ENERGY, 2, UNIT_MICROJOULES)->extra = UINT64_MAX / 3;
}

static inline void write_run(void)
{
    static const struct msr_result MSRS[] = {{.msr = 0x34, .kind = MSR_OP_READ, .value = 7},
                                             {.msr = 0x1a4, .kind = MSR_OP_WRITE, .fault = 1},
                                             {.kind = MSR_OP_RDTSC, .value = UINT64_MAX}};
    const struct noise noise = {.threshold_ticks = 3,
                                .runtime_ticks = 1000,
                                .noise_ticks = 6,
                                .gaps = 1,
                                .unexplained = 1,
                                .longest_ticks = 6,
                                .smis_known = 1,
                                .aperf = 800,
                                .mperf = 900,
                                .bucket = {0, 1}};
    static const char TRUST[] = "0,,os,r00c0,pmc0,0001-1,right,exact\n"
                                "0,,os,r81d0,pmc3,0001-1,wrong,factor 2, constant +1\n";
    const struct phase phase = {.kind = PHASE_STATE, .detail = STATE_RATIO};
    static struct cpu_state set = {.items = STATE_ITEMS_MAX};
    struct uncore_record uncore = run_uncore_of(0);
    struct counter_tests tested = {.counters = 1, .counter = {{.fault = COUNTER_CARRY}}};

    uncore.error[1] = (struct uncore_error){.status = STATUS_UNCORE_KEPT,
                                            .space = SPACE_PCI,
                                            .address = 0xa20f4,
                                            .written = 1,
                                            .read = 2};
    uncore.group[1].fault = UNCORE_STUCK;
    for (unsigned i = 0; i < STATE_ITEMS_MAX; i++)
        set.item[i] = (struct state_item){.setting = i % STATE_SETTINGS,
                                          .msr = 0x1a0 + i,
                                          .found = 1,
                                          .asked = UINT64_MAX,
                                          .got = UINT64_MAX,
                                          .status = i % 2 ? STATUS_READ_BACK : STATUS_OK,
                                          .kept = i % 2};
    memcpy(run_msrs, MSRS, sizeof(MSRS));
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        outside(cpu);
        run_cpu(cpu, cpu ? no_pmu : NULL);
        if (cpu == 0)
            run_uncore(&uncore);
        run_append(RECORD_TRUST, TRUST, sizeof(TRUST));
        run_append(RECORD_TEST, &tested, sizeof(tested));
        set.cpu = cpu;
        run_append(RECORD_STATE, &set, sizeof(set));
        run_append(RECORD_NOISE, &noise, sizeof(noise));
        run_calibration();
        run_append(RECORD_PHASE, &phase, sizeof(phase));
        run_next(0, CPU_NONE);
        run_result_of(0, STATUS_OK, RUN_RUNS, 1);
        run_result_of(1, STATUS_OK, RUN_RUNS, 0);
    }
    run_msrs_before = 1;
    run_msrs_after = 2;
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        outside(cpu);
        run_again(cpu, cpu ? no_pmu : NULL);
        run_result_of(0, STATUS_OK, 1, 1);
    }
    run_note(NOTE_ERROR, "an error");
    run_next(1, 0);
    run_end();
}

static inline void take_apart(void)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head;

    for (pieces_count = 0; (head = journal_next(&cursor)); pieces_count++) {
        struct journal_piece *piece = &pieces[pieces_count];

        *piece = (struct journal_piece){head->type, head->payload_bytes,
                                        malloc(head->payload_bytes + 1)};
        assert_non_null(piece->payload);
        memcpy(piece->payload, journal_payload(head), piece->size);
    }
}

static inline void throw_away(void)
{
    while (pieces_count > 0)
        free(pieces[--pieces_count].payload);
}

static inline void check_csv(size_t size, unsigned fields)
{
    const char *at = text;
    struct csv_record record;
    bool right = true;

    while (csv_next(&at, text + size, &record, &right))
        assert_int_equal(record.fields, fields);
    assert_true(right);
}

static inline void render_all(const void *journal, size_t size)
{
    int64_t *scratch = malloc(SCRATCH_COUNT * sizeof(*scratch));
    struct render r = {.scratch = scratch, .scratch_count = SCRATCH_COUNT};
    struct out out = out_buffer(text, sizeof(text));
    const struct index_file index = {.is_cut = false};

    assert_non_null(scratch);
    render_take(&r, journal, size);
    assert_true(render_results_csv(&r, &out));
    check_csv(out.used, 50);
    out = out_buffer(text, sizeof(text));
    assert_true(render_samples_csv(&r, &out));
    check_csv(out.used, 24);
    out = out_buffer(text, sizeof(text));
    assert_true(render_summary_html(&r, &out));
    if (!html_is_valid(out_end(&out)) || out.used > SUMMARY_BYTES_MAX)
        fail_msg("no page: %s", text);
    out = out_buffer(text, sizeof(text));
    assert_true(report_summary_txt(&r, &out));
    out = out_buffer(text, sizeof(text));
    assert_true(render_trust_csv(&r, &out));
    check_csv(out.used, 16);
    out = out_buffer(text, sizeof(text));
    assert_true(render_trust_map(&r, &out));
    out = out_buffer(text, sizeof(text));
    if (render_index_line(&r, &index, &out))
        check_csv(out.used, 6);
    out = out_buffer(text, sizeof(text));
    assert_true(render_run_json(&r, &out));
    if (!json_is_valid(text, out.used))
        fail_msg("no JSON: %s", out_end(&out));
    free(scratch);
}

/*
 * The buffer has exactly the needed size. If `extra` is not null, the record `extra` is inserted
 * before the record with the index `before`.
 */
static inline void render_with(const struct journal_piece *extra, unsigned before)
{
    struct journal journal = {.run_id = RUN_ID, .size = extra ? JOURNAL_BYTES(extra->size) : 0};

    for (unsigned i = 0; i < pieces_count; i++)
        journal.size += JOURNAL_BYTES(pieces[i].size);
    journal.bytes = malloc(journal.size + (journal.size == 0));
    assert_non_null(journal.bytes);
    for (unsigned i = 0; i < pieces_count; i++) {
        if (extra && i == before)
            assert_true(journal_append(&journal, extra->type, extra->payload, extra->size));
        assert_true(journal_append(&journal, pieces[i].type, pieces[i].payload, pieces[i].size));
    }
    render_all(journal.bytes, journal.size);
    free(journal.bytes);
}

static inline void render_pieces(void)
{
    render_with(NULL, 0);
}

#endif
