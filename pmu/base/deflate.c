/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses data with LZ77, and expands it. A chain links positions at which three bytes with the
 * same hash begin. The longest match among the newest TRIES positions of the chain is used.
 */
#include "pmu/base/deflate.h"

#define SHORTEST     3u /* a match has SHORTEST to LONGEST bytes (RFC 1951, 3.2.5) */
#define LONGEST      258u
#define TRIES        32u
#define FIXED_BLOCK  3u /* bit 0: BFINAL = 1; bits 2:1: BTYPE = 01 (RFC 1951, 3.2.3) */
#define END_OF_BLOCK 256u

/* The output's bits, which fill each byte from its lowest bit on (RFC 1951, 3.1.1). */
struct bits {
    struct out *out;
    uint32_t held;
    unsigned count;
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

/* Huffman codes start with their highest bit (RFC 1951, 3.1.1). */
static void put_code(struct bits *bits, uint32_t code, unsigned count)
{
    while (count-- > 0)
        put_bits(bits, code >> count & 1, 1);
}

/* The fixed codes of RFC 1951, 3.2.6. */
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
 * RFC 1951, 3.2.5: length symbols from 257 on form groups of four, and 285 stands for LONGEST. The
 * first two groups have no extra bits, and each further group has one bit more than the group
 * before it.
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

/* RFC 1951, 3.2.5: distance symbols form groups of two, with extra bits as for lengths. */
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

struct stream {
    const uint8_t *at, *end;
    uint32_t held;
    unsigned count; /* bits in `held` */
    bool failed;    /* truncated or invalid input */
};

static uint32_t take_bits(struct stream *stream, unsigned count)
{
    uint32_t value;

    for (; stream->count < count; stream->count += 8) {
        stream->failed |= stream->at == stream->end;
        if (!stream->failed)
            stream->held |= (uint32_t)*stream->at++ << stream->count;
    }
    value = stream->held & ((1u << count) - 1);
    stream->held >>= count;
    stream->count -= count;
    return value;
}

static uint32_t take_code(struct stream *stream, uint32_t code, unsigned count)
{
    while (count-- > 0)
        code = code << 1 | take_bits(stream, 1);
    return code;
}

static uint32_t take_symbol(struct stream *stream)
{
    uint32_t code = take_code(stream, 0, 7);

    if (code < 24)
        return 256 + code;
    code = take_code(stream, code, 1);
    if (code < 0xC0)
        return code - 0x30;
    if (code < 0xC8)
        return 280 + code - 0xC0;
    return 144 + take_code(stream, code, 1) - 0x190;
}

/* Length symbols above 285 and distance symbols above 29 are invalid. */
static struct match take_match(struct stream *stream, uint32_t symbol)
{
    uint32_t length = symbol - 257, distance;
    unsigned extra = length < 8 ? 0 : length / 4 - 1;

    length = extra == 0 ? length : (4 + length % 4) << extra;
    length = symbol == 285 ? LONGEST : SHORTEST + length + take_bits(stream, extra);
    distance = take_code(stream, 0, 5);
    stream->failed |= symbol > 285 || distance > 29;
    extra = distance < 4 ? 0 : distance / 2 - 1;
    distance = extra == 0 ? distance : (2 + distance % 2) << extra;
    return (struct match){length, 1 + distance + take_bits(stream, extra)};
}

/*
 * Returns the expanded size of all blocks so far, in bytes, or count + 1 if a match is invalid or
 * the output is too long.
 */
static size_t expand_block(struct stream *stream, uint8_t *to, size_t done, size_t count)
{
    uint32_t symbol;

    while ((symbol = take_symbol(stream)) != END_OF_BLOCK && !stream->failed) {
        struct match match = {0};

        if (symbol > END_OF_BLOCK)
            match = take_match(stream, symbol);
        if (stream->failed || match.distance > done || match.length > count - done || done == count)
            return count + 1;
        if (match.length == 0)
            to[done++] = (uint8_t)symbol;
        for (; match.length > 0; match.length--, done++)
            to[done] = to[done - match.distance];
    }
    return done;
}

bool inflate_bytes(const void *bytes, size_t size, void *to, size_t count)
{
    struct stream stream = {.at = bytes, .end = (const uint8_t *)bytes + size};
    size_t done = 0;
    uint32_t head;

    do {
        head = take_bits(&stream, 3);
        if (head >> 1 != FIXED_BLOCK >> 1)
            return false;
        done = expand_block(&stream, to, done, count);
    } while (!(head & 1) && done <= count && !stream.failed);
    return done == count && !stream.failed;
}
