/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated run, written as a journal. The raw count of a declared event is the window's cost
 * plus the kernel's count, unless a hook changes it.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_RUN_H
#define BARECOUNT_TESTS_UNIT_FAKES_RUN_H

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/events/built_in.h"
#include "pmu/verdicts/rows.h"

#define RUN_RUNS        4u
#define RUN_CALIBRATION 8u /* the fewest samples of a calibration */
#define RUN_TWICE       2u
#define RUN_N           1000u
#define RUN_CYCLES      40u /* not counted with method=deltas */
#define RUN_TSC         30u
#define RUN_ID          77u
#define SLOPE_CYCLES    2u /* per n */
#define RUN_WRMSR       1u /* counted WRMSRs of the window */
#define SLOPE_TSC       3u /* ticks per n */
#ifndef RUN_JOURNAL_KB
#define RUN_JOURNAL_KB 1024u
#endif

/* The window's instructions (without WRMSR), branches, taken branches, loads and stores. */
static const int64_t RUN_COST[DECLARED_COUNT] = {7, 2, 2, 1, 3};
/* The same counts for a kernel that runs at CPL 3. */
static const int64_t RUN_COST_USR[DECLARED_COUNT] = {11, 5, 4, 6, 9};
/* The kernel's count is c0 + c1 * n. */
static const int64_t RUN_C0[DECLARED_COUNT] = {1, 0, 0, 5, 0};
static const int64_t RUN_C1[DECLARED_COUNT] = {3, 1, 1, 2, 0};

static inline int64_t run_count(unsigned declared, uint64_t n)
{
    return RUN_C0[declared] + RUN_C1[declared] * (int64_t)n;
}

struct point {
    unsigned cpu, kernel; /* KERNEL_CALIBRATION: the empty window */
    unsigned event, pass, kind, attempt;
    uint64_t value;
};

static alignas(8) char run_bytes[RUN_JOURNAL_KB << 10];
static struct journal run_journal;
static struct run_record run_record;
static struct cpu_record run_cpu_record;
static struct event run_events[EVENTS_MAX]; /* the current CPU's events: built-in, then run_more */
static struct event run_more[24];
static unsigned run_more_count;
static struct schedule run_schedule;
static struct schedule_work schedule_work;
static uint16_t run_smis = SMIS_UNKNOWN; /* for the next samples */
static unsigned run_fault_moves;         /* fault_offset grows by this from CPU to CPU */
static uint32_t run_partner = CPU_NONE;  /* for the next results */
static uint32_t run_program_errors;      /* for the next results; bit p: pass p is not programmed */
static struct pmu_error run_program_error;
static struct uncore_error run_uncore_error[UNCORE_GROUPS_MAX];
static void (*run_change_event)(unsigned index, struct event *event); /* for the next CPUs */
static struct msr_result run_msrs[4]; /* for the next results: before the kernel, then after it */
static uint16_t run_msrs_before, run_msrs_after;
static void (*run_hook)(struct point *point);
static uint16_t (*run_evidence)(const struct point *point); /* point->event is not set yet */
static void (*run_finish)(const struct point *point, struct sample *sample);

static inline void run_append(uint32_t type, const void *payload, size_t size)
{
    if (!journal_append(&run_journal, type, payload, size))
        abort();
}

/*
 * Starts a journal with the records RUN and PLAN. `change` may modify run_record, and may be null.
 */
static inline void run_begin(void (*change)(struct run_record *run), const char *plan)
{
    memset(run_bytes, 0, sizeof(run_bytes));
    run_journal = (struct journal){.bytes = run_bytes, .size = sizeof(run_bytes), .run_id = RUN_ID};
    run_record = (struct run_record){.schema = RECORD_SCHEMA,
                                     .number = 12,
                                     .version = "1.0",
                                     .started = "2026-11-21T08:00:00",
                                     .runs = RUN_RUNS,
                                     .runs_asked = RUN_RUNS,
                                     .kernels = 1,
                                     .uefi_revision = 2 << 16 | 70,
                                     .kernel_ring = RING_OS};
    memcpy(run_record.window_cost[WINDOW_OS], RUN_COST, sizeof(RUN_COST));
    if (change)
        change(&run_record);
    run_change_event = NULL;
    run_hook = NULL;
    run_evidence = NULL;
    run_finish = NULL;
    run_program_errors = 0, run_partner = CPU_NONE;
    run_more_count = 0, memset(run_uncore_error, 0, sizeof(run_uncore_error));
    run_program_error = (struct pmu_error){STATUS_READ_BACK, 0x187, 0x4200c0, 0x400000};
    run_msrs_before = run_msrs_after = 0;
    run_smis = SMIS_UNKNOWN;
    run_append(RECORD_RUN, &run_record, sizeof(run_record));
    run_append(RECORD_PLAN, plan, strlen(plan));
}

/* EXPECT_RANGE: counts may be one lower or higher. */
static inline void run_kernel(const char *name, enum expect_kind kind)
{
    struct known_kernel kernel = {.n = RUN_N};
    int64_t spread = kind == EXPECT_RANGE;

    snprintf(kernel.name, sizeof(kernel.name), "%s", name);
    /* the maximum length, so that the bytes before the counts are not 0 */
    snprintf(kernel.title, sizeof(kernel.title), "%s%*s.", name, (int)(78 - strlen(name)), "");
    for (unsigned i = 0; i < DECLARED_COUNT && kind != EXPECT_NOTHING; i++) {
        kernel.expect[i] = (struct expect){.kind = kind,
                                           .low = run_count(i, RUN_N) - spread,
                                           .high = run_count(i, RUN_N) + spread,
                                           .low_2n = run_count(i, 2 * RUN_N) - spread,
                                           .high_2n = run_count(i, 2 * RUN_N) + spread};
        if (kernel.expect[i].low < 0)
            kernel.expect[i].low = kernel.expect[i].low_2n = 0;
    }
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
}

/*
 * Writes the current CPU's records. A test that changes the records must call this function again.
 */
static inline void run_describe(void)
{
    run_append(RECORD_CPU, &run_cpu_record, sizeof(run_cpu_record));
    run_append(RECORD_EVENTS, run_events, run_schedule.events * sizeof(run_events[0]));
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(run_schedule.passes));
}

/*
 * The built-in events of this Skylake server need three passes, unless `change` alters its
 * capabilities.
 */
static inline void run_make_cpu(unsigned cpu, void (*change)(struct cpu_caps *caps))
{
    struct cpu_caps caps = {.vendor_id = "GenuineIntel",
                            .brand = "A CPU",
                            .vendor = VENDOR_INTEL,
                            .family = 6,
                            .model = 0x55,
                            .x2apic_id = 2 * cpu,
                            .pmu_version = 4,
                            .gp_count = 4,
                            .gp_width_bits = 48,
                            .arch_events = 7,
                            .fixed_map = 7,
                            .fixed_width_bits = 48};
    unsigned builtins;

    if (change)
        change(&caps);
    event_builtins(caps.vendor, &builtins);
    run_cpu_record = (struct cpu_record){.cpu = cpu, .caps = caps};
    for (unsigned e = 0; e < builtins; e++) {
        event_builtin(e, &caps, RING_OS, &run_events[e]);
        if (run_change_event)
            run_change_event(e, &run_events[e]);
    }
    memcpy(&run_events[builtins], run_more, run_more_count * sizeof(run_more[0]));
    schedule_make(&caps, false, run_events, builtins + run_more_count, &run_schedule,
                  &schedule_work);
}

static inline void run_cpu(unsigned cpu, void (*change)(struct cpu_caps *caps))
{
    run_make_cpu(cpu, change);
    run_describe();
}

static inline void run_start(const char *kernel, enum expect_kind kind,
                             void (*change)(struct cpu_caps *caps))
{
    run_begin(NULL, "");
    run_kernel(kernel, kind);
    run_cpu(0, change);
}

static inline void run_again(unsigned cpu, void (*change)(struct cpu_caps *caps))
{
    struct again again = {.cpu = cpu};

    run_make_cpu(cpu, change);
    run_append(RECORD_AGAIN, &again, sizeof(again));
}

static inline int64_t run_cost(const struct event *event)
{
    int64_t cost = 0;

    if (event->rings & RING_OS)
        cost += run_record.window_cost[WINDOW_OS][event->declared];
    if (event->rings & RING_USR)
        cost += run_record.window_cost[WINDOW_USR][event->declared];
    if (event->rings & RING_OS && event->declared == DECLARED_INSTRUCTIONS &&
        run_record.method == METHOD_RESET)
        cost += RUN_WRMSR;
    return cost;
}

static inline uint64_t run_value(unsigned kernel, unsigned index, unsigned kind)
{
    const struct event *event = &run_events[index];
    uint64_t n = kernel == KERNEL_CALIBRATION ? 0 : kind == SAMPLE_2N ? 2 * RUN_N : RUN_N;
    bool sees_kernel = kernel != KERNEL_CALIBRATION && event->rings & run_record.kernel_ring;
    bool sees_window = event->rings & (RING_OS | run_record.kernel_ring);

    if (event->declared != EVENT_UNDECLARED)
        return (uint64_t)(run_cost(event) +
                          (sees_kernel ? run_count((unsigned)event->declared, n) : 0));
    if (event->unit == UNIT_COUNT)
        return 0;
    return (sees_window && run_record.method == METHOD_RESET ? RUN_CYCLES : 0) +
           (sees_kernel ? SLOPE_CYCLES * n : 0);
}

static inline uint64_t run_tsc(unsigned pass, uint64_t n)
{
    return RUN_TSC + 10 * pass + SLOPE_TSC * n;
}

static inline void run_sample(struct point point, char **to)
{
    const struct pass *pass = &run_schedule.pass[point.pass];
    uint64_t n = point.kernel == KERNEL_CALIBRATION ? 0 : RUN_N << (point.kind == SAMPLE_2N);
    struct sample sample = {.pass = (uint16_t)point.pass,
                            .kind = (uint8_t)point.kind,
                            .attempt = (uint16_t)point.attempt,
                            .tsc = run_tsc(point.pass, n),
                            .smis = run_smis};

    if (run_evidence)
        sample.evidence = run_evidence(&point);
    sample.nmis = sample.evidence & EVIDENCE_NMI ? 2 : 0;
    for (unsigned s = 0; s < pass->slots; s++) {
        point.event = pass->slot[s].event;
        point.value = run_value(point.kernel, point.event, point.kind);
        if (run_hook)
            run_hook(&point);
        sample.raw[s] = point.value;
    }
    if (run_finish)
        run_finish(&point, &sample);
    memcpy(*to, &sample, SAMPLE_BYTES(SLOTS_MAX));
    *to += SAMPLE_BYTES(SLOTS_MAX);
}

static inline void run_result_of(unsigned kernel, enum status status, unsigned attempts,
                                 unsigned attempts_2n)
{
    struct result result = {.cpu = run_cpu_record.cpu,
                            .uncore_ratio_low = 17,
                            .uncore_ratio_high = 19,
                            .kernel = kernel,
                            .status = status,
                            .partner = run_partner,
                            .msrs_before = run_msrs_before,
                            .msrs_after = run_msrs_after,
                            .stride_bytes = sizeof(struct sample)};
    size_t msr_bytes = (run_msrs_before + run_msrs_after) * sizeof(run_msrs[0]);
    static alignas(8) char payload[64 << 10];
    char *to = payload + sizeof(result);

    while (run_program_errors && !(run_program_errors >> result.program_error_pass & 1))
        result.program_error_pass++;
    result.program_error = run_program_errors ? run_program_error : (struct pmu_error){0};
    memcpy(result.uncore_error, run_uncore_error, sizeof(run_uncore_error));
    if (status == STATUS_FAULT)
        result.vector = 6, result.error_code = 0x10,
        result.fault_offset = 0x1c0 + run_fault_moves * result.cpu;
    for (unsigned p = 0; status == STATUS_OK && p < run_schedule.passes; p++)
        for (unsigned kind = SAMPLE_N; kind <= SAMPLE_2N; kind++)
            for (unsigned i = 0; i < (kind == SAMPLE_N ? attempts : attempts_2n); i++)
                if (!(run_program_errors >> p & 1))
                    run_sample((struct point){.cpu = result.cpu,
                                              .kernel = kernel,
                                              .pass = p,
                                              .kind = kind,
                                              .attempt = i},
                               &to);
    result.samples =
        (uint32_t)((size_t)(to - payload - (ptrdiff_t)sizeof(result)) / sizeof(struct sample));
    memcpy(payload, &result, sizeof(result));
    memcpy(to, run_msrs, msr_bytes);
    run_append(RECORD_RESULT, payload, (size_t)(to - payload) + msr_bytes);
}

static inline void run_calibration(void)
{
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, RUN_CALIBRATION, 0);
}

static inline void run_result(unsigned kernel, enum status status)
{
    run_result_of(kernel, status, RUN_RUNS, RUN_TWICE);
}

static inline void run_cpus(unsigned cpus, unsigned kernels, void (*change)(struct cpu_caps *caps))
{
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        run_cpu(cpu, change);
        run_calibration();
        for (unsigned k = 0; k < kernels; k++)
            run_result(k, STATUS_OK);
    }
}

static inline void run_note(enum note_kind kind, const char *text)
{
    struct note note = {.kind = kind};

    snprintf(note.text, sizeof(note.text), "%s", text);
    run_append(RECORD_NOTE, &note, sizeof(note));
}

static inline void run_end(void)
{
    struct end_record end = {.elapsed_us = 1234567};

    run_append(RECORD_END, &end, sizeof(end));
}

#include "tests/unit/fakes/look.h"

#endif
