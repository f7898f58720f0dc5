/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syntax that all files in \barecount\events share: lines of comma-separated fields (RFC 4180,
 * but no field spans lines), ended by LF or CRLF, with empty lines and comments (#) allowed, and a
 * first line that names the format. Any bytes are accepted.
 */
#ifndef BARECOUNT_PMU_BASE_CSV_H
#define BARECOUNT_PMU_BASE_CSV_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define EVENT_LINE_FIELDS_MAX 9u

/* Receives errors: the line's number (from 1) and a sentence that is valid only during the call. */
struct event_errors {
    void *context;
    void (*line)(void *context, uint32_t line, const char *sentence);
};

struct event_lines {
    const char *at;
    size_t left;
    uint32_t number; /* of the last line read */
    const struct event_errors *errors;
};

/*
 * Starts reading. The first line must be `format`, a comma, and version 1. Returns false after
 * reporting an error if the first line differs or the text is UTF-16; do not use the file then.
 */
bool event_lines_open(struct event_lines *lines, const char *text, size_t size, const char *format,
                      const struct event_errors *errors);

/* The next line that is neither empty nor a comment, trimmed; false at the end of the file. */
bool event_lines_next(struct event_lines *lines, struct piece *line);

/* Reports an error in the last line read. */
void event_lines_error(const struct event_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Splits a line into trimmed fields without their quotes; a doubled quote inside stays doubled.
 * Returns the number of fields, of which the first EVENT_LINE_FIELDS_MAX are stored; 0 when the
 * quotes are wrong.
 */
unsigned event_line_fields(struct piece line, struct piece field[EVENT_LINE_FIELDS_MAX]);

/* Writes a CSV field, quoted where RFC 4180 requires it. */
void csv_write(struct out *out, const char *text);

#endif
