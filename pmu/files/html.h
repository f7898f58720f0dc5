/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes HTML within a size limit. A piece is written completely or not at all, so pages are well
 * formed. External text must pass through html_escape().
 */
#ifndef BARECOUNT_PMU_FILES_HTML_H
#define BARECOUNT_PMU_FILES_HTML_H

#include "pmu/base/out.h"

#define HTML_PIECE_BYTES 6144u

/* Too large for a stack. */
struct html {
    struct out *out;
    uint64_t bytes; /* written so far */
    uint64_t limit;
    uint32_t left_out; /* number of pieces left out since html_limit() */
    struct out piece;
    char text[HTML_PIECE_BYTES];
};

void html_start(struct html *html, struct out *out);

/* Escapes text for an element or a quoted attribute. */
void html_escape(struct out *out, const char *text);

/* Writes the program's own markup, without a limit. */
void html_write(struct html *html, const char *markup);

/* Sets the limit for html_put(): the largest size of the page, in bytes. */
void html_limit(struct html *html, uint64_t limit);

struct out *html_piece(struct html *html);

/*
 * Writes how many pieces were omitted, and which file contains them all. `what` is the word for one
 * piece.
 */
void html_put_left_out(struct html *html, const char *what, const char *file);

/*
 * Ends a piece. If the piece is too long or exceeds the limit, increments left_out and returns
 * false.
 */
bool html_put(struct html *html);

#endif
