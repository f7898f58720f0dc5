/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects from a journal what check.txt says. */
#include "pmu/report/check_parts.h"
#include "pmu/uncore/words.h"

#define AVAILABLE_ALL 100000u /* noise_available() without gaps */

static void set_add(struct cpu_set *set, uint32_t cpu, uint32_t why)
{
    if (cpu >= VIEW_CPUS_MAX || set_has(set, cpu))
        return;
    set->bit[cpu / 8] |= (uint8_t)(1u << cpu % 8);
    set->why = set->count++ ? set->why : why;
}

static void extent_add(struct extent *extent, uint32_t value)
{
    if (value < extent->low)
        extent->low = value;
    if (value > extent->high)
        extent->high = value;
}

static bool is_silent(uint32_t status)
{
    return status == STATUS_TIMEOUT || status == STATUS_START_FAILED;
}

static enum status why_no_counters(const struct cpu_record *cpu)
{
    if (cpu->status != STATUS_OK)
        return cpu->status;
    if (cpu->caps.gp_count > 0 || cpu->caps.fixed_map != 0)
        return STATUS_OK;
    if (cpu->caps.pmu_version == 0 && cpu->caps.vendor != VENDOR_INTEL)
        return STATUS_VENDOR;
    return cpu->refused_msr ? STATUS_MSR_FAULT : STATUS_NO_PMU;
}

static void take_package(struct check *check, uint32_t package)
{
    unsigned i = 0;

    while (i < check->packages && check->package[i] != package)
        i++;
    if (i == check->packages && i < CHECK_PACKAGES_MAX)
        check->package[check->packages++] = package;
}

/* A CPU is untested until the record of its test is read. */
static void take_cpu(struct check *check)
{
    const struct cpu_record *cpu = check->reading.view.cpu;

    if (!cpu)
        return;
    set_add(&check->measured, cpu->cpu, STATUS_OK);
    if (is_silent(cpu->status)) {
        set_add(&check->silent, cpu->cpu, cpu->status);
        return;
    }
    take_package(check, cpu->caps.package);
    if (!check->machine) {
        check->machine = cpu->caps.brand[0] ? cpu->caps.brand : cpu->caps.vendor_id;
        check->cores = zen_cores_name(&cpu->caps);
        check->has_constant_tsc = caps_has(&cpu->caps, FEATURE_TSC_CONST);
    }
    if (cpu->flags & CPU_WAS_IN_USE || pmu_hidden_use(&cpu->found) != 0)
        set_add(&check->in_use, cpu->cpu, STATUS_OK);
    if (cpu->refused_msr)
        set_add(&check->lacking, cpu->cpu, STATUS_OK);
    if (why_no_counters(cpu) == STATUS_OK)
        set_add(&check->untested, cpu->cpu, STATUS_NO_MEMORY);
    else
        set_add(&check->without, cpu->cpu, why_no_counters(cpu));
}

static void set_remove(struct cpu_set *set, uint32_t cpu)
{
    if (cpu >= VIEW_CPUS_MAX || !set_has(set, cpu))
        return;
    set->bit[cpu / 8] &= (uint8_t) ~(1u << cpu % 8);
    set->count--;
}

static void take_tests(struct check *check)
{
    const struct counter_tests *tests = check->reading.view.tests;
    const struct cpu_caps *caps;

    if (!tests)
        return;
    caps = &check->reading.view.cpu->caps;
    set_remove(&check->untested, tests->cpu);
    if (is_silent(tests->status)) {
        set_add(&check->silent, tests->cpu, tests->status);
        return;
    }
    if (tests->general_kept < tests->general_named || tests->alias_refused)
        set_add(&check->lacking, tests->cpu, STATUS_OK);
    if (tests->status != STATUS_OK || tests->counters == 0) {
        set_add(&check->untested, tests->cpu,
                tests->status != STATUS_OK ? tests->status : STATUS_NO_COUNTER);
    } else if (counter_check_failures(tests) > 0) {
        if (check->faulty.count == 0)
            check->fault = *counter_check_first(tests);
        check->faults += counter_check_failures(tests);
        set_add(&check->faulty, tests->cpu, STATUS_OK);
    } else {
        set_add(&check->passed, tests->cpu, STATUS_OK);
        check->vendor = caps->vendor;
        extent_add(&check->version, caps->pmu_version);
        extent_add(&check->general, caps_general_count(caps));
        extent_add(&check->fixed, bits_in(caps->fixed_map));
    }
}

static void take_noise(struct check *check)
{
    const struct noise *noise = check->reading.view.noise;

    if (!noise || !noise_was_asked(noise))
        return;
    if (is_silent(noise->status))
        set_add(&check->silent, noise->cpu, noise->status);
    if (noise->status == STATUS_TSC)
        set_add(&check->bad_tsc, noise->cpu, noise->status);
    if (noise->status != STATUS_OK || !noise_is_right(noise)) {
        set_add(&check->unwatched, noise->cpu, noise->status);
        return;
    }
    set_add(&check->watched, noise->cpu, STATUS_OK);
    check->smis += noise->smis;
    check->nmis += noise->nmis;
    check->smis_unknown |= !noise->smis_known;
    if (noise_available(noise) < check->least_available)
        check->least_available = noise_available(noise);
    if (noise->longest_ticks > check->longest_ticks)
        check->longest_ticks = noise->longest_ticks;
    if (!noise_is_quiet(noise))
        set_add(&check->loud, noise->cpu, STATUS_OK);
}

/* Bit i: the plan has an event of kind i, counted or not. */
static uint32_t kinds_asked(const struct view *view)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].scope == SCOPE_UNCORE)
            kinds |= 1u << view->event[i].kind;
    return kinds & ~(1u << KIND_NONE);
}

static void lose(struct check *check, const struct uncore_record *uncore, uint32_t kind,
                 uint32_t why)
{
    if (check->lost_why != STATUS_OK)
        return;
    check->lost_kind = kind;
    check->lost_why = why;
    check->lost_package = uncore->package;
}

static void take_group(struct check *check, const struct uncore_record *uncore, uint32_t index,
                       uint32_t asked, uint32_t *counted, uint32_t *passed)
{
    const struct uncore_record_group *group = &uncore->group[index];
    const uint32_t kind = group->kind % UNCORE_KINDS;
    const uint32_t why = group->status != STATUS_OK ? group->status : uncore->error[index].status;

    if (uncore_group_fails(group) && check->bad == UNCORE_GROUPS_MAX) {
        check->of_bad = *uncore;
        check->bad = index;
    }
    if (uncore_group_fails(group) || !(asked >> kind & 1))
        return;
    if (why != STATUS_OK)
        lose(check, uncore, kind, why);
    else
        *counted |= 1u << kind;
    if (why == STATUS_OK && group->fault != UNCORE_UNTESTED)
        *passed |= 1u << kind;
}

static void take_uncore(struct check *check)
{
    const struct uncore_record *uncore = check->reading.view.uncore;
    const uint32_t asked = kinds_asked(&check->reading.view);
    uint32_t counted = 0, passed = 0;

    if (!uncore)
        return;
    if (uncore->status != STATUS_OK && check->uncore_status == STATUS_OK)
        check->uncore_status = uncore->status;
    for (uint32_t i = 0; i < uncore->groups && i < UNCORE_GROUPS_MAX; i++)
        take_group(check, uncore, i, asked, &counted, &passed);
    check->kinds_passed = check->looked_at > 0 ? check->kinds_passed & passed : passed;
    check->kinds_counted = check->looked_at > 0 ? check->kinds_counted & counted : counted;
    check->kinds_somewhere |= counted;
    if (check->looked_at < CHECK_PACKAGES_MAX)
        check->uncore_cpu[check->looked_at++] = uncore->cpu;
}

static void take_row(struct check *check, const struct rows *rows, const struct row *row)
{
    const uint32_t cpu = rows->result->cpu % VIEW_CPUS_MAX;

    if (row->verdict == VERDICT_EXACT || row->verdict == VERDICT_WITHIN)
        check->right[cpu]++;
    if (row->verdict == VERDICT_UNAVAILABLE && row->event &&
        event_declares(row->event) != EVENT_UNDECLARED && weight_of(row->status) == WEIGHT_PMU &&
        row->event->status == STATUS_OK && check->unchecked++ == 0)
        check->unchecked_why = row->status;
    if (row_fails(row) && row->counter_off)
        check->of_bad_counters++;
    else if (row_fails(row))
        faults_add(&check->failed, rows, row);
}

static void take_rows(struct check *check, const struct rows *rows)
{
    const uint32_t status = rows->result->status;

    tally_rows(&check->tally, rows);
    if (is_silent(status) || status == STATUS_SKIPPED)
        set_add(&check->silent, rows->result->cpu, status);
    for (unsigned i = 0; i < rows->count; i++)
        take_row(check, rows, &rows->row[i]);
}

/*
 * Each NOTE_EXCEPTION names something that the run did not restore. Notes before the first CPU's
 * record are the same in every run, so they are ignored.
 */
static void take_note(struct check *check, const struct journal_head *head)
{
    check->errors += render_note(head, NOTE_ERROR) != 0;
    check->exceptions += check->measured.count > 0 && render_note(head, NOTE_EXCEPTION);
}

static void take(struct check *check, const struct journal_head *head)
{
    if (check->reading.result)
        take_rows(check, reading_rows(&check->reading, check->reading.result));
    else if (head->type == RECORD_CPU)
        take_cpu(check);
    else if (head->type == RECORD_TEST)
        take_tests(check);
    else if (head->type == RECORD_NOISE)
        take_noise(check);
    else if (head->type == RECORD_UNCORE)
        take_uncore(check);
    else
        take_note(check, head);
}

static void start(struct check *check, const struct render *render)
{
    char *bytes = (char *)check;

    for (size_t i = 0; i < sizeof(*check); i++) /* an initialiser might make a copy on the stack */
        bytes[i] = 0;
    check->least_available = AVAILABLE_ALL;
    check->version.low = check->general.low = check->fixed.low = UINT32_MAX;
    check->bad = UNCORE_GROUPS_MAX;
    check->reading = reading_start(render);
}

void check_look(struct check *check, const struct render *render)
{
    const struct journal_head *head;
    const struct result *result;

    start(check, render);
    while ((head = reading_next(&check->reading)))
        take(check, head);
    while ((result = reading_next_result(&check->reading)))
        take_rows(check, reading_rows(&check->reading, result));
    check->run = check->reading.view.run;
    render_sums(render, &check->sums);
}

uint32_t check_right(const struct check *check)
{
    uint32_t right = 0;

    for (unsigned cpu = 0; cpu < VIEW_CPUS_MAX; cpu++)
        if (!set_has(&check->silent, cpu))
            right += check->right[cpu];
    return right;
}
