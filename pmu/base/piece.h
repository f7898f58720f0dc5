/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Substrings of a text owned by someone else: the parsers of plans and event files cut lines into
 * pieces and copy nothing. A piece has no terminating zero and may hold any bytes.
 */
#ifndef BARECOUNT_PMU_BASE_PIECE_H
#define BARECOUNT_PMU_BASE_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define PIECE_SHOW_BYTES 32u

struct piece {
    const char *at;
    size_t size;
};

/* A zero-terminated text as a piece. */
struct piece piece_of(const char *text);

/* The piece without the blanks, tabs and carriage returns at both ends. */
struct piece piece_trim(struct piece piece);

/* Whether a piece equals a word; piece_is_any_case() ignores case. */
bool piece_is(struct piece piece, const char *word);
bool piece_is_any_case(struct piece piece, const char *word);

/* Whether two event names are the same, ignoring case and taking ':' for '.'. */
bool piece_same_name(struct piece a, struct piece b);

/*
 * Whether a piece contains the parts of a pattern between its '*', in their order, ignoring case;
 * it always contains "".
 */
bool piece_holds(struct piece piece, const char *pattern);

/* Splits at the first `c`: returns the part before it and puts the part after it in *rest. */
struct piece piece_cut(struct piece piece, char c, struct piece *rest);

/* The position of the first `c`, or of the first blank or tab; otherwise the piece's size. */
size_t piece_find(struct piece piece, char c);
size_t piece_find_blank(struct piece piece);

/* A printable copy of a piece, truncated to PIECE_SHOW_BYTES. */
const char *piece_show(struct piece piece, char buffer[PIECE_SHOW_BYTES]);

/* Writes a whole piece, with '?' for bytes that are not printable ASCII. */
void piece_put(struct piece piece, struct out *out);

/*
 * Parse a whole piece as a number below 2^64; false, with *value undefined, for anything else.
 * piece_number(): decimal, or hexadecimal after 0x. piece_hex(): hexadecimal, 0x optional.
 * piece_size(): as piece_number(), optionally times K, M or G (2^10, 2^20, 2^30; either case).
 */
bool piece_number(struct piece piece, uint64_t *value);
bool piece_hex(struct piece piece, uint64_t *value);
bool piece_size(struct piece piece, uint64_t *value);

/*
 * Writes "; a number may end in K, M or G" if piece_size() refuses a number because of another
 * suffix.
 */
void piece_say_endings(struct piece piece, struct out *out);

/*
 * Whether a list of hexadecimal numbers and ranges, such as "0-4 9 b", contains a number; an empty
 * list contains every number. False if the list is malformed.
 */
bool piece_hex_list(struct piece list, uint64_t number, bool *has);

/* The lower-case letter; other characters are unchanged. */
static inline char piece_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A character as it counts when event names are compared: in lower case, and '.' for ':'. */
static inline char piece_name_letter(char c)
{
    return c == ':' ? '.' : piece_lower(c);
}

/* Cuts the first word, which ends at a blank or tab, off *rest. Size 0: there is none. */
struct piece word_next(struct piece *rest);

#endif
