/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded text output: into a fixed buffer, or through one to a file or the console.
 */
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
    /* Takes what has gathered; false ends the output. Null: the buffer is all there is. */
    bool (*drain)(void *context, const char *bytes, size_t count);
    void *context;
    bool failed; /* something did not fit or did not drain; everything after it is dropped */
};

/* Text into a buffer of at least one byte. */
struct out out_buffer(char *buffer, size_t size);

/* Text through a buffer to drain(). Call out_flush() at the end. */
struct out out_stream(char *buffer, size_t size,
                      bool (*drain)(void *context, const char *bytes, size_t count), void *context);

/* Ends a text in a buffer with a zero (cutting its last byte if it is full). Returns it. */
const char *out_end(struct out *o);

/* Drains what has gathered. False when any part of the output was lost. */
bool out_flush(struct out *o);

void out_char(struct out *o, char c);
void out_text(struct out *o, const char *text);

/*
 * The part of printf that is used here: %s %c %d %u %x %% with l and ll, a width (digits or *), and
 * the flags '-' and '0'. %s of a null pointer prints nothing.
 */
void out_printf(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_vprintf(struct out *o, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* In a function of a format and `...`: these as a text in a buffer, ended as out_end() does. */
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

/* A text in a buffer, ended in the same way. Returns it. */
const char *out_put(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number as the manuals write it, of two digits at least: "2EH". */
void out_hex(struct out *o, uint64_t value);

/* A number of thousandths as a decimal: 1500 is "1.5", -250 "-0.25", 2000 "2". */
void out_milli(struct out *o, int64_t thousandths);

/* Bytes in the largest unit that they are whole in: 4096 is "4K", 2097152 "2M", 100 "100". */
void out_size(struct out *o, uint64_t bytes);

/*
 * A time as people say it: "26 s", with `tenths` "25.9 s"; from two minutes on "7 min 20 s", from
 * an hour on "2 h 05 min". What is less than its last unit is left out.
 */
#define TIME_WORDS_BYTES 32u
const char *time_words(uint64_t us, bool tenths, char text[TIME_WORDS_BYTES]);

/* Spaces up to the given column (0-based) of a line that started at byte `line` of `used`. */
void out_pad(struct out *o, size_t line, size_t column);

#endif
