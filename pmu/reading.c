/* SPDX-License-Identifier: BSD-2-Clause */
#include "reading.h"

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
    return 0;
}
