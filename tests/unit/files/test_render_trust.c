/* SPDX-License-Identifier: BSD-2-Clause */
/* The remembered trust map of several CPUs, in serial and in parallel mode. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/files/trusted.h"

#define CPUS      4u
#define WRONG_CPU 1u /* counts too many instructions on fixed0 */
#define OTHER_CPU 3u /* has another signature */
#define SIGNATURE 0x50654u
#define TOO_MANY  100u

static bool is_parallel;

static void each_counter(struct run_record *run)
{
    run->plan_flags |= RUN_EACH_COUNTER;
    run->parallel = is_parallel;
}

static void usual(struct cpu_caps *caps)
{
    caps->signature = SIGNATURE;
}

static void other(struct cpu_caps *caps)
{
    caps->signature = SIGNATURE + 1;
}

static void count_too_many(struct point *point)
{
    if ((point->cpu == WRONG_CPU || point->cpu == OTHER_CPU) &&
        point->kernel != KERNEL_CALIBRATION && point->event == 0)
        point->value += TOO_MANY;
}

static void begin_cpu(unsigned cpu)
{
    run_cpu(cpu, cpu == OTHER_CPU ? other : usual);
    run_calibration();
}

static void put_run(bool in_parallel)
{
    is_parallel = in_parallel;
    run_begin(each_counter, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_hook = count_too_many;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        begin_cpu(cpu);
        for (unsigned k = 0; k < 2 && !is_parallel; k++)
            run_result(k, STATUS_OK);
    }
    for (unsigned k = 0; k < 2 && is_parallel; k++)
        for (unsigned cpu = 0; cpu < CPUS; cpu++) {
            run_again(cpu, cpu == OTHER_CPU ? other : usual);
            run_result(k, STATUS_OK);
        }
}

/* The file has the lines of the first CPU, and those of the CPU that differs from it. */
static void check_map(void)
{
    struct piece lines;

    render_as(render_trust_map);
    assert_int_equal(times("\n0,,"), DECLARED_COUNT);
    assert_int_equal(times("\n1,,"), DECLARED_COUNT);
    assert_int_equal(times("\n2,,") + times("\n3,,"), 0);
    assert_int_equal(times(",wrong,"), 1);
    has("\n1,,os,r0100,fixed0,0012-000000000000004d,wrong,dead\n");
    has("\n0,,os,r0100,fixed0,0012-000000000000004d,right,within\n");
    assert_true(trusted_open((struct piece){text, strlen(text)}, 2, "", &lines));
    assert_true(lines.size > 0 && lines.at[0] == '0');
    text[60] ^= 1;
    assert_false(trusted_open((struct piece){text, strlen(text)}, 2, "", &lines));
}

TEST(serial)
{
    put_run(false);
    check_map();
}

TEST(parallel)
{
    put_run(true);
    check_map();
}

static const char *name(void)
{
    static char name[40];
    struct render r = {run_bytes, run_journal.used, run_scratch, 256, false, false};
    struct out out = out_buffer(name, sizeof(name));

    return render_trust_name(&r, &out) ? out_end(&out) : "none";
}

TEST(only_a_run_that_ended_is_remembered)
{
    put_run(false);
    assert_string_equal(name(), "none");
    run_end();
    assert_string_equal(name(), "trust-00050654-00000000.txt");
    run_begin(NULL, "version=1\n"); /* without counters=each */
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    begin_cpu(0);
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
    run_end();
    assert_string_equal(name(), "none");
}

TEST(without_a_judged_pair)
{
    run_begin(each_counter, "version=1\n");
    run_kernel("nothing", EXPECT_NOTHING);
    begin_cpu(0);
    run_result(0, STATUS_OK);
    run_end();
    assert_string_equal(name(), "none");
}
