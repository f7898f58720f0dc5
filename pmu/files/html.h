/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTML in pieces that are written completely or not at all, so that a page has a size limit and is
 * always well formed. External text must pass through html_escape().
 */
#ifndef BARECOUNT_PMU_FILES_HTML_H
#define BARECOUNT_PMU_FILES_HTML_H

#include "pmu/base/out.h"

#define HTML_PIECE_BYTES 6144u

/* Large (6 KiB): never on a stack. */
struct html {
    struct out *out;
    uint64_t bytes;    /* written so far */
    uint64_t limit;    /* of `bytes`, for html_put() */
    uint32_t left_out; /* pieces omitted since html_limit() */
    struct out piece;
    char text[HTML_PIECE_BYTES];
};

void html_start(struct html *html, struct out *out);

/* Escapes text for an element or a quoted attribute. */
void html_escape(struct out *out, const char *text);

/* Writes the program's own markup, without a limit. */
void html_write(struct html *html, const char *markup);

/* Limits the page to this many bytes for html_put(). */
void html_limit(struct html *html, uint64_t limit);

/* Begins a piece, to be filled by the caller and ended by html_put(). */
struct out *html_piece(struct html *html);

/* After a list that was cut short: how many lines, or `what`, are missing, and the file with all.
 */
void html_put_left_out(struct html *html, const char *what, const char *file);

/* Ends a piece. False, with left_out incremented: the piece is too long, or exceeds the limit. */
bool html_put(struct html *html);

#endif
