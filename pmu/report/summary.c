/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders summary.txt from a run's journal. */
#include "pmu/files/render_parts.h"
#include "pmu/report/parts.h"

#define NOTE_INDENT  4u
#define BUFFER_BYTES 256u

/* Too large (340 KiB) for a stack. */
struct retelling {
    const struct render *render;
    struct reading reading;
    struct report report;
    struct tally tally;
    bool is_together;  /* the last lines of all CPUs come after all kernels */
    uint32_t shared;   /* kernel of several CPUs that is being reported; KERNEL_CALIBRATION: none */
    unsigned left_out; /* kernels left out because of max_time= */
    const struct cpu_record *started; /* the last CPU reported */
    unsigned open;                    /* number of CPUs whose last lines are not yet written */
    uint16_t cpu[PLAN_CPUS_MAX];
    const struct noise *noise[PLAN_CPUS_MAX][2]; /* null: none */
    struct out out;
    char buffer[BUFFER_BYTES];
};

/* Copies the report's text to the file's buffer, and does not flush that buffer. */
static bool pass_on(void *context, const char *bytes, size_t count)
{
    struct out *out = context;

    for (size_t i = 0; i < count; i++)
        out_char(out, bytes[i]);
    return !out->failed;
}

static void end_shared(struct retelling *r)
{
    if (r->shared != KERNEL_CALIBRATION)
        report_pairs_end(&r->report, r->reading.view.kernel[r->shared]);
    r->shared = KERNEL_CALIBRATION;
}

static void end_cpus(struct retelling *r)
{
    end_shared(r);
    for (unsigned i = 0; i < r->open; i++) {
        struct noise noise[2] = {0};

        for (unsigned when = NOISE_BEFORE; when <= NOISE_AFTER; when++)
            if (r->noise[r->cpu[i]][when])
                noise[when] = *r->noise[r->cpu[i]][when];
        report_cpu_end(&r->report, r->reading.view.run, r->cpu[i], noise);
    }
    r->open = 0;
}

/*
 * Called at the record of a CPU's first noise measurement or calibration. All records that describe
 * the CPU have been read by then.
 */
static void start_cpu(struct retelling *r)
{
    const struct view *view = &r->reading.view;
    const uint32_t number = view->cpu ? view->cpu->cpu : PLAN_CPUS_MAX;

    if (number >= PLAN_CPUS_MAX || r->open == PLAN_CPUS_MAX || !view->schedule ||
        r->started == view->cpu)
        return;
    r->started = view->cpu;
    if (!r->is_together)
        end_cpus(r);
    if (view->state)
        report_state(&r->report, view->cpu, view->state);
    report_cpu(&r->report, view);
    r->cpu[r->open++] = (uint16_t)number;
}

static void calibrate(struct retelling *r)
{
    start_cpu(r);
    report_calibration(&r->report, &r->reading.view);
}

static void tell_result(struct retelling *r, const struct result *result)
{
    const struct rows *rows = reading_rows(&r->reading, result);
    const struct known_kernel *kernel = r->reading.view.kernel[result->kernel];
    const bool is_shared = kernel->flags & (KNOWN_PAIR | KNOWN_CROWD);

    if (r->shared != (is_shared ? result->kernel : KERNEL_CALIBRATION))
        end_shared(r);
    if (is_shared && r->shared == KERNEL_CALIBRATION) {
        report_pairs_start(&r->report);
        r->shared = result->kernel;
    }
    tally_rows(&r->tally, rows);
    report_result(&r->report, rows);
}

static void tell_note(const struct retelling *r, const struct journal_head *head)
{
    const char *error = render_note(head, NOTE_ERROR), *remark = render_note(head, NOTE_REMARK);

    if (!error && !remark)
        return;
    out_printf(r->report.out, "%c ", error ? '!' : '-');
    report_wrapped(error ? error : remark, NOTE_INDENT, r->report.out);
}

static void keep_noise(struct retelling *r)
{
    const struct noise *noise = r->reading.view.noise;

    if (!noise || noise->cpu >= PLAN_CPUS_MAX || noise->when > NOISE_AFTER)
        return;
    r->noise[noise->cpu][noise->when] = noise;
    if (noise->when == NOISE_BEFORE)
        start_cpu(r);
}

static void take(struct retelling *r, const struct journal_head *head)
{
    const struct view *view = &r->reading.view;
    const struct result *result = journal_payload(head);

    if (r->reading.result)
        tell_result(r, r->reading.result);
    else if (head->type == RECORD_RESULT && view->cpu && view->calibration == result)
        calibrate(r);
    else if (head->type == RECORD_NOISE)
        keep_noise(r);
    else if (head->type == RECORD_NOTE)
        tell_note(r, head);
    else if (head->type == RECORD_LEFT_OUT)
        r->left_out++;
    if (head->type == RECORD_KERNEL && view->kernels > 0 && view->kernel[view->kernels - 1])
        r->is_together |=
            (view->kernel[view->kernels - 1]->flags & (KNOWN_PAIR | KNOWN_CROWD)) != 0;
}

static void tell_end(struct retelling *r)
{
    struct out *out = r->report.out;
    const struct run_record *run = r->reading.view.run;
    char line[VERDICT_LINE_BYTES], text[NOTE_BYTES];
    struct out verdict = out_buffer(line, sizeof(line)), words = out_buffer(text, sizeof(text));
    struct end_record end;

    r->tally.plan_errors = run->plan_errors;
    r->tally.refused = run_refused(run);
    report_rows(&r->report, &r->tally);
    report_sums(&r->report, r->render);
    report_trust(r->render, out);
    report_left_out(run->kernels, run->kernels + r->left_out, out);
    if (render_end(r->render, &end)) {
        report_time(end.elapsed_us, end.stopped, run->source, out);
    } else {
        render_how_cut_off(r->render, &words);
        out_printf(out, "! %s\n", out_end(&words));
    }
    render_verdict(r->render, &r->tally, &verdict);
    out_printf(out, "%s\n", out_end(&verdict));
}

static void tell_start(struct retelling *r, const struct beginning *first)
{
    const struct run_record *run = first->run;
    struct out *out = r->report.out;

    report_machine(run, first->cpu ? &first->cpu->caps : 0, out);
    report_plan(run, run->source == SOURCE_LINUX ? 0 : first->passes, out);
    if (run->plan_errors > 0)
        report_plan_errors(run->plan_errors, "", run->plan_flags & RUN_PLAN_STRICT, out);
}

static void start(struct retelling *r, const struct render *render, const struct run_record *run,
                  struct out *out)
{
    r->render = render;
    r->reading = reading_start(render);
    r->out = out_stream(r->buffer, sizeof(r->buffer), pass_on, out);
    report_start(&r->report, &r->out, run->cpus_planned);
    r->tally = (struct tally){0};
    r->is_together = run->parallel;
    r->shared = KERNEL_CALIBRATION;
    r->started = 0;
    r->open = r->left_out = 0;
    for (unsigned i = 0; i < PLAN_CPUS_MAX; i++)
        r->noise[i][NOISE_BEFORE] = r->noise[i][NOISE_AFTER] = 0;
}

bool report_summary_txt(const struct render *render, struct out *out)
{
    static struct retelling r;
    const struct beginning first = render_beginning(render);
    const struct journal_head *head;
    const struct result *result;

    if (!first.run)
        return out_flush(out);
    start(&r, render, first.run, out);
    tell_start(&r, &first);
    while ((head = reading_next(&r.reading)))
        take(&r, head);
    while ((result = reading_next_result(&r.reading)))
        tell_result(&r, result);
    end_cpus(&r);
    tell_end(&r);
    out_flush(&r.out);
    return out_flush(out);
}
