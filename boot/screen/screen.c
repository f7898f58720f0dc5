/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the first screen and the last lines of a run. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/net/remote.h"
#include "boot/screen/screen.h"
#include "pmu/base/text.h"

#define US_PER_S     1000000u
#define ERROR_INDENT 4u
#define ERRORS_SHOWN 16u /* run.json lists all errors */

static void put_plan_error(const struct run *run, const struct plan_error *error)
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

/* The run's RECORD_RUN does not exist yet, so this function fills in a struct run_record. */
void screen_plan(const struct run *run)
{
    const struct plan *plan = &run->plan;
    struct run_record record = {.cpus_planned = run->cpus,
                                .kernels = run->kernels,
                                .runs = plan->runs,
                                .runs_asked = run->runs_asked,
                                .max_time_s = plan->max_time_s};
    char time[TIME_WORDS_BYTES], text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (run->has_plan_file)
        text_copy(record.plan_name, sizeof(record.plan_name), run->request->plan_path);
    report_plan(&record, run->events->schedule->passes, console_out());
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
        put_plan_error(run, &plan->error[i]);
    if (plan->errors > 0)
        report_plan_errors(plan->errors, plan->errors > most ? ", all of them in run.json" : "",
                           plan->strict, console_out());
}

void screen_early_notes(void)
{
    for (unsigned i = 0; i < early_notes(); i++) {
        say("%s ", early_note(i)->kind == NOTE_ERROR ? "!" : "-");
        say_wrapped(early_note(i)->text, ERROR_INDENT);
    }
}

static void say_where(const struct run *run)
{
    if (run->store->on_stick)
        say("Results   \\%s on volume '%s', about %llu KiB\n", run->store->folder, files_volume(),
            (unsigned long long)(store_needs_bytes(&run->needs) >> 10));
    else
        say("Results   in memory, until the end of the run%s\n",
            run->plan.results.server[0] ? ""
            : remote_is_open()          ? "; server= in the plan's [results] sends them"
                                        : ": see below");
    if (run->plan.results.server[0])
        say("          and sent to %s\n", run->plan.results.server);
    if (remote_is_read())
        say("          plan, events and kernels come from %s\n", remote_name());
    else if (remote_is_open())
        say("          plan, events and kernels come from the volume, none from %s\n",
            remote_name());
    say("          writes only under \\barecount\n");
    say("Keys      Esc ends after the current kernel, with complete results; so does Q\n");
}

void screen_first(const struct run *run)
{
    say("\n");
    report_machine(&run->machine->record, &run->machine->boot_caps, console_out());
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
        say("Results   not written completely; see the lines with '!' above\n");
}

void screen_end(struct progress *p, const struct delivery *delivery)
{
    const struct store *store = p->run->store;
    struct render render = store->render;
    char text[TALLY_LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));
    uint64_t us = machine_us(p->run->machine) - p->started_us;

    report_rows(&p->report, &p->tally);
    render_take(&render, store->journal.bytes, store->journal.used);
    report_sums(&p->report, &render);
    report_trust(&render, console_out());
    report_left_out(p->run->kernels, p->run->kernels_asked, console_out());
    if (p->run->plan.results.check) {
        say("\n");
        report_check_txt(&render, console_out());
        say("\n");
    }
    say_results(p, delivery);
    report_time(us, p->stopped, SOURCE_BARE_METAL, console_out());
    tally_line(&p->tally, &line);
    say("%s\n", out_end(&line));
}
