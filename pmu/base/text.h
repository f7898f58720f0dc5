/* SPDX-License-Identifier: BSD-2-Clause */
/* The little of string.h that is needed; there is no C library in the image. */
#ifndef BARECOUNT_PMU_BASE_TEXT_H
#define BARECOUNT_PMU_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

size_t text_length(const char *text);
bool text_same(const char *a, const char *b);

/* Whether a text begins with another. */
bool text_starts(const char *text, const char *start);

/* Whether a stands before b in the order of their characters. */
bool text_before(const char *a, const char *b);

/* Where `what` first stands in a text, or null. */
const char *text_find(const char *text, const char *what);

/* Copies what fits into `size` bytes, with a zero at the end. */
void text_copy(char *to, size_t size, const char *from);

/* The character, or '?' for one that is not printable ASCII. */
static inline char text_printable(unsigned c)
{
    return c >= ' ' && c <= '~' ? (char)c : '?';
}

#endif
