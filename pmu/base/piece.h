/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of a text that somebody else keeps: the parsers of plans and event files cut lines into
 * them and copy nothing. A piece need not end in a zero and may hold any bytes.
 */
#ifndef BARECOUNT_PMU_BASE_PIECE_H
#define BARECOUNT_PMU_BASE_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define PIECE_SHOW_BYTES 32u

/* From `at`, `size` bytes. */
struct piece {
    const char *at;
    size_t size;
};

/* A text that ends in a zero, as a piece. */
struct piece piece_of(const char *text);

/* Blanks, tabs and carriage returns cut off at both ends. */
struct piece piece_trim(struct piece piece);

/* Whether a piece is a word; piece_is_any_case() takes A for a. */
bool piece_is(struct piece piece, const char *word);
bool piece_is_any_case(struct piece piece, const char *word);

/* Whether two names of events are the same, of any case and with ':' for '.'. */
bool piece_same_name(struct piece a, struct piece b);

/* Whether a word stands somewhere in a piece, of any case; "" does. */
bool piece_holds(struct piece piece, const char *word);

/* Splits a piece at the first `c`: returns what stands before it and leaves the rest in *rest. */
struct piece piece_cut(struct piece piece, char c, struct piece *rest);

/* Where `c`, or a blank or tab, stands first, or the piece's size. */
size_t piece_find(struct piece piece, char c);
size_t piece_find_blank(struct piece piece);

/* A printable copy of a piece, cut to PIECE_SHOW_BYTES. */
const char *piece_show(struct piece piece, char buffer[PIECE_SHOW_BYTES]);

/* All of a piece, '?' for what is not printable ASCII. */
void piece_put(struct piece piece, struct out *out);

/*
 * A whole piece as a number below 2^64; false for anything else, and *value is not to be used then.
 * piece_number(): decimal, or hexadecimal after 0x. piece_hex(): hexadecimal, with 0x or without.
 * piece_size(): as piece_number(), and then perhaps K, M or G (either case) for 2^10, 2^20, 2^30.
 */
bool piece_number(struct piece piece, uint64_t *value);
bool piece_hex(struct piece piece, uint64_t *value);
bool piece_size(struct piece piece, uint64_t *value);

/* "; a number may end in K, M or G", of one that piece_size() refuses for another letter there. */
void piece_say_endings(struct piece piece, struct out *out);

/*
 * Whether a list such as "0-4 9 b", hexadecimal numbers and ranges with blanks between them, has a
 * number; an empty one has every number. False: it is no such list.
 */
bool piece_hex_list(struct piece list, uint64_t number, bool *has);

/* a for A; other characters are what they are. */
static inline char piece_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Takes the first word, up to a blank or tab, off *rest. Size 0: there is none. */
struct piece word_next(struct piece *rest);

#endif
