/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a journal up to its last valid record. */
#include "pmu/files/render_parts.h"

void render_take(struct render *render, const void *journal, size_t journal_bytes)
{
    struct journal_cursor cursor = journal_start(journal, journal_bytes);

    while (journal_next(&cursor))
        ;
    render->journal = journal;
    render->journal_bytes = cursor.at;
    render->is_checked = true;
}

struct journal_cursor render_records(const struct render *render)
{
    struct journal_cursor cursor = journal_start(render->journal, render->journal_bytes);

    cursor.is_checked = render->is_checked;
    return cursor;
}

struct reading reading_start(const struct render *render)
{
    struct reading reading = {.cursor = render_records(render)};

    view_start(&reading.view, render->scratch, render->scratch_count);
    return reading;
}

const struct journal_head *reading_next(struct reading *reading)
{
    const struct journal_head *head = journal_next(&reading->cursor);

    reading->result = head ? view_take(&reading->view, &reading->cursor, head) : 0;
    return head;
}

const struct result *reading_next_result(struct reading *reading)
{
    while (reading_next(reading))
        if (reading->result)
            return reading->result;
    if (!reading->view.next || reading->is_cut_off)
        return 0;
    reading->is_cut_off = true;
    reading->cut_off = (struct result){
        .cpu = reading->view.next->cpu,
        .kernel = reading->view.next->kernel,
        .status = STATUS_CUT_OFF,
        .partner = reading->view.next->partner,
        .node = NODE_UNKNOWN,
    };
    return &reading->cut_off;
}

void render_run_id(const struct run_record *run, uint64_t journal_id, struct out *out)
{
    out_printf(out, "%04u-%016llx", run->number, (unsigned long long)journal_id);
}

bool render_cut_off(const struct render *render, struct cut_off *cut)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    uint32_t first_s = 0;

    while (reading_next(&reading))
        if (view->phase && first_s == 0)
            first_s = view->phase->uptime_s;
    *cut = (struct cut_off){.run = view->run, .phase = view->phase};
    if (!view->phase && !view->next)
        return false;
    cut->uptime_s = view->phase ? view->phase->uptime_s : view->next->uptime_s;
    cut->ran_s = first_s > 0 && cut->uptime_s > first_s ? cut->uptime_s - first_s : 0;
    if (view->phase)
        return true;
    cut->kernel = view->kernel[view->next->kernel];
    cut->next = view->next;
    return true;
}

static const struct {
    const char *name, *before, *after;
} PHASE_WORDS[PHASES] = {PHASE_LIST(LIST_ROW)};

static const char *detail_of(const struct phase *phase)
{
    return phase->kind == PHASE_STATE    ? state_name(phase->detail)
           : phase->kind == PHASE_UNCORE ? uncore_kind_name(phase->detail)
                                         : "";
}

void render_phase_name(const struct phase *phase, struct out *out)
{
    const char *detail =
        phase_is_of_boot_cpu(phase->kind, phase->detail) ? "boot" : detail_of(phase);

    out_printf(out, "phase %s%s%s", PHASE_WORDS[phase->kind].name, detail[0] ? " " : "", detail);
}

void render_phase_words(const struct phase *phase, struct out *out)
{
    out_printf(out, "%s%s%s", PHASE_WORDS[phase->kind].before, detail_of(phase),
               PHASE_WORDS[phase->kind].after);
    if (phase->cpu != CPU_NONE)
        out_printf(out, " CPU %u", phase->cpu);
}

const char *render_note(const struct journal_head *head, uint32_t kind)
{
    const struct note *note = journal_payload(head);
    const bool is_note = head->type == RECORD_NOTE && head->payload_bytes >= sizeof(*note) &&
                         note->kind == kind && note->text[sizeof(note->text) - 1] == 0;

    return is_note ? note->text : 0;
}

const struct rows *reading_rows(const struct reading *reading, const struct result *result)
{
    static struct rows rows;

    rows_judge(&rows, &reading->view, result);
    return &rows;
}

struct beginning render_beginning(const struct render *render)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;

    while (!(view->run && view->cpu && view->schedule) && reading_next(&reading))
        ;
    return (struct beginning){
        .run = view->run, .cpu = view->cpu, .passes = view->schedule ? view->schedule->passes : 0};
}

void render_cut_off_words(const struct cut_off *cut, struct out *out)
{
    out_text(out, "the run was cut off while ");
    if (cut->phase) {
        render_phase_words(cut->phase, out);
        return;
    }
    render_cut_off_cpus(cut, out);
    out_text(out, " ran ");
    render_cut_off_kernel(cut, out);
}

void render_how_cut_off(const struct render *render, struct out *out)
{
    struct cut_off cut;

    if (render_cut_off(render, &cut))
        render_cut_off_words(&cut, out);
    else
        out_text(out, "the run was cut off");
}

void render_cut_off_cpus(const struct cut_off *cut, struct out *out)
{
    if (cut->next->partner != CPU_NONE)
        out_printf(out, "CPUs %u and %u (or a pair that began less than a second later)",
                   cut->next->cpu, cut->next->partner);
    else if (cut->run->parallel)
        out_text(out, "all CPUs");
    else
        out_printf(out, "CPU %u", cut->next->cpu);
}

void render_cut_off_kernel(const struct cut_off *cut, struct out *out)
{
    out_text(out, cut->kernel->name);
    if (cut->kernel->file[0])
        out_printf(out, " (%s)", cut->kernel->file);
}
