/* SPDX-License-Identifier: BSD-2-Clause */
/* samples.csv, and a run's line in index.csv. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"

static uint16_t evidence_by_attempt(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION ? 0 : (uint16_t)point->attempt;
}

TEST(samples_one_by_one)
{
    static const char *const EVIDENCE[] = {"", "smi", "nmi", "smi nmi"};
    unsigned lines = 0, slots = 0;

    run_start("k", EXPECT_EXACT, NULL);
    run_evidence = evidence_by_attempt;
    run_calibration();
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    while (next_line()) {
        unsigned event, attempt, twice;

        lines++;
        expect_all("cpu=0; kernel=k");
        event = run_event(record.field[4]);
        attempt = (unsigned)(record.field[6][0] - '0');
        twice = strcmp(record.field[3], "2000") == 0;
        expect("raw", formatted("%llu", (unsigned long long)run_value(
                                            0, event, twice ? SAMPLE_2N : SAMPLE_N)));
        expect("n", twice ? "2000" : "1000");
        expect("tsc",
               formatted("%llu", (unsigned long long)run_tsc((unsigned)(record.field[5][0] - '0'),
                                                             twice ? 2 * RUN_N : RUN_N)));
        expect("accepted", attempt == 0 ? "1" : "0");
        expect("evidence", EVIDENCE[attempt]);
        expect("smis", "");
        expect("nmis", attempt & EVIDENCE_NMI ? "2" : "0");
    }
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        slots += EVENTS[e].fixed_only ? run_schedule.passes : 1;
    assert_int_equal(lines, slots * (RUN_RUNS + RUN_TWICE));
    assert_memory_equal(text,
                        "cpu,kernel,param,n,event,pass,attempt,accepted,evidence,smis,nmis,"
                        "tsc,raw,overflowed,reference,core_per_reference,mperf,aperf,thermal,"
                        "package_thermal,limits,machine_checks,gap_ticks,partner\r\n",
                        191);
}

static void hostile_names(struct run_record *run)
{
    strcpy(run->label, "rack \"7\", top");
    strcpy(run->smbios.uuid, "12-34");
}

static void hostile_brand(struct cpu_caps *caps)
{
    strcpy(caps->brand, "A \"CPU\", 2 GHz");
}

static const char *index_line(const struct index_file *index)
{
    struct render r = {run_bytes, run_journal.used, run_scratch, 256, false, false};
    struct out out = out_buffer(text, sizeof(text));

    assert_true(render_index_line(&r, index, &out));
    return out_end(&out);
}

TEST(the_line_of_the_index)
{
    const struct index_file old = {.columns = 6}, new = {.is_new = true, .columns = 7},
                            cut = {.is_cut = true, .columns = 7, .further = 2};
    struct render none = {run_bytes, 0, run_scratch, 256, false, false};
    struct out out = out_buffer(text, sizeof(text));
    struct tally tally;

    run_begin(hostile_names, "");
    run_kernel("k", EXPECT_EXACT);
    run_cpu(0, hostile_brand);
    run_calibration();
    run_result(0, STATUS_OK);
    assert_string_equal(index_line(&old), "0012,\"rack \"\"7\"\", top\",2026-11-21T08:00:00,"
                                          "\"A \"\"CPU\"\", 2 GHz\",12-34,INTERRUPTED\r\n");
    run_end();
    assert_ptr_equal(
        strstr(index_line(&new), "number,label,time,model,uuid,verdict,plan_errors\r\n0012,"),
        text);
    assert_non_null(strstr(text, ",12-34,PASS,\r\n"));
    assert_ptr_equal(strstr(index_line(&cut), "\r\n0012,"), text);
    assert_non_null(strstr(text, ",12-34,PASS,,,\r\n"));
    assert_false(render_index_line(&none, &old, &out));
    assert_false(render_tally(&none, &tally));
}

static void two_errors(struct run_record *run)
{
    run->plan_errors = 2;
    run->plan_flags = RUN_PLAN_KNOWN;
}

static void strict(struct run_record *run)
{
    two_errors(run);
    run->plan_flags |= RUN_PLAN_STRICT;
}

TEST(the_index_has_the_plan_s_errors)
{
    const struct index_file old = {.columns = 6}, new = {.columns = 7, .further = 1};

    run_begin(two_errors, "");
    run_kernel("k", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_measure(0);
    run_end();
    assert_non_null(strstr(index_line(&new), ",PASS,2,\r\n"));
    assert_non_null(strstr(index_line(&old), ",PASS\r\n"));
    run_begin(strict, "");
    run_end();
    assert_non_null(strstr(index_line(&new), ",NOT MEASURED strict=yes,2,\r\n"));
}

TEST(samples_without_counters)
{
    unsigned lines = 0;

    run_start("k", EXPECT_EXACT, no_pmu);
    run_calibration();
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    while (next_line()) {
        lines++;
        expect("event", "TSC");
        assert_string_equal(value_of("raw"), value_of("tsc"));
    }
    assert_int_equal(lines, RUN_RUNS + RUN_TWICE);
}

TEST(samples_of_no_pass)
{
    unsigned lines = 0;

    run_start("k", EXPECT_EXACT, NULL);
    run_schedule.passes = 1;
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(1));
    run_schedule.passes = 3;
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    while (next_line()) {
        lines++;
        expect("pass", "0");
    }
    assert_int_equal(lines, run_schedule.pass[0].slots * (RUN_RUNS + RUN_TWICE));
}

static void three_less(struct point *point)
{
    point->value = (uint64_t)-3;
}

TEST(samples_of_differences)
{
    unsigned lines = 0;

    run_begin(differences, "");
    run_kernel("k", EXPECT_NOTHING);
    run_cpu(0, NULL);
    run_hook = three_less;
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    while (next_line()) {
        lines++;
        expect("raw", "-3");
    }
    assert_true(lines > 0);
}

static uint16_t all_evidence(const struct point *point)
{
    (void)point;
    return EVIDENCE_SMI | EVIDENCE_NMI | EVIDENCE_OVERFLOW | EVIDENCE_REGISTER | EVIDENCE_THERMAL |
           EVIDENCE_CLOCK | EVIDENCE_LIMIT | EVIDENCE_MACHINE | EVIDENCE_GAP;
}

TEST(samples_with_all_evidence)
{
    run_start("k", EXPECT_EXACT, no_pmu);
    run_evidence = all_evidence;
    run_smis = 3;
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    while (next_line()) {
        expect_all("evidence=smi nmi overflow register thermal clock limit machine-check gap; "
                   "smis=3; nmis=2; accepted=0");
    }
}
