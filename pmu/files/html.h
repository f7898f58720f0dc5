/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes HTML in pieces. A piece is written completely or not at all, so that a page can have a
 * size limit and is always well formed. External text must pass through html_escape().
 */
#ifndef BARECOUNT_PMU_FILES_HTML_H
#define BARECOUNT_PMU_FILES_HTML_H

#include "pmu/base/out.h"

#define HTML_PIECE_BYTES 6144u

/* Too large (6 KiB) for a stack. */
struct html {
    struct out *out;
    uint64_t bytes;    /* written so far */
    uint64_t limit;    /* html_put() never makes `bytes` greater than `limit` */
    uint32_t left_out; /* pieces omitted since html_limit() */
    struct out piece;
    char text[HTML_PIECE_BYTES];
};

void html_start(struct html *html, struct out *out);

/* Escapes text for an element or a quoted attribute. */
void html_escape(struct out *out, const char *text);

/* Writes the program's own markup, without a limit. */
void html_write(struct html *html, const char *markup);

/* From now on, html_put() writes no piece that would make the page longer than `limit` bytes. */
void html_limit(struct html *html, uint64_t limit);

/* Begins a piece. The caller fills the piece, and ends it with html_put(). */
struct out *html_piece(struct html *html);

/*
 * If a list was cut short, writes how many entries are missing, and which file contains them all.
 * `what` is the word for one entry.
 */
void html_put_left_out(struct html *html, const char *what, const char *file);

/*
 * Ends a piece. If the piece is too long, or would exceed the page's limit, increments left_out and
 * returns false.
 */
bool html_put(struct html *html);

#endif
