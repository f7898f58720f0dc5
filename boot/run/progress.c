/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/run/progress.h"
#include "boot/screen/table.h"

void progress_catch_up(struct progress *p)
{
    const struct journal_head *head;

    p->cursor.bytes = p->run->store->journal.bytes;
    p->cursor.size = p->run->store->journal.used;
    while ((head = journal_next(&p->cursor))) {
        const struct result *result = view_take(&p->view, &p->cursor, head);

        if (result)
            report_result(p->run, &p->view, result);
    }
}
