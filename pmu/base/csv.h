/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files in \barecount\events have in common: lines of comma-separated fields (RFC 4180; a
 * field does not go on in the next line), LF or CRLF, empty lines, comments (#), and a first line
 * that names the format. Any bytes may stand in them.
 */
#ifndef BARECOUNT_PMU_BASE_CSV_H
#define BARECOUNT_PMU_BASE_CSV_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define EVENT_LINE_FIELDS_MAX 9u

/* Where errors go: the number of the line (from 1), and a sentence that is good only now. */
struct event_errors {
    void *context;
    void (*line)(void *context, uint32_t line, const char *sentence);
};

struct event_lines {
    const char *at;
    size_t left;
    uint32_t number; /* of the line that was read last */
    const struct event_errors *errors;
};

/*
 * Starts to read. The first line must be `format` and version 1, separated by a comma; else, and
 * for UTF-16, that is an error and it returns false: nothing of the file can be used.
 */
bool event_lines_open(struct event_lines *lines, const char *text, size_t size, const char *format,
                      const struct event_errors *errors);

/* The next line that is neither empty nor a comment, trimmed; false after the last one. */
bool event_lines_next(struct event_lines *lines, struct piece *line);

/* Adds an error of the line that was read last. */
void event_lines_error(const struct event_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The fields of a line, trimmed, without the quotes around them; two quotes that stand for one stay
 * two. Returns how many there are: those above EVENT_LINE_FIELDS_MAX are counted, not kept. 0: the
 * quotes are wrong.
 */
unsigned event_line_fields(struct piece line, struct piece field[EVENT_LINE_FIELDS_MAX]);

/* A CSV field, in quotes where RFC 4180 wants them. */
void csv_write(struct out *out, const char *text);

#endif
