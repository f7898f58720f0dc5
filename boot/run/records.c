/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a run's records other than measurements. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/plan/skipped.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/cpu/window.h"
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"

#define US_PER_S        1000000u
#define SLOW_CONSOLE_US 5000000u

/* With METHOD_DELTAS, the counts do not include the window, so no costs are recorded. */
static void put_costs(const struct run *run, struct run_record *record)
{
    const int64_t *os = run->plan.cpl == 3 ? window_cost_user_os : window_cost;

    for (unsigned i = 0; run->plan.method == METHOD_RESET && i < DECLARED_COUNT; i++) {
        record->window_cost[WINDOW_OS][i] = os[i];
        if (run->plan.cpl == 3)
            record->window_cost[WINDOW_USR][i] = window_cost_user_usr[i];
    }
}

static void put_run(const struct run *run)
{
    struct run_record record = run->machine->record;

    record.schema = RECORD_SCHEMA;
    record.number = run->store->number;
    text_copy(record.plan_name, sizeof(record.plan_name),
              run->has_plan_file ? run->request->plan_path : "");
    text_copy(record.label, sizeof(record.label), run->plan.label);
    if (!firmware_time(record.started))
        record.started[0] = 0;
    record.cpus_planned = run->cpus;
    record.kernels = run->kernels;
    record.runs = run->plan.runs;
    record.runs_asked = run->runs_asked;
    record.warmup = run->plan.warmup;
    record.kernel_ring = run->plan.cpl == 3 ? RING_USR : RING_OS;
    record.method = run->plan.method;
    record.parallel = run->plan.mode == MODE_PARALLEL;
    record.overflow_after = run->plan.overflow_after;
    record.plan_errors = run->plan.errors;
    record.max_time_s = run->plan.max_time_s;
    record.plan_flags = RUN_PLAN_KNOWN | (run->plan.strict ? RUN_PLAN_STRICT : 0) |
                        (run->cpus == 0 ? RUN_NO_CPU : 0) |
                        (run->plan.results.check ? RUN_CHECK : 0) |
                        (run->plan.each_counter ? RUN_EACH_COUNTER : 0) |
                        (run->events->asks_uncore ? RUN_UNCORE : 0) |
                        (run->machine->cpus.only_boot ? RUN_ONLY_BOOT : 0) |
                        (run->machine->cpus.left_out > 0 ? RUN_NOT_ALL : 0);
    put_costs(run, &record);
    quiet_put(run, &record);
    store_append(run->store, RECORD_RUN, &record, sizeof(record));
    store_append(run->store, RECORD_PLAN, run->plan_text, run->plan_bytes);
}

static void put_kernel(const struct run *run, const struct chosen_kernel *kernel)
{
    struct known_kernel known;

    chosen_describe(kernel, &known);
    skipped_kernels_has(kernel->record, &known.skipped_for);
    store_append(run->store, RECORD_KERNEL, &known, sizeof(known));
}

static void put_exceptions(const struct run *run)
{
    static const struct note NOTES[] = {
        {NOTE_EXCEPTION,
         "IA32_PMCx and IA32_FIXED_CTRx (on AMD: PERF_CTRx) keep their contents after the last "
         "pass"},
        {NOTE_EXCEPTION, "IA32_PERF_GLOBAL_STATUS (on AMD: PerfCntrGlobalStatus): overflow bits "
                         "that were set are cleared"},
        {NOTE_EXCEPTION, "IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS, "
                         "MSR_CORE_PERF_LIMIT_REASONS: log bits that were set during a sample are "
                         "cleared"},
        {NOTE_EXCEPTION, "TR, if the firmware had not loaded it: it keeps the TSS that kernels ran "
                         "with, because no instruction undoes LTR"},
    };
    for (unsigned i = 0; i < sizeof(NOTES) / sizeof(NOTES[0]); i++)
        store_append(run->store, RECORD_NOTE, &NOTES[i], sizeof(NOTES[i]));
}

static void put_doubt(const struct run *run)
{
    const struct machine *machine = run->machine;
    struct note note = {.kind = NOTE_REMARK};
    struct out out = out_buffer(note.text, sizeof(note.text));

    if (!tsc_is_doubtful(machine->tsc_hz, machine->tsc_measured_hz))
        return;
    out_printf(&out,
               "TSC: %llu Hz, %s, but the ACPI timer says %llu Hz: MHz and ns may be wrong by the "
               "difference",
               (unsigned long long)machine->tsc_hz, tsc_source_name(machine->tsc_source),
               (unsigned long long)machine->tsc_measured_hz);
    out_end(&out);
    store_append(run->store, RECORD_NOTE, &note, sizeof(note));
}

static void put_left_out(const struct run *run)
{
    struct note note = {.kind = NOTE_REMARK};
    struct out out = out_buffer(note.text, sizeof(note.text));

    if (run->kernels == run->kernels_asked)
        return;
    for (unsigned i = run->kernels; i < run->kernels_asked; i++) {
        struct left_out left_out;

        chosen_leave_out(&run->kernel[i], &left_out);
        store_append(run->store, RECORD_LEFT_OUT, &left_out, sizeof(left_out));
    }
    run_left_out(run, &out);
    out_end(&out);
    store_append(run->store, RECORD_NOTE, &note, sizeof(note));
}

static void put_plan_error(const struct run *run, const struct plan_error *error)
{
    struct note note = {.kind = NOTE_ERROR};
    struct out out = out_buffer(note.text, sizeof(note.text));

    run_plan_place(run, error, &out);
    out_printf(&out, "%s%s", out.used > 0 ? " " : "", error->text);
    out_end(&out);
    store_append(run->store, RECORD_NOTE, &note, sizeof(note));
}

static void put_plan_errors(const struct run *run)
{
    for (unsigned i = 0; i < run->plan.errors_kept; i++)
        put_plan_error(run, &run->plan.error[i]);
}

static void put_early_notes(const struct run *run)
{
    for (unsigned i = 0; i < early_notes(); i++)
        store_append(run->store, RECORD_NOTE, early_note(i), sizeof(*early_note(i)));
}

void records_start(const struct run *run)
{
    put_run(run);
    for (unsigned i = 0; i < run->kernels; i++)
        put_kernel(run, &run->kernel[i]);
    put_left_out(run);
    put_exceptions(run);
    put_doubt(run);
    put_plan_errors(run);
    put_early_notes(run);
}

void records_next(const struct run *run, uint32_t cpu, uint32_t kernel, uint32_t partner,
                  bool flush)
{
    const struct again again = {.cpu = cpu};
    const struct next next = {
        .cpu = cpu, .kernel = kernel, .partner = partner, .uptime_s = store_uptime_s(run->store)};

    if (run->plan.mode == MODE_PARALLEL ||
        run_is_shared(run, kernel)) /* the last records may be another CPU's */
        store_append(run->store, RECORD_AGAIN, &again, sizeof(again));
    store_append(run->store, RECORD_NEXT, &next, sizeof(next));
    if (flush)
        store_sync(run->store);
}

/* A machine with a slow console looks as if it hangs. */
static void note_console(const struct progress *p)
{
    const struct run *run = p->run;
    uint64_t us = (console_ticks() - p->console_ticks) / (run->machine->tsc_hz / US_PER_S);
    uint64_t all_us = machine_us(run->machine) - p->started_us;
    char time[TIME_WORDS_BYTES], all[TIME_WORDS_BYTES];

    if (us > SLOW_CONSOLE_US && us > all_us / 2)
        store_note(
            run->store, NOTE_REMARK,
            "the console is slow: it took %s of the run's %s; the measurements do not depend on it",
            time_words(us, false, time), time_words(all_us, false, all));
}

static void note_zeros(const struct progress *p)
{
    for (unsigned group = 0; !p->stopped && group <= GROUP_BUILT_IN; group++) {
        char text[NOTE_BYTES];
        struct out out = out_buffer(text, sizeof(text));

        if (zeros_say(&p->zeros, &p->run->plan, group, &out))
            store_note(p->run->store, NOTE_REMARK, "%s", out_end(&out));
    }
}

void records_end(const struct progress *p)
{
    struct store *store = p->run->store;
    struct end_record end;

    note_zeros(p);
    note_console(p);
    end = (struct end_record){
        .elapsed_us = machine_us(p->run->machine) - p->started_us,
        .memory_bytes = firmware_memory_taken(),
        .stopped = p->stopped,
        .samples_dropped = store->samples_dropped,
    };

    if (p->tally.lost == 0)
        store_append(store, RECORD_END, &end, sizeof(end));
    else
        store_note(store, NOTE_ERROR, "the run is incomplete: missing results, on all CPUs: %u",
                   p->tally.lost);
}
