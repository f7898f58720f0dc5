/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces string.h, because the image has no C library. */
#ifndef BARECOUNT_PMU_BASE_TEXT_H
#define BARECOUNT_PMU_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

size_t text_length(const char *text);
bool text_same(const char *a, const char *b);

/* Whether a text begins with `start`. */
bool text_starts(const char *text, const char *start);

/* Whether a sorts before b. */
bool text_before(const char *a, const char *b);

/* The first `what` in a text, or null. */
const char *text_find(const char *text, const char *what);

/* Copies a text, truncated to `size` bytes including the terminating zero. */
void text_copy(char *to, size_t size, const char *from);

/* '?' replaces unprintable characters. */
static inline char text_printable(unsigned c)
{
    return c >= ' ' && c <= '~' ? (char)c : '?';
}

#endif
