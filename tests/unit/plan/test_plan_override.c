/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings on the command line override those of a plan. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

static const char PLAN[] = "version=1\n[run]\ncpus=1,3\nruns=7\nlabel=rack\nmode=parallel\n";

static void override_ok(const char *setting)
{
    plan_override(&plan, setting);
    if (plan.errors != 0)
        fail_msg("%s: %s", setting, plan.error[0].text);
}

TEST(it_holds_instead)
{
    static const struct plan_cpu BOOT = {.boot = true}, OTHER = {0};

    parse(PLAN);
    override_ok("cpus=boot");
    assert_true(plan_has_cpu(&plan, 0, &BOOT));
    assert_false(plan_has_cpu(&plan, 1, &OTHER));
    assert_int_equal(plan.runs, 7);
    assert_string_equal(plan.label, "rack");
    assert_int_equal(plan.mode, MODE_PARALLEL);
    override_ok("cpus = 2 , 4-5");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(plan_has_cpu(&plan, i, &OTHER), i == 2 || i == 4 || i == 5);
    assert_int_equal(plan.cpus_line, 0);
    plan_override(&plan, "cpus=all");
    assert_true(plan_has_cpu(&plan, 1000, &OTHER));
}

TEST(other_settings)
{
    parse(PLAN);
    plan_override(&plan, "runs=9");
    plan_override(&plan, "runs=10");
    plan_override(&plan, "label=table");
    plan_override(&plan, "mode=serial");
    override_ok("at_end=reboot");
    assert_int_equal(plan.runs, 10);
    assert_true(plan.runs_given);
    assert_string_equal(plan.label, "table");
    assert_int_equal(plan.mode, MODE_SERIAL);
    assert_int_equal(plan.at_end, AT_END_REBOOT);
    assert_int_equal(plan.cpus, CPUS_LISTED);
}

TEST(what_is_wrong_is_told)
{
    static const struct mistake ROWS[] = {
        {"cpus=nobody", "cpus: expected all, boot, boot-core, one-per-core"},
        {"cpus=", "cpus: expected"},
        {"cpus=5-4", "cpus: expected"},
        {"cpus=99999999999999999999", "cpus: expected"},
        {"bogus=1", ""},
        {"cpus", ""},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(PLAN);
        plan_override(&plan, ROWS[i].line);
        assert_one_error(0, ROWS[i].says);
        assert_int_equal(plan.cpus, CPUS_LISTED);
        assert_int_equal(plan.listed[0], 1u << 1 | 1u << 3);
        assert_int_equal(plan.runs, 7);
    }
}

/* Errors in settings come before the plan's. */
TEST(over_defaults_and_errors)
{
    memset(&plan, 0xa5, sizeof(plan));
    plan_default(&plan, plan_memory);
    override_ok("cpus=one-per-core");
    assert_int_equal(plan.cpus, CPUS_ONE_PER_CORE);
    assert_int_equal(plan.runs, PLAN_RUNS_DEFAULT);
    parse("version=1\n[run]\ncpus=x\n");
    plan_override(&plan, "cpus=y");
    assert_int_equal(plan.errors, 2);
    assert_int_equal(plan.error[0].line, 0);
    assert_int_equal(plan.error[1].line, 3);
    plan_override(&plan, "cpus=0");
    assert_int_equal(plan.errors, 2);
    assert_int_equal(plan.cpus, CPUS_LISTED);
}

/* Kernels of `barecount-linux --once`; their errors name no line. */
TEST(kernels_of_a_command_line)
{
    plan_default(&plan, plan_memory);
    plan_add_kernels(&plan, " chase_random  size=2M n=7 ");
    assert_int_equal(plan.errors, 0);
    assert_int_equal(plan.kernels, 1);
    assert_string_equal(plan.kernel[0].name, "chase_random");
    assert_int_equal(plan.kernel[0].size, 2u << 20);
    assert_int_equal(plan.kernel[0].n, 7);
    plan_add_kernels(&plan, "load size=4K..16K*2");
    assert_int_equal(plan.kernels, 4);
    plan_add_kernels(&plan, "load n=1 n=2");
    assert_one_error(0, "n appears twice in this line");
    assert_int_equal(plan.kernels, 4);
}
