/* SPDX-License-Identifier: BSD-2-Clause */
/* Forwards new journal records to rows, tally and console. */
#include "boot/efi/console.h"
#include "boot/run/progress.h"

static void take(struct progress *p, const struct result *result)
{
    rows_judge(&p->rows, &p->view, result);
    tally_rows(&p->tally, &p->rows);
    zeros_take(&p->zeros, &p->rows);
    console_progress_end();
    report_result(&p->report, &p->rows);
}

void progress_catch_up(struct progress *p)
{
    const struct journal_head *head;

    p->cursor.bytes = p->run->store->journal.bytes;
    p->cursor.size = p->run->store->journal.used;
    while ((head = journal_next(&p->cursor))) {
        const struct result *result = view_take(&p->view, &p->cursor, head);

        if (result)
            take(p, result);
    }
}

void progress_cpu_start(struct progress *p)
{
    console_progress_end();
    report_cpu(&p->report, &p->view);
}

void progress_cpu_end(struct progress *p, unsigned cpu, const struct noise noise[2])
{
    console_progress_end();
    report_cpu_end(&p->report, p->view.run, cpu, noise);
}
