/* SPDX-License-Identifier: BSD-2-Clause */
/* Text output to a fixed buffer, or through a buffer to a file or the console. */
#ifndef BARECOUNT_PMU_BASE_OUT_H
#define BARECOUNT_PMU_BASE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out {
    char *buffer;
    size_t size;
    size_t used;
    /*
     * Writes the buffered bytes; if it returns false, `failed` is set. Null: the output stays in
     * the buffer.
     */
    bool (*drain)(void *context, const char *bytes, size_t count);
    void *context;
    bool failed; /* output was lost (no room, or drain() failed); later output is lost too */
};

/* Output into a buffer of at least one byte. */
struct out out_buffer(char *buffer, size_t size);

/* The caller must end with out_flush(). */
struct out out_stream(char *buffer, size_t size,
                      bool (*drain)(void *context, const char *bytes, size_t count), void *context);

/* Ends the text with a zero, which replaces the last byte of a full buffer. */
const char *out_end(struct out *o);

/* Drains the buffered bytes. False if any part of the output was lost. */
bool out_flush(struct out *o);

void out_char(struct out *o, char c);
void out_text(struct out *o, const char *text);

/*
 * Supports %s %c %d %u %x %%, l and ll, a width (digits or *), and the flags '-' and '0'. %s of a
 * null pointer prints nothing.
 */
void out_printf(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_vprintf(struct out *o, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* In a variadic function: formats the arguments into a buffer and calls out_end(). */
#define OUT_FORMAT(buffer, size, format)                                                           \
    do {                                                                                           \
        struct out ended = out_buffer(buffer, size);                                               \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        out_vprintf(&ended, format, arguments);                                                    \
        va_end(arguments);                                                                         \
        out_end(&ended);                                                                           \
    } while (0)

/* Formats into a buffer, calls out_end(), and returns the buffer. */
const char *out_put(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a hexadecimal number with at least two digits: "2EH". */
void out_hex(struct out *o, uint64_t value);

/* Writes thousandths as a decimal number: 1500 as "1.5", -250 as "-0.25". */
void out_milli(struct out *o, int64_t thousandths);

/* Writes a size in the largest unit that divides it: 4096 as "4K", 2097152 as "2M". */
void out_size(struct out *o, uint64_t bytes);

/*
 * Writes a duration, rounded down: "25 s", or "25.9 s" with `tenths`; from two minutes on "7 min 20
 * s"; from one hour on "2 h 05 min".
 */
#define TIME_WORDS_BYTES 32u
const char *time_words(uint64_t us, bool tenths, char text[TIME_WORDS_BYTES]);

/* Writes "1 CPU" or "2 passes". */
#define COUNTED_BYTES 48u
const char *counted(uint64_t count, const char *noun, char text[COUNTED_BYTES]);

/* Writes spaces up to a column (from 0) of the line that starts at byte `line`. */
void out_pad(struct out *o, size_t line, size_t column);

#endif
