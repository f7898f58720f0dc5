/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of fakes/run.h: reads the journal back, with its view and results. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_LOOK_H
#define BARECOUNT_TESTS_UNIT_FAKES_LOOK_H

#define RUN_RESULTS_MAX 4u
static struct view run_view;
static const struct result *run_results[RUN_RESULTS_MAX], *run_last;
static unsigned run_results_count;
static int64_t run_scratch[256];

static inline void run_look(void)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head;

    run_results_count = 0;
    run_last = NULL;
    view_start(&run_view, run_scratch, sizeof(run_scratch) / sizeof(run_scratch[0]));
    while ((head = journal_next(&cursor))) {
        const struct result *result = view_take(&run_view, &cursor, head);

        if (result && run_results_count < RUN_RESULTS_MAX)
            run_results[run_results_count++] = result;
        run_last = result ? result : run_last;
    }
}

static inline void run_look_at(unsigned kernel)
{
    run_result(kernel, STATUS_OK);
    run_look();
}

static inline void run_measure(unsigned kernel)
{
    run_calibration();
    run_look_at(kernel);
}

static inline const struct rows *run_rows(void)
{
    static struct rows rows;

    rows_judge(&rows, &run_view, run_last);
    return &rows;
}

static inline unsigned run_event(const char *name)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (strcmp(EVENTS[e].name, name) == 0 || strcmp(run_events[e].name, name) == 0)
            return e;
    abort();
}

#endif
