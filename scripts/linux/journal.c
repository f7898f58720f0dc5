/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the run's journal, appends to it and reads it back for the console. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripts/lib/render_files.h"
#include "scripts/linux/run.h"

#define JOURNAL_BYTES_MOST  (64ull << 30) /* address space; memory use grows with the journal */
#define JOURNAL_BYTES_LEAST (64ull << 20)
#define VALUES_MAX          RENDER_VALUES_MAX

void run_note(struct linux_run *run, enum note_kind kind, const char *format, ...)
{
    struct note note = {.kind = kind};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(note.text, sizeof(note.text), format, arguments);
    va_end(arguments);
    run_append(run, RECORD_NOTE, &note, sizeof(note));
}

bool run_append(struct linux_run *run, uint32_t type, const void *payload, size_t bytes)
{
    bool done = journal_append(&run->journal, type, payload, bytes);

    run->tally.lost += !done;
    return done;
}

void run_catch_up(struct linux_run *run)
{
    const struct journal_head *head;

    while (run->written < run->journal.used) {
        ssize_t wrote = write(run->journal_file, run->journal.bytes + run->written,
                              run->journal.used - run->written);

        if (wrote <= 0) {
            run->write_errno = wrote < 0 ? errno : ENOSPC;
            break;
        }
        run->written += (size_t)wrote;
    }
    run->cursor.bytes = run->journal.bytes;
    run->cursor.size = run->journal.used;
    while ((head = journal_next(&run->cursor))) {
        const struct result *result = view_take(&run->view, &run->cursor, head);

        if (!result)
            continue;
        rows_judge(&run->rows, &run->view, result);
        tally_rows(&run->tally, &run->rows);
        zeros_take(&run->zeros, &run->rows);
        report_result(&run->report, &run->rows);
    }
}

bool run_make_journal(struct linux_run *run)
{
    static int64_t scratch[VALUES_MAX];
    uint64_t bytes = JOURNAL_BYTES_MOST;
    char *at = MAP_FAILED;

    for (; at == MAP_FAILED && bytes >= JOURNAL_BYTES_LEAST; bytes /= 2) {
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
        run->journal = (struct journal){
            .bytes = at, .size = bytes, .run_id = host_us() << 16 | (uint64_t)run->number};
    }
    run->scratch = scratch;
    run->scratch_count = VALUES_MAX;
    view_start(&run->view, scratch, VALUES_MAX);
    return at != MAP_FAILED;
}
