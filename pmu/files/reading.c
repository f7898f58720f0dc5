/* SPDX-License-Identifier: BSD-2-Clause */
/* A journal read from its start to the end of what can be trusted. */
#include "pmu/files/render_parts.h"

struct reading reading_start(const struct render *render)
{
    struct reading reading = {.cursor = journal_start(render->journal, render->journal_bytes)};

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

    while (reading_next(&reading))
        ;
    if (!view->next)
        return false;
    *cut = (struct cut_off){
        .run = view->run, .kernel = view->kernel[view->next->kernel], .next = view->next};
    return true;
}

void render_cut_off_cpus(const struct cut_off *cut, struct out *out)
{
    if (cut->next->partner != CPU_NONE)
        out_printf(out, "CPUs %u and %u", cut->next->cpu, cut->next->partner);
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
