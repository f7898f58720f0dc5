/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a run under Linux: the window's cost at CPL 3, counts at CPL 0, and the evidence. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows.h"
#include "tests/unit/fakes/run_files.h"

#define WAY_IN_AND_OUT 700u /* added to each count at CPL 0 */

static uint8_t rings;
static unsigned seen_fixed, seen_general; /* SYSCALLs and SYSRETs that a counter counts at CPL 3 */
static unsigned wavering;                 /* added in odd attempts */

static void as_linux(struct run_record *run)
{
    run->source = SOURCE_LINUX;
    run->kernel_ring = RING_USR;
    memset(run->window_cost[WINDOW_OS], 0, sizeof(run->window_cost[WINDOW_OS]));
    memcpy(run->window_cost[WINDOW_USR], RUN_COST_USR, sizeof(RUN_COST_USR));
    snprintf(run->linux_host.kernel, sizeof(run->linux_host.kernel), "6.1.0-test");
    run->linux_host.perf_event_paranoid = -1;
    run->linux_host.nmi_watchdog = 1;
}

static void as_linux_without_perf(struct run_record *run)
{
    as_linux(run);
    run->linux_host.perf_event_paranoid = PARANOID_UNKNOWN;
}

static void set_rings(unsigned index, struct event *event)
{
    (void)index;
    event->rings = rings;
}

/* Under Linux, a window has no WRMSR, but run_value() adds one. */
static void count(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (event->declared == EVENT_UNDECLARED)
        return;
    if (event->declared == DECLARED_INSTRUCTIONS && event->rings & RING_OS)
        point->value -= RUN_WRMSR;
    if (event->declared == DECLARED_INSTRUCTIONS && event->rings == RING_USR)
        point->value += event->fixed_only ? seen_fixed : seen_general;
    if (event->rings & RING_OS)
        point->value += WAY_IN_AND_OUT + point->attempt % 2 * wavering;
}

static void begin_on(void (*cpu)(struct cpu_caps *caps), uint8_t counted)
{
    run_begin(as_linux, "");
    run_kernel("kernel", EXPECT_EXACT);
    rings = counted;
    run_change_event = set_rings;
    run_cpu(0, cpu);
    run_hook = count;
    seen_fixed = seen_general = 1;
    wavering = 0;
}

static void begin(uint8_t counted)
{
    begin_on(NULL, counted);
}

/*
 * SYSCALL and SYSRET must count as 1 instruction together. If both counters of instructions show 0,
 * or both show 2, then 0 or 2 is correct instead of 1.
 */
TEST(system_calls_are_counted_as_all_counters_do)
{
    static const struct {
        unsigned fixed, general, counted;
    } ROWS[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {1, 2, 1}, {2, 1, 1}, {3, 3, 1}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin(RING_USR);
        seen_fixed = ROWS[i].fixed;
        seen_general = ROWS[i].general;
        run_measure(0);
        assert_int_equal(run_view.edges_counted, ROWS[i].counted);
        expect_row(run_event("INST_RETIRED.ANY"),
                   seen_fixed == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF,
                   seen_fixed == ROWS[i].counted ? "" : "window cost");
        expect_row(run_event("INST_RETIRED.ANY_P"),
                   seen_general == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF,
                   seen_general == ROWS[i].counted ? "" : "window cost");
        expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_EXACT, "");
    }
}

static void as_zen(struct cpu_caps *caps)
{
    caps->vendor = VENDOR_AMD;
    caps->family = 0x19;
    caps->model = 0x11;
    caps->features = FEATURE_AMD_CORE;
    caps->arch_events = caps->fixed_map = 0;
    caps_take_amd_pmu((struct cpuid_regs){.eax = 1, .ebx = 6}, caps);
}

/* AMD's taken branches include SYSCALL, so all branches of the window are taken. */
static void count_on_zen(struct point *point)
{
    if (run_events[point->event].declared == DECLARED_TAKEN_BRANCHES)
        point->value +=
            (uint64_t)(RUN_COST_USR[DECLARED_BRANCHES] - RUN_COST_USR[DECLARED_TAKEN_BRANCHES]);
    count(point);
}

TEST(amds_events)
{
    static const struct {
        const char *name;
        enum verdict verdict;
        enum expect_kind kind;
    } ROWS[] = {
        {"RETIRED_INSTRUCTIONS", VERDICT_EXACT, EXPECT_EXACT},
        {"RETIRED_BRANCH_INSTRUCTIONS", VERDICT_EXACT, EXPECT_EXACT},
        {"RETIRED_TAKEN_BRANCH_INSTRUCTIONS", VERDICT_EXACT, EXPECT_EXACT},
        {"LS_DISPATCH.LOADS", VERDICT_WITHIN, EXPECT_AT_LEAST},
        {"LS_DISPATCH.STORES", VERDICT_WITHIN, EXPECT_AT_LEAST},
        {"CYCLES_NOT_IN_HALT", VERDICT_MEASURED, EXPECT_NOTHING},
    };

    begin_on(as_zen, RING_USR);
    run_hook = count_on_zen;
    run_measure(0);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        expect_row(run_event(ROWS[i].name), ROWS[i].verdict, "");
        assert_int_equal(row.expect.kind, ROWS[i].kind);
    }
}

TEST(what_linux_runs_is_no_constant)
{
    for (uint8_t counted = RING_OS; counted <= (RING_OS | RING_USR); counted += 2) {
        begin(counted);
        run_measure(0);
        expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_EXACT, "");
        assert_int_equal(row.stats.min,
                         counted & RING_USR ? run_count(DECLARED_INSTRUCTIONS, RUN_N) : 0);
        begin(counted);
        wavering = 60;
        run_measure(0);
        expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_NOISY, "expected ");
        assert_int_equal(row.stats.max - row.stats.min, 60);
        assert_false(row.counter_off);
    }
}

static uint16_t one_evidence;

static uint16_t in_all(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION ? 0 : one_evidence;
}

/* Multiplexed counters make rows `noisy`. A task switch affects only rows of time. */
TEST(evidence_of_linux)
{
    begin(RING_USR);
    one_evidence = EVIDENCE_SHARED;
    run_evidence = in_all;
    run_measure(0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_NOISY, "(multiplexed)");
    begin(RING_USR);
    one_evidence = EVIDENCE_SWITCHED;
    run_evidence = in_all;
    run_measure(0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    expect_row(run_event("CPU_CLK_UNHALTED.THREAD"), VERDICT_NOISY, "(switched)");
}

TEST(no_counters)
{
    begin(RING_USR);
    run_calibration();
    run_program_errors = ~0u;
    run_program_error = (struct pmu_error){.status = STATUS_PERF_COUNTER};
    run_look_at(0);
    expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_UNAVAILABLE, "kernel.nmi_watchdog");
    assert_null(strstr(row.reason, "MSR"));
}

TEST(the_counter_is_not_named)
{
    begin(RING_USR);
    run_measure(0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    assert_written(render_counter(&row, &out), "");
}

TEST(run_json_says_what_linux_was_like)
{
    begin(RING_USR);
    run_measure(0);
    run_end();
    render();
    has("\"schema\": 7");
    has("\"source\": \"linux\"");
    has("\"kernel\": \"6.1.0-test\"");
    has("\"read_by\": \"ioctl\"");
    has("\"perf_event_paranoid\": -1");
    has("\"nmi_watchdog\": true");
    has("\"perf_config\": \"0xc0\"");
    assert_null(strstr(text, "\"control\""));
    assert_null(strstr(text, "\"uefi\""));
    assert_null(strstr(text, "\"parked\""));
    run_begin(as_linux_without_perf, "");
    render();
    has("\"source\": \"linux\"");
    assert_null(strstr(text, "perf_event_paranoid"));
    run_start("kernel", EXPECT_EXACT, NULL);
    run_measure(0);
    render();
    has("\"source\": \"bare metal\"");
    assert_null(strstr(text, "\"linux\""));
}

static bool next_has(const char *at, const char *piece)
{
    const char *found = at ? strstr(at, piece) : NULL;

    return found && found < strchr(at, '\n');
}

/*
 * perf may count INST_RETIRED.ANY on a general counter, as event C0H. Erratum SKL091 affects this
 * event.
 */
TEST(errata_of_any_counter)
{
    const char *at;

    begin(RING_USR);
    run_measure(0);
    run_end();
    render();
    at = strstr(text, "\"event\": \"INST_RETIRED.ANY\"");
    assert_true(next_has(at, "\"event C0H, unit mask 00H, CPL 1 to 3; or fixed counter 0\""));
    assert_true(next_has(at, "\"erratum\": \"a general counter may count"));
    at = strstr(text, "\"event\": \"CPU_CLK_UNHALTED.REF_TSC\"");
    assert_true(next_has(at, "\"fixed counter 2, CPL 1 to 3\""));
    assert_false(next_has(at, "\"erratum\""));
}
