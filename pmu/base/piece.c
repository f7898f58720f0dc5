/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses pieces of text. */
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

struct piece piece_of(const char *text)
{
    return (struct piece){text, text_length(text)};
}

struct piece piece_trim_blanks(struct piece piece)
{
    while (piece.size > 0 && piece_is_blank(piece.at[0])) {
        piece.at++;
        piece.size--;
    }
    while (piece.size > 0 && piece_is_blank(piece.at[piece.size - 1]))
        piece.size--;
    return piece;
}

bool piece_is(struct piece piece, const char *word)
{
    size_t i = 0;

    while (i < piece.size && word[i] && piece.at[i] == word[i])
        i++;
    return i == piece.size && word[i] == 0;
}

bool piece_is_any_case(struct piece piece, const char *word)
{
    size_t i = 0;

    while (i < piece.size && word[i] && piece_lower(piece.at[i]) == piece_lower(word[i]))
        i++;
    return i == piece.size && word[i] == 0;
}

bool piece_same_name(struct piece a, struct piece b)
{
    size_t i = a.size;

    if (a.size != b.size)
        return false;
    while (i > 0 && piece_name_letter(a.at[i - 1]) == piece_name_letter(b.at[i - 1]))
        i--; /* most names begin alike */
    return i == 0;
}

static bool begins_with(struct piece piece, const char *part, size_t length)
{
    size_t i = 0;

    if (length > piece.size)
        return false;
    while (i < length && piece_lower(piece.at[i]) == piece_lower(part[i]))
        i++;
    return i == length;
}

bool piece_holds(struct piece piece, const char *pattern)
{
    size_t length;

    for (; *pattern; pattern += length) {
        while (*pattern == '*')
            pattern++;
        for (length = 0; pattern[length] && pattern[length] != '*';)
            length++;
        while (piece.size > 0 && !begins_with(piece, pattern, length)) {
            piece.at++;
            piece.size--;
        }
        if (length > piece.size)
            return false;
        piece.at += length;
        piece.size -= length;
    }
    return true;
}

size_t piece_find(struct piece piece, char c)
{
    const uint64_t each = 0x0101010101010101, all = (uint8_t)c * each;
    size_t i = 0;
    uint64_t word, found;

    /* The lowest bit that is 1 in `found` is bit 7 of the first byte that equals `c`. */
    for (; i + sizeof(word) <= piece.size; i += sizeof(word)) {
        __builtin_memcpy(&word, piece.at + i, sizeof(word));
        found = ((word ^ all) - each) & ~(word ^ all) & 0x80 * each;
        if (found)
            return i + (unsigned)__builtin_ctzll(found) / 8;
    }
    while (i < piece.size && piece.at[i] != c)
        i++;
    return i;
}

size_t piece_find_blank(struct piece piece)
{
    size_t i = 0;

    while (i < piece.size && piece.at[i] != ' ' && piece.at[i] != '\t')
        i++;
    return i;
}

struct piece piece_cut(struct piece piece, char c, struct piece *rest)
{
    size_t i = piece_find(piece, c);

    *rest = (struct piece){0};
    if (i < piece.size)
        *rest = piece_trim((struct piece){piece.at + i + 1, piece.size - i - 1});
    return piece_trim((struct piece){piece.at, i});
}

const char *piece_show(struct piece piece, char buffer[PIECE_SHOW_BYTES])
{
    size_t i = 0;

    for (; i < piece.size && i < PIECE_SHOW_BYTES - 1; i++)
        buffer[i] = text_printable((uint8_t)piece.at[i]);
    buffer[i] = 0;
    return buffer;
}

void piece_put(struct piece piece, struct out *out)
{
    for (size_t i = 0; i < piece.size; i++)
        out_char(out, text_printable((uint8_t)piece.at[i]));
}

/* The value of a hexadecimal digit, or 16 if `c` is none. */
static unsigned digit(char c)
{
    unsigned value = (uint8_t)c - (unsigned)'0';
    unsigned letter = (uint8_t)(c | ' ') - (unsigned)'a';

    return value < 10 ? value : letter < 6 ? letter + 10 : 16;
}

static bool cut_0x(struct piece *piece)
{
    if (piece->size < 2 || piece->at[0] != '0' || piece_lower(piece->at[1]) != 'x')
        return false;
    piece->at += 2;
    piece->size -= 2;
    return true;
}

bool piece_hex(struct piece piece, uint64_t *value)
{
    uint64_t found = 0;

    cut_0x(&piece);
    for (size_t i = 0; i < piece.size; i++) {
        unsigned next = digit(piece.at[i]);

        if (next >= 16 || found >> 60)
            return false;
        found = found << 4 | next;
    }
    *value = found;
    return piece.size > 0;
}

bool piece_number(struct piece piece, uint64_t *value)
{
    struct piece digits = piece;

    if (cut_0x(&digits))
        return piece_hex(piece, value);
    *value = 0;
    for (size_t i = 0; i < piece.size; i++) {
        unsigned next = digit(piece.at[i]);

        if (next >= 10 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, next, value))
            return false;
    }
    return piece.size > 0;
}

bool piece_hex_list(struct piece list, uint64_t number, bool *has)
{
    *has = list.size == 0;
    while (list.size > 0) {
        struct piece last;
        struct piece item = piece_cut(list, ' ', &list);
        struct piece first = piece_cut(item, '-', &last);
        uint64_t low, high;

        if (!piece_hex(first, &low))
            return false;
        high = low;
        if (first.size < item.size && (!piece_hex(last, &high) || high < low))
            return false;
        *has |= low <= number && number <= high;
    }
    return true;
}

bool piece_size(struct piece piece, uint64_t *value)
{
    static const char UNITS[] = "kmg";
    unsigned shift = 0;

    for (unsigned i = 0; i < 3 && piece.size > 0 && shift == 0; i++)
        if (piece_lower(piece.at[piece.size - 1]) == UNITS[i])
            shift = 10 * (i + 1);
    if (shift > 0)
        piece.size--;
    if (!piece_number(piece, value) || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

struct piece word_next(struct piece *rest)
{
    struct piece line = piece_trim(*rest);
    size_t size = 0;

    while (size < line.size && line.at[size] != ' ' && line.at[size] != '\t')
        size++;
    *rest = size < line.size ? piece_trim((struct piece){line.at + size, line.size - size})
                             : (struct piece){0};
    return (struct piece){line.at, size};
}

void piece_say_endings(struct piece piece, struct out *out)
{
    const struct piece digits = {piece.at, piece.size - (piece.size > 0)};
    uint64_t value;

    if (piece_number(digits, &value) && !piece_size(piece, &value))
        out_text(out, "; a number may end in K, M or G");
}
