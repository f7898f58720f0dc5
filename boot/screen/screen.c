/* SPDX-License-Identifier: BSD-2-Clause */
/* The first screen and the last lines. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/net/remote.h"
#include "boot/screen/screen.h"
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"

#define US_PER_S     1000000u
#define ERROR_INDENT 4u
#define ERRORS_SHOWN 16u /* of the plan, before a run; run.json has them all */

static void say_tsc(const struct machine *machine)
{
    uint64_t khz = machine->tsc_hz / 1000, measured_khz = machine->tsc_measured_hz / 1000;

    say("TSC       %llu.%03llu MHz, %s%s\n", (unsigned long long)(khz / 1000),
        (unsigned long long)(khz % 1000), tsc_source_name(machine->tsc_source),
        caps_has(&machine->boot_caps, FEATURE_TSC_CONST) ? "" : "; not invariant");
    if (tsc_is_doubtful(machine->tsc_hz, machine->tsc_measured_hz))
        say("! TSC     %llu.%llu MHz against the ACPI timer: MHz and ns are that doubtful\n",
            (unsigned long long)(measured_khz / 1000),
            (unsigned long long)(measured_khz % 1000 / 100));
}

static void say_machine(const struct machine *machine)
{
    const struct run_record *record = &machine->record;
    const struct cpu_caps *caps = &machine->boot_caps;
    const struct cpus *cpus = &machine->cpus;
    const char *brand = caps->brand;

    while (*brand == ' ')
        brand++;
    say("Machine   %s %s\n", record->smbios.maker,
        record->smbios.maker[0] || record->smbios.product[0] ? record->smbios.product
                                                             : "SMBIOS does not name it");
    if (record->emulated)
        say("          " EMULATION_WORDS "\n");
    say("Firmware  %s %s, UEFI %u.%u\n", record->firmware_vendor, record->smbios.firmware_version,
        record->uefi_revision >> 16, (record->uefi_revision & 0xffff) / 10);
    if (record->secure_boot == SECURE_BOOT_ON)
        say("          Secure Boot is on\n");
    say("CPU       %s\n", brand[0] ? brand : caps->vendor_id);
    say("          %s, family %u, model %u, stepping %u; CPUs: %u, usable: %u\n",
        caps_vendor_name(caps), caps->family, caps->model, caps->stepping, cpus->count,
        cpus->usable);
    say_tsc(machine);
}

/* Its place and its sentence: on one line where they fit. */
void screen_plan_error(const struct run *run, const struct plan_error *error)
{
    char text[FILE_PATH_BYTES + 16];
    struct out place = out_buffer(text, sizeof(text));

    run_plan_place(run, error, &place);
    out_end(&place);
    say("! %s", text);
    if (text[0] && text_length(text) + text_length(error->text) + 3 > CONSOLE_COLUMNS)
        say("\n   ");
    if (text[0])
        say(" ");
    say_wrapped(error->text, ERROR_INDENT);
}

#define COUNTED_BYTES 24u

/* "1 CPU", "2 CPUs", "2 passes". */
static const char *counted(unsigned count, const char *noun, char text[COUNTED_BYTES])
{
    struct out out = out_buffer(text, COUNTED_BYTES);
    size_t length = text_length(noun);

    out_printf(&out, "%u %s%s", count, noun,
               count == 1                ? ""
               : noun[length - 1] == 's' ? "es"
                                         : "s");
    return out_end(&out);
}

void screen_plan(const struct run *run)
{
    const struct plan *plan = &run->plan;
    char cpus[COUNTED_BYTES], kernels[COUNTED_BYTES], runs[COUNTED_BYTES], passes[COUNTED_BYTES];
    char time[TIME_WORDS_BYTES], text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    say("Plan      %s%s: %s, %s, ", run->has_plan_file ? "\\" : "",
        run->has_plan_file ? run->request->plan_path : "built in", counted(run->cpus, "CPU", cpus),
        counted(run->kernels, "kernel", kernels));
    say("%s in %s\n", counted(plan->runs, "run", runs),
        counted(run->events->schedule->passes, "pass", passes));
    if (plan->runs < run->runs_asked)
        say("          %u runs would take over %s; runs=%u in the plan gets them\n",
            run->runs_asked, plan->max_time_s > 0 ? "max_time" : "ten minutes", run->runs_asked);
    say("Time      about %s\n", time_words(run->expected_us + US_PER_S, false, time));
    if (run->kernels < run->kernels_asked) {
        run_left_out(run, &out);
        say("! ");
        say_wrapped(out_end(&out), ERROR_INDENT);
    }
}

void screen_plan_errors(const struct run *run, unsigned most)
{
    const struct plan *plan = &run->plan;

    for (unsigned i = 0; i < plan->errors_kept && i < most; i++)
        screen_plan_error(run, &plan->error[i]);
    if (plan->errors > 0)
        say("! plan errors: %u%s; %s\n", plan->errors,
            plan->errors > most ? ", all of them in run.json" : "",
            plan->strict ? "strict=yes: nothing is measured" : "the rest of the plan holds");
}

void screen_early_notes(void)
{
    for (unsigned i = 0; i < early_notes(); i++) {
        say("%s ", early_note(i)->kind == NOTE_ERROR ? "!" : "-");
        say_wrapped(early_note(i)->text, ERROR_INDENT);
    }
}

/* Where the results go, and how to stop. */
static void say_where(const struct run *run)
{
    if (run->store->on_stick)
        say("Results   \\%s on volume '%s', about %llu KiB\n", run->store->folder, files_volume(),
            (unsigned long long)((run->needs.journal_bytes + run->needs.samples_bytes) >> 10));
    else
        say("Results   in memory, until the end of the run%s\n",
            run->plan.results.server[0] ? ""
            : remote_is_open()          ? "; server= in the plan's [results] sends them"
                                        : ": see below");
    if (run->plan.results.server[0])
        say("          and sent to %s\n", run->plan.results.server);
    if (remote_is_read())
        say("          plan, events and kernels are those of %s\n", remote_name());
    else if (remote_is_open())
        say("          plan, events and kernels are the volume's: none came from %s\n",
            remote_name());
    say("          writes only under \\barecount\n");
    say("Keys      Esc ends after the current kernel, with complete results; so does Q\n");
}

void screen_first(const struct run *run)
{
    say("\nbarecount " BARECOUNT_VERSION
        ": hardware counters, with no operating system in between\n\n");
    say_machine(run->machine);
    report_pmu(&run->machine->boot_caps, console_out());
    screen_plan(run);
    say_where(run);
    screen_early_notes();
    screen_plan_errors(run, ERRORS_SHOWN);
}

void screen_progress(const struct progress *p, unsigned cpu, const char *what)
{
    const unsigned units = run_units(p->run);
    uint64_t us = machine_us(p->run->machine) - p->started_us;
    char time[TIME_WORDS_BYTES];
    uint64_t left_us = p->done > 0 ? us * (units - p->done) / p->done : p->run->expected_us;

    console_progress("CPU %u  %s  %u of %u, about %s left", cpu, what, p->done + 1, units,
                     time_words(left_us + US_PER_S, false, time));
}

static void say_results(const struct progress *p, const struct delivery *delivery)
{
    const struct run *run = p->run;
    const bool on_volume = delivery->on_volume && p->tally.lost == 0;

    if (on_volume)
        say("Results   \\%s on volume '%s'\n", run->store->folder, files_volume());
    if (delivery->on_server)
        say("Sent      %s%s-...\n", run->plan.results.server, delivery->uploaded);
    if (on_volume || delivery->on_server)
        return;
    if (delivery->framed)
        say("Results   sent over the serial line, not on a volume; see the lines with '!'\n");
    else
        say("Results   not written whole; see the lines with '!' above\n");
}

void screen_end(struct progress *p, const struct delivery *delivery)
{
    const struct store *store = p->run->store;
    struct render render = store->render;
    char text[CONSOLE_COLUMNS + 1], time[TIME_WORDS_BYTES];
    struct out line = out_buffer(text, sizeof(text));
    uint64_t us = machine_us(p->run->machine) - p->started_us;

    report_rows(&p->report, &p->tally);
    render.journal = store->journal.bytes;
    render.journal_bytes = store->journal.used;
    report_sums(&p->report, &render);
    if (p->run->kernels < p->run->kernels_asked)
        say("Left out  %u of %u kernels, by max_time; their names stand above\n",
            p->run->kernels_asked - p->run->kernels, p->run->kernels_asked);
    say_results(p, delivery);
    say("Time      %s%s\n", time_words(us, true, time), p->stopped ? ", ended early by a key" : "");
    tally_line(&p->tally, &line);
    say("%s\n", out_end(&line));
}
