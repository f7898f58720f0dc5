/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a page is well formed and self-contained, and contains '<' and '>' only in markup. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_HTML_H
#define BARECOUNT_TESTS_UNIT_FAKES_HTML_H

#include <stdbool.h>
#include <string.h>

#define HTML_DEPTH_MAX 16u

static inline bool html_is_void(const char *name, size_t size)
{
    static const char *const VOID[] = {"!DOCTYPE", "meta", "br", "wbr"};

    for (size_t i = 0; i < sizeof(VOID) / sizeof(VOID[0]); i++)
        if (strlen(VOID[i]) == size && memcmp(VOID[i], name, size) == 0)
            return true;
    return false;
}

static inline bool html_asks(const char *page)
{
    static const char *const WORDS[] = {
        "<script", "<link", "<img", "<iframe", " src=", " href=", "url(", "@import", " onload="};

    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (strstr(page, WORDS[i]))
            return true;
    return false;
}

static inline bool html_is_valid(const char *page)
{
    const char *open[HTML_DEPTH_MAX];
    size_t sizes[HTML_DEPTH_MAX];
    unsigned depth = 0;

    for (const char *at = page; *at; at++) {
        bool ends = at[0] == '<' && at[1] == '/';
        const char *name = at + 1 + ends;
        size_t size = strcspn(name, " >/");
        const char *close = strpbrk(name, "<>");

        if (*at == '>')
            return false;
        if (*at != '<')
            continue;
        if (!close || *close != '>')
            return false;
        if (ends &&
            (depth == 0 || sizes[depth - 1] != size || memcmp(open[depth - 1], name, size) != 0))
            return false;
        if (ends) {
            depth--;
        } else if (!html_is_void(name, size) && close[-1] != '/') {
            if (depth == HTML_DEPTH_MAX)
                return false;
            open[depth] = name;
            sizes[depth++] = size;
        }
        at = close;
    }
    return depth == 0 && !html_asks(page);
}

#endif
