/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses with LZ77. A chain links all positions whose first three bytes have the same hash, and
 * the longest match found in the chain is used. Section numbers refer to RFC 1951.
 */
#include "pmu/base/deflate.h"

#define SHORTEST     3u /* bytes of a match, 3.2.5 */
#define LONGEST      258u
#define TRIES        32u /* positions tried for a match */
#define FIXED_BLOCK  3u  /* BFINAL = 1, BTYPE = 01, from the lowest bit: 3.2.3 */
#define END_OF_BLOCK 256u

/* A bit stream, filled from the lowest bit of each byte: 3.1.1. */
struct bits {
    struct out *out;
    uint32_t held;
    unsigned count; /* bits in `held`, at most 7 between two calls */
};

struct match {
    uint32_t length, distance; /* length 0: no match */
};

static void put_bits(struct bits *bits, uint32_t value, unsigned count)
{
    bits->held |= value << bits->count;
    for (bits->count += count; bits->count >= 8; bits->count -= 8, bits->held >>= 8)
        out_char(bits->out, (char)bits->held);
}

/* Huffman codes, unlike all other fields, start with their highest bit: 3.1.1. */
static void put_code(struct bits *bits, uint32_t code, unsigned count)
{
    while (count-- > 0)
        put_bits(bits, code >> count & 1, 1);
}

/* The fixed codes of literals and lengths: 3.2.6. */
static void put_symbol(struct bits *bits, uint32_t symbol)
{
    if (symbol < 144)
        put_code(bits, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(bits, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(bits, symbol - 256, 7);
    else
        put_code(bits, 0xC0 + symbol - 280, 8);
}

static unsigned log2_of(uint32_t value)
{
    return 31u - (unsigned)__builtin_clz(value);
}

/*
 * Length symbols form groups of four. A symbol is followed by "extra bits" (3.2.5). In the first
 * two groups there are none; in each further group there is one more than in the group before.
 */
static void put_length(struct bits *bits, uint32_t length)
{
    uint32_t above = length - SHORTEST;
    unsigned extra = above < 8 ? 0 : log2_of(above) - 2;

    if (length == LONGEST) {
        put_symbol(bits, 285);
    } else if (extra == 0) {
        put_symbol(bits, 257 + above);
    } else {
        put_symbol(bits, 257 + 4 * (extra + 1) + (above >> extra & 3));
        put_bits(bits, above & ((1u << extra) - 1), extra);
    }
}

/*
 * Distance symbols form groups of two. A symbol is followed by extra bits. In the first two groups
 * there are none; in each further group there is one more than in the group before. The symbols'
 * codes have five bits: 3.2.5.
 */
static void put_distance(struct bits *bits, uint32_t distance)
{
    uint32_t above = distance - 1;
    unsigned extra = above < 4 ? 0 : log2_of(above) - 1;

    if (extra == 0) {
        put_code(bits, above, 5);
    } else {
        put_code(bits, 2 * (extra + 1) + (above >> extra & 1), 5);
        put_bits(bits, above & ((1u << extra) - 1), extra);
    }
}

static uint32_t hash_of(const uint8_t *at)
{
    uint32_t three = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];

    return three * 2654435761u >> 20; /* 2^32 / golden ratio (Fibonacci hashing) */
}

static uint32_t same_bytes(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t length = 0;

    while (length < most && a[length] == b[length])
        length++;
    return length;
}

static struct match longest_match(const struct deflate *work, const uint8_t *bytes, uint32_t at,
                                  uint32_t left)
{
    struct match best = {0};
    uint32_t most = left < LONGEST ? left : LONGEST;
    uint32_t place = work->newest[hash_of(bytes + at)];

    for (unsigned tries = 0; place > 0 && tries < TRIES; tries++) {
        uint32_t distance = at + 1 - place;
        uint32_t length;

        if (distance > DEFLATE_WINDOW)
            break;
        length = same_bytes(bytes + place - 1, bytes + at, most);
        if (length >= SHORTEST && length > best.length)
            best = (struct match){length, distance};
        place = work->older[(place - 1) % DEFLATE_WINDOW];
    }
    return best;
}

/* Adds a position to the chain for the three bytes that begin there. */
static void enter(struct deflate *work, const uint8_t *bytes, uint32_t at)
{
    uint32_t *newest = &work->newest[hash_of(bytes + at)];

    work->older[at % DEFLATE_WINDOW] = *newest;
    *newest = at + 1;
}

void deflate_bytes(struct deflate *work, const void *input, size_t count, struct out *out)
{
    const uint8_t *bytes = input;
    struct bits bits = {.out = out};
    uint32_t at = 0, next;

    for (unsigned i = 0; i < DEFLATE_HASHES; i++)
        work->newest[i] = 0;
    put_bits(&bits, FIXED_BLOCK, 3);
    for (; at < count && !out->failed; at = next) {
        uint32_t left = (uint32_t)count - at;
        struct match match = {0};

        if (left >= SHORTEST)
            match = longest_match(work, bytes, at, left);
        if (match.length > 0) {
            put_length(&bits, match.length);
            put_distance(&bits, match.distance);
        } else {
            put_symbol(&bits, bytes[at]);
        }
        next = at + (match.length > 0 ? match.length : 1);
        for (uint32_t place = at; place < next && count - place >= SHORTEST; place++)
            enter(work, bytes, place);
    }
    put_symbol(&bits, END_OF_BLOCK);
    put_bits(&bits, 0, 7); /* pads to a whole byte */
}
