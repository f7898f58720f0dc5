/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a run's first and last lines on standard output. */
#include <stdio.h>

#include "pmu/base/text.h"
#include "scripts/linux/screen.h"

#define US_PER_S     1000000u
#define ERROR_INDENT 4u
#define LONG_PLACE   40u /* half a line */

static bool write_out(void *context, const char *bytes, size_t count)
{
    (void)context;
    fwrite(bytes, 1, count, stdout);
    fflush(stdout);
    return true;
}

struct out *screen_out(void)
{
    static char buffer[256];
    static struct out out;

    if (!out.drain)
        out = out_stream(buffer, sizeof(buffer), write_out, NULL);
    return &out;
}

void screen_first(const struct linux_run *run, const char *folder)
{
    struct run_record record;
    unsigned first = 0;
    char time[TIME_WORDS_BYTES], text[NOTE_BYTES];
    struct out left_out = out_buffer(text, sizeof(text));

    while (!run->measured[first])
        first++;
    run_describe(run, &record);
    report_machine(&record, &run->host->cpu[first].caps, screen_out());
    report_plan(&record, 0, screen_out());
    printf("Time      about %s\n", time_words(run->expected_us + US_PER_S, false, time));
    if (run->kernels < run->kernels_asked) {
        run_left_out(run, &left_out);
        printf("! ");
        report_wrapped(out_end(&left_out), ERROR_INDENT, screen_out());
        out_flush(screen_out());
    }
    if (folder)
        printf("Results   %s\n", folder);
}

static void say_error(const char *place, const char *sentence)
{
    const size_t bytes = text_length(place);
    char text[LONG_PLACE + EARLY_ERROR_BYTES + PLAN_ERROR_BYTES];

    if (bytes > LONG_PLACE)
        printf("! %.*s\n    ", (int)bytes - 1, place);
    else
        printf("! ");
    snprintf(text, sizeof(text), "%s%s", bytes > LONG_PLACE ? "" : place, sentence);
    fflush(stdout);
    report_wrapped(text, ERROR_INDENT, screen_out());
    out_flush(screen_out());
}

void screen_early_errors(void)
{
    for (unsigned i = 0; i < early_error_count; i++)
        say_error("", early_errors[i]);
}

void screen_error(const struct linux_run *run, const struct plan_error *error)
{
    char place[PLACE_BYTES];

    say_error(run_place(run, error, place), error->text);
}

void screen_errors(const struct linux_run *run)
{
    const struct plan *plan = &run->plan;

    screen_early_errors();
    for (unsigned i = 0; i < plan->errors_kept; i++)
        screen_error(run, &plan->error[i]);
    if (plan->errors > 0)
        report_plan_errors(plan->errors, "", plan->strict, screen_out());
}

void screen_end(struct linux_run *run, const struct render *render)
{
    char text[TALLY_LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    report_rows(&run->report, &run->tally);
    report_sums(&run->report, render);
    report_left_out(run->kernels, run->kernels_asked, screen_out());
    printf("Results   %s/%04u\n", run->folder, run->number);
    fflush(stdout);
    report_time(run->elapsed_us, *run->stopped ? STOPPED_BY_USER : STOPPED_NOT, SOURCE_LINUX,
                screen_out());
    tally_line(&run->tally, &line);
    printf("%s\n", out_end(&line));
}
