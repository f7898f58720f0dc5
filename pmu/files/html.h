/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTML in pieces, each put whole or not at all, so that a page has a bound and stays well formed.
 * What comes from outside goes through html_escape().
 */
#ifndef BARECOUNT_PMU_FILES_HTML_H
#define BARECOUNT_PMU_FILES_HTML_H

#include "pmu/base/out.h"

#define HTML_PIECE_BYTES 6144u

/* Large (6 KiB): never on a stack. */
struct html {
    struct out *out;
    uint64_t bytes;    /* that were put */
    uint64_t limit;    /* of them, for html_put() */
    uint32_t left_out; /* pieces that were beyond it, since html_limit() */
    struct out piece;
    char text[HTML_PIECE_BYTES];
};

void html_start(struct html *html, struct out *out);

/* A text as it is shown, in an element or in an attribute's quotes. */
void html_escape(struct out *out, const char *text);

/* The program's own words, always: what opens and closes elements, and headings. */
void html_write(struct html *html, const char *markup);

/* From here on html_put() goes as far as this many bytes of the page. */
void html_limit(struct html *html, uint64_t limit);

/* Begins a piece: the caller fills it, and html_put() ends it. */
struct out *html_piece(struct html *html);

/* Where a list ended early: how many of what html_put() left out, and which file has them. */
void html_put_left_out(struct html *html, const char *what, const char *file);

/* False, and one more of left_out: the piece would not fit, or was longer than a piece can be. */
bool html_put(struct html *html);

#endif
