/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.txt: answers that the model machine cannot provoke. tests/image/test_check.py tests the
 * other answers.
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/next.h"
#include "tests/unit/fakes/run_files.h"
#include "tests/unit/fakes/run_uncore.h"
#include "pmu/events/text.h"
#include "pmu/report/report.h"

#define TSC_HZ 2000000000ull

static void steady(struct cpu_caps *caps)
{
    caps->features |= FEATURE_TSC_CONST;
}

static void of_two(struct run_record *run)
{
    run->cpus_planned = run->cpus_found = 2;
    run->tsc_hz = TSC_HZ;
    run->tsc_measured_hz = TSC_HZ;
    run->tsc_source = TSC_CPUID_15H;
    run->plan_flags = RUN_CHECK;
}

/* `lost`: ticks of all gaps in a second. `longest`: ticks of the longest gap. */
static void watch(unsigned cpu, uint64_t lost, uint64_t longest, uint32_t smis)
{
    struct noise noise = {.cpu = cpu,
                          .threshold_ticks = 2000,
                          .runtime_ticks = TSC_HZ,
                          .noise_ticks = lost,
                          .longest_ticks = longest,
                          .gaps = lost / (longest ? longest : 1),
                          .smis_known = 1,
                          .smis = smis};

    noise.unexplained = noise.gaps;
    if (noise.gaps > 0) {
        unsigned bucket = 0;

        while (longest >> bucket >= 2 * noise.threshold_ticks)
            bucket++;
        noise.bucket[bucket] = (uint32_t)noise.gaps;
    }
    run_append(RECORD_NOISE, &noise, sizeof(noise));
}

static void tested(unsigned cpu)
{
    struct counter_tests tests = {.cpu = cpu, .counters = 7, .general_named = 4, .general_kept = 4};

    for (unsigned i = 0; i < 7; i++)
        tests.counter[i] = (struct tested_counter){.fixed = i > 3, .counter = (uint8_t)(i % 4)};
    run_append(RECORD_TEST, &tests, sizeof(tests));
}

static void measured(unsigned cpu)
{
    run_cpu(cpu, steady);
    tested(cpu);
    watch(cpu, 0, 0, 0);
    run_calibration();
    run_result(0, STATUS_OK);
}

static void two_good_cpus(void (*change)(struct run_record *run))
{
    run_begin(change, "");
    run_kernel("one", EXPECT_EXACT);
    measured(0);
    measured(1);
}

/* Joins the wrapped lines. */
static void page(void)
{
    static const char WRAP[] = "\n          ";
    char *wrap;

    render_as(report_check_txt);
    while ((wrap = strstr(text, WRAP))) {
        *wrap = ' ';
        memmove(wrap + 1, wrap + strlen(WRAP), strlen(wrap + strlen(WRAP)) + 1);
    }
}

static void of_strix_point(struct cpu_caps *caps)
{
    snprintf(caps->vendor_id, sizeof(caps->vendor_id), "AuthenticAMD");
    snprintf(caps->brand, sizeof(caps->brand), "AMD Ryzen AI 9  ");
    caps->vendor = VENDOR_AMD;
    caps->family = 0x1a;
    caps->model = 0x24;
}

TEST(the_cores_of_amd_have_names)
{
    run_begin(of_two, "");
    run_kernel("one", EXPECT_EXACT);
    run_make_cpu(0, steady);
    of_strix_point(&run_cpu_record.caps);
    run_describe();
    run_end();
    page();
    has("\nMachine   AMD Ryzen AI 9 (Zen 5 and Zen 5c)\nCPUs ");
}

/*
 * 506 ppm are the timer's error plus its resolution (pmu/cpu/tsc.h). Each of the two CPUs has six
 * events with a declared count.
 */
TEST(everything_can_be_believed)
{
    two_good_cpus(of_two);
    run_end();
    assert_true(
        report_has_check(&(struct render){run_bytes, run_journal.used, NULL, 0, false, false}));
    page();
    assert_string_equal(text,
                        "What can be believed on this machine\n"
                        "Machine   A CPU\n"
                        "CPUs      Yes. CPUs measured: 2 of 2.\n"
                        "Counters  Yes. PMU version 4: 4 general counters and 3 fixed ones passed "
                        "their test on every CPU.\n"
                        "Counts    Yes. All rows with a known count are right: 12.\n"
                        "Time      Yes. The time stamp's rate is known within 506 ppm.\n"
                        "Quiet     Yes. Nothing interrupted a CPU while it was watched.\n"
                        "Uncore    Not known. The plan counts no uncore event.\n");
}

static void no_check(struct run_record *run)
{
    of_two(run);
    run->plan_flags = 0;
}

TEST(a_plan_that_does_not_ask_has_no_page)
{
    two_good_cpus(no_check);
    assert_false(
        report_has_check(&(struct render){run_bytes, run_journal.used, NULL, 0, false, false}));
}

static void rate_unknown(struct run_record *run)
{
    of_two(run);
    run->tsc_source = TSC_UNKNOWN;
}

static void rate_doubtful(struct run_record *run)
{
    of_two(run);
    run->tsc_measured_hz = TSC_HZ + TSC_HZ / 50;
}

static void rate_rough(struct run_record *run)
{
    of_two(run);
    run->tsc_measured_hz = TSC_HZ + TSC_HZ / 1000; /* 999 + 506 ppm */
}

TEST(the_rate_of_the_time_stamp)
{
    two_good_cpus(rate_unknown);
    page();
    has("\nTime      No. The time stamp's rate is not known.\n");
    two_good_cpus(rate_doubtful);
    page();
    has("\nTime      With care. The rate of the time stamp, from CPUID.15H, is not what the ACPI "
        "timer shows.\n");
    two_good_cpus(rate_rough);
    page();
    has("\nTime      With care. The time stamp's rate is known within 1505 ppm.\n");
}

/* Gaps of 1 ms in a second are 0.1 %. A tick is half a nanosecond. */
TEST(how_quiet_the_cpus_are)
{
    two_good_cpus(of_two);
    watch(1, 2000000, 500000, 0);
    page();
    has("\nQuiet     Yes. Gaps on CPU 1 took up to 0.100 % of a CPU's time, the longest 250 "
        "us. SMIs: 0, NMIs: 0.\n");
    watch(0, 2000400, 500100, 0);
    page();
    has("\nQuiet     With care. Gaps on every CPU took up to 0.101 % of a CPU's time, the "
        "longest 250 us. SMIs: 0, NMIs: 0.\n");
    two_good_cpus(of_two);
    watch(1, 0, 0, 3);
    page();
    has("\nQuiet     With care. Gaps on CPU 1 took up to 0.000 % of a CPU's time, the longest "
        "0 us. SMIs: 3, NMIs: 0.\n");
}

TEST(a_run_that_was_cut_off)
{
    const struct end_record end = {.stopped = STOPPED_BY_MACHINE_CHECK};

    two_good_cpus(of_two);
    page();
    has("\nComplete  No. This page is about a part of the run: the run was cut off.\n");
    has("\nCounts    Yes. ");
    run_append(RECORD_END, &end, sizeof(end));
    page();
    has("\nComplete  No. This page is about a part of the run: a machine check ended the "
        "run.\n");
}

TEST(a_cpu_that_stopped_answering)
{
    two_good_cpus(of_two);
    run_result(0, STATUS_TIMEOUT);
    run_note(NOTE_ERROR, "CPU 1, one: the CPU did not answer within its time limit");
    run_end();
    page();
    has("\nErrors    With care. The run has 1 error: see the lines with '!' in summary.txt.\n");
    has("\nCPUs      No. CPU 1 did not answer: believe nothing that was counted there.\n");
    has("\nCounts    No. Rows with a known count that are right: 6. 14 rows failed; the first: one "
        "on "
        "CPU 1: timeout, all 14 rows: the CPU did not answer within its time limit.\n");
}

static void untested(unsigned cpu, enum status status)
{
    const struct counter_tests tests = {.cpu = cpu, .status = status};

    run_append(RECORD_TEST, &tests, sizeof(tests));
}

TEST(counters_that_could_not_be_tested)
{
    run_begin(of_two, "");
    run_kernel("one", EXPECT_EXACT);
    run_cpu(0, steady);
    untested(0, STATUS_READ_BACK);
    run_end();
    page();
    has("\nCounters  No. No counter was tested on CPU 0: a performance-monitor register did "
        "not keep what was written.\n");
    has("\nCPUs      With care. CPUs measured: 1 of 2.\n");
    has("\nQuiet     Not known. No CPU was watched for gaps.\n");
}

/* `change` and `status` apply to the second CPU, which has no counter test. */
static void second_cpu(void (*change)(struct cpu_caps *caps), enum status status)
{
    run_begin(of_two, "");
    run_kernel("one", EXPECT_EXACT);
    measured(0);
    run_make_cpu(1, change);
    run_cpu_record.status = status;
    run_describe();
}

static void no_counters(struct cpu_caps *caps)
{
    steady(caps);
    caps->gp_count = caps->fixed_map = 0;
}

/* Counters get the answer `Yes` only if their test is in the journal. */
TEST(only_cpus_that_were_tested_passed)
{
    second_cpu(steady, STATUS_OK);
    page();
    has("\nCounters  No. No counter was tested on CPU 1: the firmware has no memory "
        "left.\n");
    second_cpu(no_counters, STATUS_SKIPPED_PHASE);
    page();
    has("\nCounters  No. Nothing is counted on CPU 1: left out: the machine stopped in this "
        "phase ");
    second_cpu(no_counters, STATUS_OK);
    page();
    has("\nCounters  No. Nothing is counted on CPU 1: CPUID.0AH reports no performance monitor ");
    second_cpu(steady, STATUS_START_FAILED);
    page();
    has("\nCPUs      No. CPU 1 did not answer: ");
    has("\nCounters  Yes. PMU version 4: 4 general counters and 3 fixed ones passed their test on "
        "CPU "
        "0.\n");
}

static void larger(struct cpu_caps *caps)
{
    steady(caps);
    caps->gp_count = 8;
    caps->fixed_map = 0xf;
}

TEST(core_types_that_differ)
{
    second_cpu(larger, STATUS_OK);
    tested(1);
    page();
    has("\nCounters  Yes. PMU version 4: 4 to 8 general counters and 3 to 4 fixed ones passed "
        "their "
        "test on every CPU.\n");
}

static void watch_fails(unsigned cpu, enum status status)
{
    const struct noise noise = {.cpu = cpu, .status = status};

    run_append(RECORD_NOISE, &noise, sizeof(noise));
}

TEST(a_watch_that_failed)
{
    two_good_cpus(of_two);
    watch_fails(1, STATUS_TSC);
    page();
    has("\nTime      No. The time stamp of CPU 1 stands still or goes backwards.\n");
    has("\nQuiet     With care. CPU 1 was not watched to the end: the time stamp stands still ");
    two_good_cpus(of_two);
    watch_fails(1, STATUS_TIMEOUT);
    page();
    has("\nCPUs      No. CPU 1 did not answer: ");
    watch_fails(0, STATUS_TIMEOUT);
    page();
    has("\nCPUs      No. No CPU answered all the time.\n");
    has_not("\nCounters");
}

static void only_boot(struct run_record *run)
{
    of_two(run);
    run->cpus_found = 1;
    run->plan_flags |= RUN_ONLY_BOOT;
}

static void too_many(struct run_record *run)
{
    of_two(run);
    run->plan_flags |= RUN_NOT_ALL;
}

TEST(cpus_that_the_program_cannot_have)
{
    run_begin(only_boot, "");
    run_kernel("one", EXPECT_EXACT);
    measured(0);
    page();
    has("\nCPUs      With care. The firmware lets the program use only the boot CPU.\n");
    two_good_cpus(too_many);
    page();
    has("\nCPUs      With care. There are more CPUs than the 2 that were measured.\n");
}

TEST(no_cpu_at_all)
{
    run_begin(of_two, "");
    page();
    assert_string_equal(text, "What can be believed on this machine\n"
                              "Machine   no CPU answered\n"
                              "Complete  No. This page is about a part of the run: the run was cut "
                              "off.\n"
                              "CPUs      No. No CPU was measured.\n");
}

/* The first notes name registers that are never restored. The page ignores these notes. */
TEST(registers_that_were_not_put_back)
{
    run_begin(of_two, "");
    run_note(NOTE_EXCEPTION, "contents of IA32_PMCx");
    run_kernel("one", EXPECT_EXACT);
    measured(0);
    page();
    has_not("\nRestored");
    run_note(NOTE_EXCEPTION, "CPU 0: not as it was found");
    page();
    has("\nRestored  No. 1 register could not be put back as found: see run.json.\n");
}

/*
 * The second CPU's first pass could not be programmed. That pass contains five of the six declared
 * events.
 */
TEST(counts_that_could_not_be_taken)
{
    two_good_cpus(of_two);
    run_program_errors = 1u << 0;
    run_kernel("two", EXPECT_EXACT);
    run_result(1, STATUS_OK);
    run_end();
    page();
    has("\nCounts    With care. Rows with a known count that are right: ");
    has("; the first: a performance-monitor register did not keep what was written.\n");
}

static void varies(struct point *point)
{
    if (point->kernel == KERNEL_CALIBRATION)
        point->value += point->attempt % 2;
}

TEST(no_row_is_right)
{
    run_begin(of_two, "");
    run_kernel("one", EXPECT_EXACT);
    run_hook = varies;
    measured(0);
    page();
    has("\nCounts    No. No row with a known count is right. The counters of ");
}

static void of_uncore(struct run_record *run)
{
    of_two(run);
    run->plan_flags |= RUN_UNCORE;
}

static void uncore(uint32_t status)
{
    const struct uncore_record record = {.cpu = run_cpu_record.cpu, .status = status};

    run_append(RECORD_UNCORE, &record, sizeof(record));
}

TEST(packages_without_an_answer)
{
    two_good_cpus(of_uncore);
    page();
    has("\nUncore    No. Packages that could not be looked at: 1 of 1.\n");
    run_begin(of_uncore, "");
    run_kernel("one", EXPECT_EXACT);
    run_cpu(0, steady);
    uncore(STATUS_SKIPPED_PHASE);
    page();
    has("\nUncore    No. Nothing is counted: left out: the machine stopped in this phase ");
    run_begin(of_uncore, "");
    run_kernel("one", EXPECT_EXACT);
    run_cpu(0, steady);
    uncore(STATUS_OK);
    run_result(0, STATUS_TIMEOUT);
    measured(1);
    page();
    has("\nUncore    No. CPU 0, which counts for its package, did not answer.\n");
}

static void in_package_1(struct cpu_caps *caps)
{
    steady(caps);
    caps->package = 1;
}

static void units_of(unsigned package, enum status energy, enum uncore_fault memory)
{
    struct uncore_record record = run_uncore_of(package);

    record.package = package;
    record.group[1].fault = (uint8_t)memory;
    record.group[2].status = energy;
    record.group[2].fault = UNCORE_UNTESTED;
    run_cpu(package, package == 0 ? steady : in_package_1);
    run_uncore(&record);
}

static void of_memory_and_energy(void)
{
    run_begin(of_uncore, "");
    run_kernel("one", EXPECT_EXACT);
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES);
    run_uncore_event("package_energy_uJ", KIND_ENERGY, 1, UNIT_MICROJOULES);
}

/* No event needs the slices (CHA), so the page does not name them. */
TEST(units_without_a_test)
{
    of_memory_and_energy();
    units_of(0, STATUS_OK, UNCORE_RIGHT);
    page();
    has("\nUncore    With care. These passed their test: imc. Counted without a test: energy.\n");
    units_of(1, STATUS_OK, UNCORE_UNTESTED);
    page();
    has("\nUncore    With care. Counted without a test: imc, energy.\n");
    of_memory_and_energy();
    units_of(0, STATUS_MSR_FAULT, UNCORE_RIGHT);
    page();
    has("\nUncore    With care. These passed their test: imc. But energy of package 0 is not "
        "counted: ");
}

TEST(units_that_one_package_lacks)
{
    struct uncore_record nothing = {.cpu = 1, .package = 1, .status = STATUS_SKIPPED_PHASE};

    of_memory_and_energy();
    units_of(0, STATUS_OK, UNCORE_RIGHT);
    run_cpu(1, in_package_1);
    run_uncore(&nothing);
    page();
    has("\nUncore    No. No kind of unit is counted in all packages: left out: the machine ");
}

static void more(const char *name, uint64_t select)
{
    event_begin((struct piece){name, strlen(name)}, RING_OS, &run_more[run_more_count]);
    run_more[run_more_count++].select = select;
}

static void too_many_hits(struct point *point)
{
    if (point->event >= EVENTS_COUNT)
        point->value = point->kernel == KERNEL_CALIBRATION ? 0 : 100000;
}

TEST(a_sum_that_does_not_hold)
{
    run_begin(of_two, "");
    run_kernel("one", EXPECT_EXACT);
    more("MEM_LOAD_RETIRED.L1_HIT", 0x1d1);
    more("MEM_LOAD_RETIRED.L1_MISS", 0x8d1);
    run_hook = too_many_hits;
    measured(0);
    page();
    has("\nCounts    With care. All rows with a known count are right: 6. But a sum does not hold: "
        "MEM_LOAD_RETIRED.L1_HIT + MEM_LOAD_RETIRED.L1_MISS <= MEM_INST_RETIRED.ALL_LOADS: "
        "differs ");
}
