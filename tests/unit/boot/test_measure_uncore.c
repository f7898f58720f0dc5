/* SPDX-License-Identifier: BSD-2-Clause */
/* boot/measure/measure_uncore.c, with the simulated registers of fakes/uncore.h. */
#include <string.h>

#include "tests/unit/test.h"
#include "boot/measure/measure_uncore.h"
#include "tests/unit/fakes/uncore_run.h"

#define UNCORE (1u << KIND_UNCORE)
#define CLOCK  (1u << KIND_CLOCK)

static struct cpu_uncore of_cpu;
static struct schedule schedule;
static struct result result;
static struct measure_task task;

struct uncore_error cpu_uncore_give_back(struct cpu_uncore *of)
{
    struct uncore_error error = {.status = STATUS_OK};

    if (of->is_taken)
        error = uncore_give_back(&of->access.port, &of->held);
    of->is_taken = false;
    return error;
}

struct uncore_error cpu_uncore_take(struct cpu_uncore *of)
{
    struct uncore_error error = cpu_uncore_give_back(of);

    of->is_taken = true;
    uncore_take(&of->access.port, &of->found, of->kinds, &of->held);
    return error;
}

/*
 * The first of two passes has three slots: for an event of the CPU, for one of Nehalem's uncore
 * counters, and for the uncore clock. The second pass has one slot, for the uncore counters.
 */
static void machine(void)
{
    nehalem(false);
    memset(&of_cpu, 0, sizeof(of_cpu));
    memset(&schedule, 0, sizeof(schedule));
    memset(&result, 0, sizeof(result));
    of_cpu.access.port = FAKE_PORT;
    of_cpu.found = uncore;
    of_cpu.kinds = UNCORE | CLOCK;
    event[0] = (struct event){.scope = SCOPE_CPU};
    event[1] = (struct event){.scope = SCOPE_UNCORE, .kind = KIND_UNCORE, .select = SELECT};
    event[2] = (struct event){.scope = SCOPE_UNCORE, .kind = KIND_CLOCK};
    event[3] = (struct event){.scope = SCOPE_UNCORE, .kind = KIND_UNCORE, .select = 0x0103};
    schedule.passes = 2;
    schedule.pass[0] = (struct pass){.slots = 3,
                                     .slot = {{.event = 0, .where = SLOT_FIXED},
                                              {.event = 1, .where = SLOT_UNCORE},
                                              {.event = 2, .where = SLOT_UNCORE}}};
    schedule.pass[1] = (struct pass){.slots = 1, .slot = {{.event = 3, .where = SLOT_UNCORE}}};
    task = (struct measure_task){
        .event = event, .schedule = &schedule, .uncore = &of_cpu, .result = &result};
    memcpy(before, fake.reg, sizeof(before));
    fake.window = true;
}

BEFORE_EACH(machine);

static void count_a_window(void)
{
    memset(raw, 0xee, sizeof(raw));
    assert_true(measure_uncore_open(&task));
    fake_pass(100);
    assert_true(measure_uncore_close(&task, raw));
}

static void expect_error(unsigned kind, enum status status, uint64_t msr, unsigned number)
{
    assert_int_equal(result.uncore_error[0].kind, kind);
    assert_int_equal(result.uncore_error[0].status, status);
    assert_int_equal(result.uncore_error[0].address, msr);
    assert_int_equal(result.uncore_error[0].pass, number);
    assert_int_equal(result.uncore_error[1].status, STATUS_OK);
}

TEST(nothing_refuses)
{
    measure_uncore_take(&task);
    for (unsigned p = 0; p < 2; p++) {
        assert_true(measure_uncore_program(&task, p));
        assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[p]), 0);
    }
    assert_int_equal(result.uncore_error[0].status, STATUS_OK);
    assert_int_equal(measure_uncore_give_back(&task).status, STATUS_OK);
    assert_memory_equal(fake.reg, before, sizeof(before));
}

/*
 * The counter in MSR 3B4H passed its test, and no pass uses the counter. Reading the MSR raises #GP
 * for the first kernel, but not for the second.
 */
TEST(one_kind_is_not_taken)
{
    fake_msr(0x3b4)->read_faults = true;
    measure_uncore_take(&task);
    expect_error(KIND_UNCORE, STATUS_UNCORE_REFUSED, 0x3b4, UNCORE_ALL_PASSES);
    assert_true(measure_uncore_program(&task, 0));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 1u << 1);
    count_a_window();
    assert_int_equal(raw[2], 100);
    assert_false(measure_uncore_program(&task, 1)); /* pass 1 needs only the failed kind */
    assert_int_equal(measure_uncore_give_back(&task).status, STATUS_OK);
    fake_msr(0x3b4)->read_faults = false;
    memset(&result, 0, sizeof(result));
    measure_uncore_take(&task);
    assert_true(measure_uncore_program(&task, 0));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 0);
    count_a_window();
    assert_int_equal(raw[1], 200); /* event 02H */
    assert_int_equal(result.uncore_error[0].status, STATUS_OK);
}

/* Event 02H of the first pass needs bit INV, which is stuck. */
TEST(one_kind_is_not_programmed)
{
    measure_uncore_take(&task);
    fake_msr(0x3c0)->stuck = 1ull << 23; /* INV */
    assert_true(measure_uncore_program(&task, 0));
    assert_true(measure_uncore_program(&task, 0)); /* an equal error is recorded only once */
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 1u << 1);
    expect_error(KIND_UNCORE, STATUS_UNCORE_KEPT, 0x3c0, 0);
    count_a_window();
    assert_int_equal(raw[2], 100);
    assert_true(measure_uncore_program(&task, 1));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[1]), 0);
    count_a_window();
    assert_int_equal(raw[0], 300); /* event 03H */
    expect_error(KIND_UNCORE, STATUS_UNCORE_KEPT, 0x3c0, 0);
    machine();
    measure_uncore_take(&task);
    fake_msr(0x3c0)->stuck = 1; /* event 03H uses bit 0, event 02H does not */
    assert_true(measure_uncore_program(&task, 0));
    assert_false(measure_uncore_program(&task, 1));
    expect_error(KIND_UNCORE, STATUS_UNCORE_KEPT, 0x3c0, 1);
}

TEST(two_kinds_refuse)
{
    fake_msr(0x395)->write_faults = true;
    measure_uncore_take(&task);
    fake_msr(0x3c0)->write_faults = true;
    assert_false(measure_uncore_program(&task, 0));
    assert_int_equal(result.uncore_error[0].kind, KIND_CLOCK);
    assert_int_equal(result.uncore_error[0].address, 0x395);
    assert_int_equal(result.uncore_error[1].kind, KIND_UNCORE);
    assert_int_equal(result.uncore_error[1].address, 0x3c0);
}

/*
 * A kind is programmed even if it failed its test, but not if its registers could not be taken over
 * for the test.
 */
TEST(what_the_test_has_found)
{
    fake_msr(0x3c4)->write_faults = true;
    of_cpu.kinds = CLOCK;
    measure_uncore_take(&task);
    assert_true(measure_uncore_program(&task, 0));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 1u << 1);
    assert_int_equal(result.uncore_error[0].status, STATUS_OK);
    machine();
    fake_msr(0x3c4)->write_faults = true;
    of_cpu.faulty = UNCORE;
    measure_uncore_take(&task);
    assert_true(measure_uncore_program(&task, 0));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 0);
    assert_int_equal(result.uncore_error[0].status, STATUS_OK);
}

/* A kernel is counted even if registers that an earlier task left cannot be restored. */
TEST(an_earlier_task_left_registers)
{
    measure_uncore_take(&task);
    fake_msr(0x394)->write_faults = true; /* restoring this counter fails, taking over does not */
    measure_uncore_take(&task);
    assert_int_equal(result.uncore_restore_error.status, STATUS_UNCORE_REFUSED);
    assert_int_equal(result.uncore_restore_error.address, 0x394);
    assert_true(measure_uncore_program(&task, 0));
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 0);
    count_a_window();
    assert_int_equal(raw[2], 100);
}

TEST(passes_of_the_cores)
{
    schedule.pass[0].slots = 1;
    fake.writes = 0;
    assert_true(measure_uncore_program(&task, 0));
    of_cpu.uncounted = 1; /* left from an earlier pass */
    assert_int_equal(measure_uncore_uncounted(&task, &schedule.pass[0]), 0);
    task.uncore = NULL;
    measure_uncore_take(&task);
    assert_int_equal(measure_uncore_give_back(&task).status, STATUS_OK);
    assert_false(measure_uncore_program(&task, 1));
    assert_int_equal(fake.writes, 0);
}
