/* SPDX-License-Identifier: BSD-2-Clause */
/* A piece points into a text. A piece has no terminating zero, and may contain any bytes. */
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

/* Makes a piece from a zero-terminated text. */
struct piece piece_of(const char *text);

/* Whether `c` is a blank, a tab or a carriage return. */
static inline bool piece_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Removes blanks, tabs and carriage returns from both ends. */
struct piece piece_trim_blanks(struct piece piece);
static inline struct piece piece_trim(struct piece piece)
{
    /* inline: event tables contain 40,000 pieces, most of which need no trimming */
    return piece.size == 0 || (piece.at[0] > ' ' && piece.at[piece.size - 1] > ' ')
               ? piece
               : piece_trim_blanks(piece);
}

/* piece_is_any_case() ignores case. */
bool piece_is(struct piece piece, const char *word);
bool piece_is_any_case(struct piece piece, const char *word);

/* Ignores case, and treats ':' as '.'. */
bool piece_same_name(struct piece a, struct piece b);

/*
 * Whether a piece contains all parts of a pattern in their order; '*' separates them. Ignores case.
 * Every piece contains "".
 */
bool piece_holds(struct piece piece, const char *pattern);

/*
 * Splits a piece at its first `c` into the result and *rest, both trimmed. Without a `c`, *rest is
 * empty.
 */
struct piece piece_cut(struct piece piece, char c, struct piece *rest);

/*
 * piece_find() returns the position of the first `c`, piece_find_blank() that of the first blank or
 * tab. If the piece lacks the character, each returns the piece's size.
 */
size_t piece_find(struct piece piece, char c);
size_t piece_find_blank(struct piece piece);

/* A printable, zero-terminated copy, truncated to PIECE_SHOW_BYTES. */
const char *piece_show(struct piece piece, char buffer[PIECE_SHOW_BYTES]);

/* Writes '?' for bytes that are not printable ASCII. */
void piece_put(struct piece piece, struct out *out);

/*
 * These functions parse a whole piece as a number below 2^64, and return false for anything else.
 * piece_number() accepts decimal numbers, and hexadecimal numbers with 0x. piece_hex() accepts
 * hexadecimal numbers with or without 0x. piece_size() is like piece_number(), but K, M or G may
 * follow (2^10, 2^20 or 2^30).
 */
bool piece_number(struct piece piece, uint64_t *value);
bool piece_hex(struct piece piece, uint64_t *value);
bool piece_size(struct piece piece, uint64_t *value);

/*
 * Writes "; a number may end in K, M or G" if only the last character keeps the piece from being a
 * number.
 */
void piece_say_endings(struct piece piece, struct out *out);

/*
 * Finds out whether a number is in a list such as "0-4 9 b" (hexadecimal), and stores the answer in
 * *has. The empty list contains all numbers. False if the list is malformed.
 */
bool piece_hex_list(struct piece list, uint64_t number, bool *has);

/* Changes only ASCII letters. */
static inline char piece_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Event names are compared in lower case, with each ':' replaced by '.'. */
static inline char piece_name_letter(char c)
{
    return c == ':' ? '.' : piece_lower(c);
}

/*
 * Returns the first word of *rest, which ends at a blank or tab, and removes it from *rest. The
 * word may be empty.
 */
struct piece word_next(struct piece *rest);

#endif
