/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel or phase that an interrupted run was about to start, and how it is reported. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/csv.h"
#include "tests/unit/fakes/json.h"
#include "tests/unit/fakes/next.h"
#include "pmu/files/render.h"

static char text[256 << 10];
static struct known_kernel changed;

/* add_probe() adds the kernel `changed` and a CPU. */
static void begin(void (*change)(struct run_record *run))
{
    run_begin(change, "");
    run_kernel("one", EXPECT_EXACT);
    changed = (struct known_kernel){.name = "probe", .title = "a probe", .n = RUN_N};
}

static void add_probe(void)
{
    run_append(RECORD_KERNEL, &changed, sizeof(changed));
    run_cpu(0, NULL);
    run_calibration();
}

static struct render rendered(void)
{
    return (struct render){run_bytes, run_journal.used, run_scratch, 256, false, false};
}

/* For example "probe (probe.bin) on CPU 1", "phase park: parking CPUs" or "nothing". */
static const char *last_kernel(void)
{
    static char said[128];
    struct out out = out_buffer(said, sizeof(said));
    struct render r = rendered();
    struct cut_off cut;

    if (!render_cut_off(&r, &cut))
        return "nothing";
    if (cut.phase) {
        render_phase_name(cut.phase, &out);
        out_text(&out, ": ");
        render_phase_words(cut.phase, &out);
        return out_end(&out);
    }
    render_cut_off_kernel(&cut, &out);
    out_text(&out, " on ");
    render_cut_off_cpus(&cut, &out);
    return out_end(&out);
}

/* A macro, so that failures show the caller's line. */
#define expect_last(kernel, partner, words)                                                        \
    do {                                                                                           \
        run_next(kernel, partner);                                                                 \
        assert_string_equal(last_kernel(), words);                                                 \
    } while (0)

/* render_take() keeps only the records before the first record with a wrong checksum. */
TEST(a_damaged_record_ends_a_journal)
{
    size_t before;

    begin(NULL);
    add_probe();
    before = run_journal.used;
    run_next(1, CPU_NONE);
    for (size_t byte = before; byte < run_journal.used; byte++) {
        struct render r = {.scratch = run_scratch, .scratch_count = 256};
        struct cut_off cut;

        run_bytes[byte] ^= 1;
        render_take(&r, run_bytes, run_journal.used);
        assert_int_equal(r.journal_bytes, before);
        assert_false(render_cut_off(&r, &cut));
        run_bytes[byte] ^= 1;
        render_take(&r, run_bytes, run_journal.used);
        assert_true(render_cut_off(&r, &cut));
    }
}

static const char *json(void)
{
    struct render r = rendered();
    struct out out = out_buffer(text, sizeof(text));

    assert_true(render_run_json(&r, &out));
    out_end(&out);
    assert_true(json_is_valid(text, strlen(text)));
    return text;
}

/* *others gets the number of the kernel's rows with another verdict or reason. */
static unsigned rows_of(const char *kernel, const char *verdict, const char *reason,
                        unsigned *others)
{
    struct render r = rendered();
    struct out out = out_buffer(text, sizeof(text));
    const char *at = text;
    struct csv_record record;
    bool right = true;
    unsigned alike = 0;

    *others = 0;
    assert_true(render_results_csv(&r, &out));
    while (csv_next(&at, text + out.used, &record, &right)) {
        if (strcmp(record.field[3], kernel) != 0)
            continue;
        if (strcmp(record.field[16], verdict) == 0 && strcmp(record.field[28], reason) == 0)
            alike++;
        else
            ++*others;
    }
    assert_true(right);
    return alike;
}

TEST(nothing_is_next)
{
    begin(NULL);
    add_probe();
    assert_string_equal(last_kernel(), "nothing");
    expect_last(0, CPU_NONE, "one on CPU 0");
    run_result(0, STATUS_OK);
    assert_string_equal(last_kernel(), "nothing");
    expect_last(1, CPU_NONE, "probe on CPU 0");
    run_end();
    assert_string_equal(last_kernel(), "nothing");
    expect_last(1, CPU_NONE, "nothing");
    assert_null(strstr(json(), "cut off"));
}

TEST(from_the_stick_with_a_partner)
{
    begin(NULL);
    strcpy(changed.file, "probe.bin");
    add_probe();
    expect_last(
        1, 3, "probe (probe.bin) on CPUs 0 and 3 (or a pair that began less than a second later)");
    begin(in_parallel);
    add_probe();
    expect_last(1, CPU_NONE, "probe on all CPUs");
    expect_last(1, 3, "probe on CPUs 0 and 3 (or a pair that began less than a second later)");
}

static void phase(enum phase_kind kind, uint32_t cpu, uint32_t detail)
{
    const struct phase one = {.kind = kind, .cpu = cpu, .detail = detail};

    run_append(RECORD_PHASE, &one, sizeof(one));
}

/* The next record that is not a note ends a phase. */
TEST(phases)
{
    begin(NULL);
    add_probe();
    phase(PHASE_PARK, CPU_NONE, 0);
    assert_string_equal(last_kernel(), "phase park: parking CPUs");
    run_note(NOTE_ERROR, "CPU 1 could not be parked");
    assert_string_equal(last_kernel(), "phase park: parking CPUs");
    phase(PHASE_STATE, 12, STATE_PREFETCH);
    assert_string_equal(last_kernel(), "phase state prefetch: setting prefetch on CPU 12");
    assert_non_null(strstr(json(), "\"the run was cut off while setting prefetch on CPU 12\""));
    phase(PHASE_UNCORE, 0, KIND_IMC);
    assert_string_equal(last_kernel(),
                        "phase uncore imc: testing the uncore counters imc with CPU 0");
    expect_last(1, CPU_NONE, "probe on CPU 0");
    phase(PHASE_START, 0, 1);
    assert_string_equal(last_kernel(), "phase start boot: starting and inspecting CPU 0");
    phase(PHASE_COUNTERS, 0, 1);
    assert_string_equal(last_kernel(), "phase counters boot: testing the counters of CPU 0");
    phase(PHASE_START, 1, 0);
    assert_string_equal(last_kernel(), "phase start: starting and inspecting CPU 1");
    run_result(1, STATUS_OK);
    assert_string_equal(last_kernel(), "nothing");
    phase(PHASE_START, 1, 0);
    run_end();
    phase(PHASE_START, 1, 0);
    assert_string_equal(last_kernel(), "nothing");
}

/* An invalid PHASE record ends the phase before it, but begins no phase. */
TEST(a_phase_that_cannot_be_right)
{
    begin(NULL);
    add_probe();
    phase(PHASES, 0, 0);
    assert_string_equal(last_kernel(), "nothing");
    phase(PHASE_WAKE, CPU_NONE, 0);
    phase((enum phase_kind)PHASE_NONE, CPU_NONE, 0);
    assert_string_equal(last_kernel(), "nothing");
    phase(PHASE_STATE, 0, STATE_SETTINGS);
    assert_string_equal(last_kernel(), "nothing");
    phase(PHASE_START, 0, 0);
    run_append(RECORD_PHASE, "short", 5);
    assert_string_equal(last_kernel(), "nothing");
}

TEST(a_next_that_cannot_be_right)
{
    begin(NULL);
    add_probe();
    expect_last(2, CPU_NONE, "nothing");
    expect_last(KERNEL_CALIBRATION, CPU_NONE, "nothing");
    run_cpu_record.cpu = 1;
    expect_last(1, CPU_NONE, "nothing");
    run_append(RECORD_CPU, &run_cpu_record, sizeof(run_cpu_record));
    expect_last(1, CPU_NONE, "nothing");
    begin(NULL);
    changed.n = 0;
    add_probe();
    expect_last(1, CPU_NONE, "nothing");
    run_append(RECORD_NEXT, "short", 5);
    assert_string_equal(last_kernel(), "nothing");
}

/* A SCHEDULE record after NEXT, even an invalid one, hides the kernel of NEXT. */
TEST(other_events_follow)
{
    unsigned others;

    begin(NULL);
    add_probe();
    run_next(1, CPU_NONE);
    run_append(RECORD_SCHEDULE, "short", 5);
    assert_string_equal(last_kernel(), "nothing");
    assert_int_equal(rows_of("probe", "fault", "", &others), 0);
    assert_int_equal(others, 0);
}

/* In a parallel run, an AGAIN or CPU record after NEXT means that the kernel has ended. */
TEST(another_cpu_ends_it)
{
    begin(in_parallel);
    add_probe();
    run_cpu(1, NULL);
    run_calibration();
    run_again(0, NULL);
    expect_last(1, CPU_NONE, "probe on all CPUs");
    run_again(0, NULL);
    assert_string_equal(last_kernel(), "nothing");
    expect_last(1, CPU_NONE, "probe on all CPUs");
    run_append(RECORD_CPU, &run_cpu_record, sizeof(run_cpu_record));
    assert_string_equal(last_kernel(), "nothing");
}

TEST(it_has_rows_and_an_error)
{
    static const char REASON[] = "the machine stopped in this kernel or lost power";
    unsigned others;

    begin(NULL);
    strcpy(changed.file, "probe.bin");
    add_probe();
    run_next(0, CPU_NONE);
    run_result(0, STATUS_OK);
    run_next(1, CPU_NONE);
    assert_int_equal(rows_of("probe", "fault", REASON, &others), EVENTS_COUNT + 1);
    assert_int_equal(others, 0);
    assert_int_equal(rows_of("one", "fault", REASON, &others), 0);
    assert_int_equal(others, EVENTS_COUNT + 1);
    assert_non_null(strstr(json(), "\"errors\": [\n    \"the run was cut off while CPU 0 ran probe "
                                   "(probe.bin)\"\n  ]"));
    assert_non_null(strstr(json(), "\"fault\": 14,"));
    assert_non_null(strstr(json(), "\"complete\": false"));
}

TEST(left_out_for_a_run)
{
    unsigned others;

    begin(NULL);
    changed.skipped_for = 7;
    add_probe();
    run_result(1, STATUS_SKIPPED_KERNEL);
    assert_int_equal(rows_of("probe", "fault",
                             "left out: the machine stopped in this kernel earlier, in run 0007",
                             &others),
                     EVENTS_COUNT + 1);
    begin(NULL);
    add_probe();
    run_result(1, STATUS_SKIPPED_KERNEL);
    assert_int_equal(
        rows_of("probe", "fault", "left out: the machine stopped in this kernel earlier", &others),
        EVENTS_COUNT + 1);
}

TEST(where_a_kernel_came_from)
{
    begin(NULL);
    changed = (struct known_kernel){.name = "probe",
                                    .title = "a probe",
                                    .family = "mine",
                                    .param = "size=4096;stride=64",
                                    .file = "probe.bin",
                                    .crc32 = 0xabc,
                                    .n = 5,
                                    .argument = 64,
                                    .buffer_bytes = 4096};
    add_probe();
    assert_non_null(strstr(json(), "{\"name\": \"probe\", \"title\": \"a probe\", "
                                   "\"family\": \"mine\", \"param\": \"size=4096;stride=64\", "
                                   "\"file\": \"probe.bin\", \"crc32\": \"0x00000abc\", "
                                   "\"n\": 5, \"argument\": 64, \"buffer_bytes\": 4096}"));
}
