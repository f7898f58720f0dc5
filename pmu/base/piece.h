/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A piece is a substring of a text. It points into the text, so the parsers of plans and event
 * files copy nothing. A piece has no terminating zero and may contain any bytes.
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

/* Whether a character is a blank, tab or carriage return. */
static inline bool piece_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The piece without the blanks, tabs and carriage returns at both ends. */
struct piece piece_trim_blanks(struct piece piece);
static inline struct piece piece_trim(struct piece piece)
{
    /* inline, because large event tables contain 40,000 pieces, most of which need no trimming */
    return piece.size == 0 || (piece.at[0] > ' ' && piece.at[piece.size - 1] > ' ')
               ? piece
               : piece_trim_blanks(piece);
}

/* Whether a piece equals a word; piece_is_any_case() ignores case. */
bool piece_is(struct piece piece, const char *word);
bool piece_is_any_case(struct piece piece, const char *word);

/* Whether two event names are the same; ignores case, and treats ':' as '.'. */
bool piece_same_name(struct piece a, struct piece b);

/*
 * Whether a piece contains all parts of a pattern in their order; '*' separates the parts. Ignores
 * case. Every piece contains the pattern "".
 */
bool piece_holds(struct piece piece, const char *pattern);

/*
 * Splits a piece at its first `c`: returns what precedes `c` and puts what follows in *rest, both
 * trimmed. If the piece contains no `c`, *rest is empty.
 */
struct piece piece_cut(struct piece piece, char c, struct piece *rest);

/*
 * piece_find() returns the position of the first `c`, piece_find_blank() that of the first blank or
 * tab. If the piece has no such character, both functions return the piece's size.
 */
size_t piece_find(struct piece piece, char c);
size_t piece_find_blank(struct piece piece);

/* A printable, zero-terminated copy of a piece, truncated to PIECE_SHOW_BYTES with the zero. */
const char *piece_show(struct piece piece, char buffer[PIECE_SHOW_BYTES]);

/* Writes a whole piece, with '?' for bytes that are not printable ASCII. */
void piece_put(struct piece piece, struct out *out);

/*
 * piece_number(), piece_hex() and piece_size() parse a whole piece as a number below 2^64. If the
 * piece is anything else, they return false and *value is undefined. piece_number() accepts decimal
 * numbers, and hexadecimal ones with the prefix 0x. piece_hex() accepts hexadecimal numbers with or
 * without 0x. piece_size() accepts the same numbers as piece_number(); a K, M or G of either case
 * may follow and multiplies by 2^10, 2^20 or 2^30.
 */
bool piece_number(struct piece piece, uint64_t *value);
bool piece_hex(struct piece piece, uint64_t *value);
bool piece_size(struct piece piece, uint64_t *value);

/*
 * Writes "; a number may end in K, M or G" if piece_size() refuses the piece, but the piece without
 * its last character is a number.
 */
void piece_say_endings(struct piece piece, struct out *out);

/*
 * Sets *has to whether a number is in a list of hexadecimal numbers and ranges, such as "0-4 9 b".
 * An empty list stands for all numbers. Returns false if the list is malformed.
 */
bool piece_hex_list(struct piece list, uint64_t number, bool *has);

/* Returns a letter in lower case, and any other character unchanged. */
static inline char piece_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A character as it is compared in event names: in lower case, with '.' for ':'. */
static inline char piece_name_letter(char c)
{
    return c == ':' ? '.' : piece_lower(c);
}

/*
 * Cuts the first word, which ends at a blank or tab, off *rest, and returns it. If there is no
 * word, the result has size 0.
 */
struct piece word_next(struct piece *rest);

#endif
