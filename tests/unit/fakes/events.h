/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs, event files and reported errors, for tests of events. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_EVENTS_H
#define BARECOUNT_TESTS_UNIT_FAKES_EVENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fakes/skylake.h"
#include "pmu/events/table.h"

#define ROOM 64u

/* `line` and `sentence` are those of the last error. */
static struct {
    unsigned count;
    uint32_t line;
    char sentence[256];
} reported;

static inline void note_error(void *context, uint32_t line, const char *sentence)
{
    (void)context;
    reported.count++;
    reported.line = line;
    snprintf(reported.sentence, sizeof(reported.sentence), "%s", sentence);
}

struct bad_line {
    const char *line, *says;
};

static inline void expect_reported(uint32_t line, const struct bad_line *of)
{
    if (reported.count != 1 || reported.line != line || !strstr(reported.sentence, of->says))
        fail_msg("'%s': %u, line %u: %s", of->line, reported.count, reported.line,
                 reported.sentence);
}

static const struct event_errors ERRORS = {.line = note_error};

static struct event_entry entries[ROOM];
static struct event_tables tables;

/* The copies have exact sizes, so that overruns are caught. */
static char *kept_texts[16];
static unsigned kept_count;

static inline void forget_tables(void)
{
    while (kept_count > 0)
        free(kept_texts[--kept_count]);
    tables = (struct event_tables){.entry = entries, .room = ROOM};
    memset(&reported, 0, sizeof(reported));
}

static inline char *keep_text(const char *text, size_t size)
{
    assert_true(kept_count < 16);
    return kept_texts[kept_count++] = copy_of(text, size);
}

static inline size_t read_bytes(const char *text, size_t size, bool users_own,
                                const struct cpu_caps *caps)
{
    return event_table_read(&tables, keep_text(text, size), size, caps, users_own, &ERRORS);
}

#define TABLE_HEAD                                                                                 \
    "barecount-events,1,test\nname,select,counters,fixed,flags,msr,value,description\n"
#define USERS_HEAD "barecount-events,1\n"

static inline size_t read_table(const char *rows)
{
    const char *text = formatted(TABLE_HEAD "%s", rows);

    return read_bytes(text, strlen(text), false, &SKYLAKE);
}

static inline size_t read_own(const char *rows)
{
    const char *text = formatted(USERS_HEAD "%s", rows);

    return read_bytes(text, strlen(text), true, &SKYLAKE);
}

static inline const struct event_entry *entry(const char *name)
{
    const struct event_entry *found = event_table_find(&tables, piece_of(name));

    assert_non_null(found);
    return found;
}

#endif
