/* SPDX-License-Identifier: BSD-2-Clause */
/* Zero-terminated strings. */
#include "pmu/base/text.h"

size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

bool text_starts(const char *text, const char *start)
{
    while (*start && *text == *start) {
        text++;
        start++;
    }
    return *start == 0;
}

bool text_same(const char *a, const char *b)
{
    return text_length(a) == text_length(b) && text_starts(a, b);
}

bool text_before(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a < (unsigned char)*b;
}

const char *text_find(const char *text, const char *what)
{
    for (; *text; text++)
        if (text_starts(text, what))
            return text;
    return 0;
}

void text_copy(char *to, size_t size, const char *from)
{
    size_t i = 0;

    for (; from[i] && i + 1 < size; i++)
        to[i] = from[i];
    to[i] = 0;
}
