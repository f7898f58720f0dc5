/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.txt: the console's report of a run, made from its journal. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/next.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/report/report.h"

static const struct noise QUIET[2] = {{.when = NOISE_BEFORE, .threshold_ticks = 3},
                                      {.when = NOISE_AFTER, .threshold_ticks = 3}};

static void two_kernels(struct run_record *run)
{
    run->cpus_planned = 2;
    run->kernels = 2;
}

static void odd_window(struct point *point)
{
    if (point->kernel == KERNEL_CALIBRATION && point->event == run_event("INST_RETIRED.ANY_P"))
        point->value += 5;
}

static void noise(unsigned cpu, enum noise_when when)
{
    struct noise one = QUIET[when];

    one.cpu = cpu;
    run_append(RECORD_NOISE, &one, sizeof(one));
}

static void measure(unsigned cpu, unsigned kernels)
{
    run_cpu(cpu, NULL);
    noise(cpu, NOISE_BEFORE);
    run_calibration();
    for (unsigned k = 0; k < kernels; k++)
        run_result(k, STATUS_OK);
    noise(cpu, NOISE_AFTER);
}

static void tell_live(struct out *to)
{
    static struct report report;
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head;
    struct tally tally = {0};

    report_start(&report, to, 2);
    view_start(&run_view, run_scratch, 256);
    while ((head = journal_next(&cursor))) {
        const struct result *calibrated = run_view.calibration;

        run_last = view_take(&run_view, &cursor, head);
        if (run_view.calibration && run_view.calibration != calibrated) {
            report_cpu(&report, &run_view);
            report_calibration(&report, &run_view);
        }
        if (run_last) {
            tally_rows(&tally, run_rows());
            report_result(&report, run_rows());
        }
        if (head->type == RECORD_NOISE && run_view.noise->when == NOISE_AFTER)
            report_cpu_end(&report, run_view.run, run_view.cpu->cpu, QUIET);
    }
    report_rows(&report, &tally);
}

TEST(it_says_what_the_console_said)
{
    static char live[32768];
    struct out to = out_buffer(live, sizeof(live));

    run_begin(two_kernels, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_NOTHING);
    run_hook = odd_window;
    measure(0, 2);
    measure(1, 2);
    run_end();
    tell_live(&to);
    render_as(report_summary_txt);
    assert_true(strlen(out_end(&to)) > 1000);
    has(live);
    has("barecount 1.0: hardware counters, with no operating system in between\n\nMachine   ");
    has("\nCPU       A CPU\n          Intel, family 6, model 85, stepping 0; CPUs: 0, usable: 0\n");
    has("\nPlan      built in: 2 CPUs, 2 kernels, 4 runs in 3 passes\n\nCPU 0 counts, on ");
    has("\nCPU 0 noise: before none");
    has("\nCPU 1: 2 kernels; rows: ");
    has("\n! CPU 1 INST_RETIRED.ANY_P: off in every row\n");
    assert_string_equal(strstr(text, "\nTime"), "\nTime      1.2 s\nFAIL 4\n");
}

static void emulated(struct run_record *run)
{
    run->emulated = true;
}

TEST(what_emulation_makes_of_cycles_and_of_times)
{
    run_begin(emulated, "");
    run_kernel("one", EXPECT_EXACT);
    measure(0, 1);
    run_end();
    render_as(report_summary_txt);
    has("\n          emulated: by formula\n");
    has("\nCycles are emulated: by formula; time stamp, gaps and rates are the host's time\n");
}

static void own_events(unsigned index, struct event *event)
{
    static const char *const NAMES[] = {"MEM_LOAD_RETIRED.L1_HIT", "L2_RQSTS.MISS",
                                        "LONGEST_LAT_CACHE:MISS", "loads_8B",
                                        "DTLB_LOAD_MISSES.WALK_COMPLETED"};
    const unsigned at = index - EVENTS_ANCHORS;

    if (index >= EVENTS_ANCHORS)
        snprintf(event->name, sizeof(event->name), "%s", at < 5 ? NAMES[at] : "another");
}

/* A column is 9 characters wide, including a blank. Two names end in the same word. */
TEST(columns_are_headed_by_names_that_fit)
{
    const unsigned first = EVENTS_ANCHORS;

    run_begin(NULL, "");
    run_change_event = own_events;
    run_kernel("one", EXPECT_NOTHING);
    measure(0, 1);
    run_end();
    render_as(report_summary_txt);
    has(formatted(
        "\ncyc/copy: core cycles per copy of what its title names; ~: samples not stable\n"
        "L1_HIT: MEM_LOAD_RETIRED.L1_HIT\n#%u: L2_RQSTS.MISS\n"
        "#%u: LONGEST_LAT_CACHE:MISS\n#%u: DTLB_LOAD_MISSES.WALK_COMPLETED\n"
        "kernel             cyc/copy   L1_HIT%9s%9s loads_8B%9s  verdict\n",
        first + 1, first + 2, first + 4, formatted("#%u", first + 1), formatted("#%u", first + 2),
        formatted("#%u", first + 4)));
}

static void abort_of_atom(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_ATOM;
    caps->features |= FEATURE_TSX_ABORT | FEATURE_HYBRID;
}

static void abort_of_core(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_CORE;
    caps->features |= FEATURE_TSX_ABORT | FEATURE_HYBRID;
}

static void otherwise(unsigned index, struct event *event)
{
    (void)index;
    if (strncmp(event->name, "BR_INST_RETIRED", 15) == 0)
        event->flags |= EVENT_OTHERWISE;
}

/* One message lists all events for which libpfm4's encoding is not the manufacturer's. */
TEST(lists_that_disagree)
{
    run_begin(NULL, "");
    run_change_event = otherwise;
    run_kernel("one", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_calibration();
    run_end();
    render_as(report_summary_txt);
    has(formatted("! %u, %u: lists of events disagree\n    the manufacturer's encoding is used; "
                  "libpfm4, which PAPI uses, has another\n    one under the same name\n",
                  run_event("BR_INST_RETIRED.ALL_BRANCHES"),
                  run_event("BR_INST_RETIRED.NEAR_TAKEN")));
}

/* Each erratum is printed once, below the first event that it affects. */
TEST(errata_are_told_once)
{
    static const char *const SENTENCES[] = {
        "a general counter may count instructions wrongly; the fixed counter of\n"
        "    INST_RETIRED.ANY does not\n",
        "branches may be counted wrongly; kernels that declare theirs show whether\n"
        "    they are\n",
        "microcode may use IA32_PMC3, so this counter is left out\n",
    };
    const unsigned any_p = run_event("INST_RETIRED.ANY_P"),
                   branches = run_event("BR_INST_RETIRED.ALL_BRANCHES"),
                   taken = run_event("BR_INST_RETIRED.NEAR_TAKEN");

    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_cpu(cpu, cpu == 0 ? abort_of_core : abort_of_atom);
        run_calibration();
    }
    run_end();
    render_as(report_summary_txt);
    has(formatted("event C0H, unit mask 00H, CPL 0\n! %u: erratum SKL091, SKL044\n    ", any_p));
    has(formatted("event C4H, unit mask 00H, CPL 0\n! %u, %u: erratum SKL091\n    ", branches,
                  taken));
    has("! pmc3: erratum TSX force abort\n    ");
    for (unsigned i = 0; i < sizeof(SENTENCES) / sizeof(SENTENCES[0]); i++) {
        const char *first = strstr(text, SENTENCES[i]);

        assert_non_null(first);
        assert_null(strstr(first + 1, SENTENCES[i]));
    }
    has(formatted("! %u: erratum SKL091, SKL044, as above\n", any_p));
    has(": erratum SKL091, as above\n");
    has("! pmc3: erratum TSX force abort, as above\n");
}

static void two_branches_more(struct point *point)
{
    if (point->kernel == 0 && point->event == run_event("BR_INST_RETIRED.NEAR_TAKEN"))
        point->value += 2;
}

static void two_branches_more_at_times(struct point *point)
{
    if (point->attempt % 2)
        two_branches_more(point);
}

static void two_branches_more_at_times_at_2n(struct point *point)
{
    if (point->kind == SAMPLE_2N)
        two_branches_more_at_times(point);
}

static void summary_of_two_kernels(void (*change)(struct cpu_caps *caps),
                                   void (*hook)(struct point *point))
{
    run_begin(two_kernels, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_NOTHING);
    run_hook = hook;
    run_cpu(0, change);
    run_calibration();
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
    run_end();
    render_as(report_summary_txt);
}

TEST(errata_are_compared_with_declared_counts)
{
    static void (*const HOOKS[])(struct point * point) = {
        two_branches_more, two_branches_more_at_times, two_branches_more_at_times_at_2n};

    for (size_t i = 0; i < sizeof(HOOKS) / sizeof(HOOKS[0]); i++) {
        summary_of_two_kernels(abort_of_core, HOOKS[i]);
        has("\nErrata    SKL091, SKL044: 0 of 1 declared count off\n"
            "          SKL091: 1 of 2 declared counts off\n");
    }

    run_begin(two_kernels, "");
    run_kernel("two", EXPECT_NOTHING);
    run_hook = NULL;
    run_cpu(0, abort_of_core);
    run_calibration();
    run_result(0, STATUS_OK);
    run_end();
    render_as(report_summary_txt);
    has("\nErrata    SKL091, SKL044: no declared count\n          SKL091: no declared count\n");
}

static void sierra_forest(struct cpu_caps *caps)
{
    caps->model = 0xaf;
    caps->core_type = CORE_TYPE_ATOM;
}

/* On Sierra Forest, two events count instructions, and two count branches. */
TEST(errata_of_one_name_have_one_line)
{
    summary_of_two_kernels(sierra_forest, NULL);
    has("\nErrata    SRF7, SRF6 and similar: 0 of 4 declared counts off\nTime ");
}

TEST(a_cpu_that_counts_nothing_shows_its_time_stamp)
{
    run_start("one", EXPECT_EXACT, no_pmu);
    run_calibration();
    run_result(0, STATUS_OK);
    run_end();
    render_as(report_summary_txt);
    has("\n\nCPU 0 counts no core events.\n\nMedians of 4 runs\n"
        "tsc/copy: TSC ticks per copy of what its title names; ~: samples not stable\n"
        "kernel             tsc/copy    ticks  verdict\n");
    has(formatted("\none %23s%9u  unavailable\n", "-", SLOPE_TSC * RUN_N));
}

/* Samples of kernel b vary at n, and samples of kernel c at 2n. */
static void spread(struct point *point)
{
    static const int64_t OFF[STATS_SPEAK_MIN] = {-500, -500, 0, 500, 500};

    if (point->kernel == (point->kind == SAMPLE_N ? 1 : 2))
        point->value += (uint64_t)OFF[point->attempt];
}

TEST(values_of_unstable_samples_are_marked)
{
    const char *value = formatted("%.2f", SLOPE_CYCLES / 3.0);

    run_begin(NULL, "");
    for (unsigned k = 0; k < 3; k++) {
        struct known_kernel kernel = {.n = RUN_N, .copies = 3, .name = {(char)('a' + k)}};

        run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    }
    run_cpu(0, NULL);
    run_hook = spread;
    run_calibration();
    for (unsigned k = 0; k < 3; k++)
        run_result_of(k, STATUS_OK, STATS_SPEAK_MIN, STATS_SPEAK_MIN);
    run_end();
    render_as(report_summary_txt);
    has(formatted("\na %25s ", value));
    has(formatted("\nb %25s ", formatted("~%s", value)));
    has(formatted("\nc %25s ", formatted("~%s", value)));
}

/* summary.txt leaves out notes on registers that were not restored. */
TEST(notes)
{
    run_begin(NULL, "");
    run_note(NOTE_ERROR, "plan.cfg:3: a word");
    run_kernel("one", EXPECT_EXACT);
    run_note(NOTE_EXCEPTION, "left");
    measure(0, 0);
    run_note(NOTE_REMARK, "behind the calibration");
    run_result(0, STATUS_OK);
    run_cpu(1, NULL);
    noise(1, NOISE_BEFORE);
    run_note(NOTE_REMARK, "of its noise");
    run_calibration();
    run_result(0, STATUS_OK);
    run_end();
    render_as(report_summary_txt);
    has("in 3 passes\n! plan.cfg:3: a word\n\nCPU 0 counts");
    has("verdict\n- behind the calibration\none ");
    has("\nCPU 0 noise: before none, SMIs not counted; after none, SMIs not counted\n"
        "- of its noise\nCPU 1: 1 kernel; ");
    has_not("left");
}

static void stopped(struct run_record *run)
{
    run->plan_errors = 1;
    run->plan_flags = RUN_PLAN_KNOWN | RUN_PLAN_STRICT;
}

TEST(a_plan_that_was_refused)
{
    run_begin(stopped, "");
    run_end();
    render_as(report_summary_txt);
    has("\n! plan errors: 1; strict=yes: nothing is measured\n");
    assert_string_equal(strstr(text, "\nRows"), "\nRows      none\nTime      1.2 s\n"
                                                "NOT MEASURED strict=yes, 1 plan error\n");
}

TEST(a_run_that_was_cut_off)
{
    run_start("one", EXPECT_EXACT, NULL);
    noise(0, NOISE_BEFORE);
    run_calibration();
    run_next(0, CPU_NONE);
    render_as(report_summary_txt);
    has("\nCPU 0 noise: before none, SMIs not counted\n");
    has("the machine stopped in this kernel or lost power");
    assert_string_equal(strstr(text, "\n! the run"),
                        formatted("\n! the run was cut off while CPU 0 ran one\n"
                                  "FAIL %u, up to where the run was cut off\n",
                                  EVENTS_COUNT + 1));
}

/* Within a kernel, results are in the order of the pairs. */
TEST(pairs)
{
    struct known_kernel kernel = {.name = "lines", .n = RUN_N, .flags = KNOWN_PAIR};

    run_begin(two_kernels, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_cpu(cpu, NULL);
        run_calibration();
    }
    for (unsigned i = 0; i < 4; i++) {
        run_again(i % 2, NULL);
        run_partner = 1 - i % 2;
        run_result(i / 2, STATUS_OK);
    }
    run_end();
    render_as(report_summary_txt);
    assert_int_equal(times("\nlines: cycles for each n, medians: row's CPU"), 2);
    assert_int_equal(times(formatted("       0      -    %u.0\n       1    %u.0      -\n",
                                     SLOPE_CYCLES, SLOPE_CYCLES)),
                     2);
}
