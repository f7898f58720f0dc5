/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes CSV. All files in \barecount\events have the same syntax: The first line that is
 * neither empty nor a comment names the format and its version. Each further line contains
 * comma-separated fields as in RFC 4180, except that no field spans lines. Lines end with LF or
 * CRLF. Empty lines and comments (#) are ignored. Fields may contain any bytes but LF.
 */
#ifndef BARECOUNT_PMU_BASE_CSV_H
#define BARECOUNT_PMU_BASE_CSV_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define EVENT_LINE_FIELDS_MAX 10u

/*
 * line() is called for each error, with the line's number (from 1) and a message that is valid only
 * during the call.
 */
struct event_errors {
    void *context;
    void (*line)(void *context, uint32_t line, const char *sentence);
};

struct event_lines {
    const char *at;
    size_t left;
    uint32_t number; /* number of the last line read */
    const struct event_errors *errors;
};

/*
 * Reads the first line of a file's text that is neither empty nor a comment. This line must begin
 * with `format` and ",1", the version. If the line differs or is missing, or the text is UTF-16,
 * reports an error and returns false; the caller must then read no further lines.
 */
bool event_lines_open(struct event_lines *lines, const char *text, size_t size, const char *format,
                      const struct event_errors *errors);

/* Reads and trims the next line that is neither empty nor a comment; false at the end of file. */
bool event_lines_next(struct event_lines *lines, struct piece *line);

/* Reports an error in the last line read. */
void event_lines_error(const struct event_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Splits a line into fields, and removes the blanks and quotes around each field. A doubled quote
 * inside a field stays doubled. Stores at most EVENT_LINE_FIELDS_MAX fields, and returns how many
 * fields the line contains, or 0 if a quote is misplaced or missing.
 */
unsigned event_line_fields(struct piece line, struct piece field[EVENT_LINE_FIELDS_MAX]);

/* Writes a CSV field, quoted where RFC 4180 requires it. */
void csv_write(struct out *out, const char *text);

#endif
