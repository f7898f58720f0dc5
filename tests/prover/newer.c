/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes opcodes that Capstone 4.0.2 does not know. */
#include "tests/prover/newer.h"

#include <stdio.h>

/* Opcode maps, with their numbers in VEX and EVEX. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };

#define PREFIX_66   0x66
#define NO_PREFIX   0
#define MOD(modrm)  ((modrm) >> 6)
#define RM(modrm)   ((modrm)&7)
#define IS_REX(at)  (((at)&0xf0) == 0x40)
#define BYTES_MAX   15u
#define IN_REGISTER 3

struct reader {
    const uint8_t *code;
    size_t bytes;
    size_t at;
};

/* Returns 0 past the end; the caller checks `at` afterwards. */
static uint8_t next(struct reader *reader)
{
    uint8_t value = reader->at < reader->bytes ? reader->code[reader->at] : 0;

    reader->at++;
    return value;
}

/*
 * Whether all operands of a VEX or EVEX opcode are vector registers when no operand is in memory.
 * Returns false for some opcodes that Capstone knows: opcodes that write general registers, and
 * opcodes of the first map that have an immediate or no ModRM.
 */
static bool is_vector_form(unsigned map, uint8_t opcode)
{
    static const uint8_t NOT_0F[] = {0x2c, 0x2d, 0x50, 0x70, 0x71, 0x72, 0x73, 0x77, 0x78,
                                     0x79, 0x7e, 0x93, 0xc2, 0xc4, 0xc5, 0xc6, 0xd7};

    for (size_t i = 0; map == MAP_0F && i < sizeof(NOT_0F); i++) {
        if (opcode == NOT_0F[i])
            return false;
    }
    if (map == MAP_0F3A && opcode >= 0x14 && opcode <= 0x17)
        return false;
    return map == MAP_0F || ((map == MAP_0F38 || map == MAP_0F3A) && opcode < 0xf0);
}

static bool decode_vector(struct reader *reader, struct effect *effect)
{
    uint8_t first = next(reader);
    uint8_t second = next(reader);
    unsigned map = MAP_0F;
    unsigned length = second >> 2 & 1; /* L of VEX, or L'L of EVEX; 1: 256 bits */
    uint8_t opcode;

    if (first == 0xc4) {
        map = second & 0x1f;
        length = next(reader) >> 2 & 1;
    } else if (first == 0x62) {
        map = second & 7;
        next(reader);
        length = next(reader) >> 5 & 3;
    }
    opcode = next(reader);
    if (!is_vector_form(map, opcode) || MOD(next(reader)) != IN_REGISTER)
        return false;
    if (map == MAP_0F38 && opcode >= 0x50 && opcode <= 0x53) /* VNNI */
        effect->properties = length == 0   ? 1ull << PROPERTY_VNNI_128
                             : length == 1 ? 1ull << PROPERTY_VNNI_256 | 1ull << PROPERTY_VECTOR_256
                                           : 0;
    if (map == MAP_0F3A)
        next(reader); /* an immediate byte follows every opcode of this map */
    snprintf(effect->text, sizeof(effect->text), "%s map %u opcode %02x",
             first == 0x62 ? "EVEX" : "VEX", map, opcode);
    return true;
}

/* Skips the SIB byte and displacement of a 64-bit address, which follow ModRM. */
static void skip_address(struct reader *reader, uint8_t modrm)
{
    unsigned bytes = MOD(modrm) == 1 ? 1 : MOD(modrm) == 2 ? 4 : 0;

    if (RM(modrm) == 4) {
        uint8_t sib = next(reader);
        if (MOD(modrm) == 0 && (sib & 7) == 5)
            bytes = 4;
    } else if (MOD(modrm) == 0 && RM(modrm) == 5) {
        bytes = 4;
    }
    reader->at += bytes;
}

static const struct legacy {
    uint8_t prefix;
    uint8_t map;
    uint8_t opcode;
    bool memory; /* true: the operand must be in memory; false: in a register */
    bool loads, stores;
    const char *name;
} LEGACY[] = {
    {PREFIX_66, MAP_0F38, 0xcf, false, false, false, "gf2p8mulb"},
    {PREFIX_66, MAP_0F3A, 0xce, false, false, false, "gf2p8affineqb"},
    {PREFIX_66, MAP_0F3A, 0xcf, false, false, false, "gf2p8affineinvqb"},
    {NO_PREFIX, MAP_0F38, 0xf9, true, false, true, "movdiri"},
    {PREFIX_66, MAP_0F38, 0xf8, true, true, true, "movdir64b"},
};

static bool decode_legacy(struct reader *reader, struct effect *effect)
{
    uint8_t prefix = NO_PREFIX;
    uint8_t byte = next(reader);
    uint8_t map, opcode, modrm;

    if (byte == PREFIX_66) {
        prefix = byte;
        byte = next(reader);
    }
    if (IS_REX(byte))
        byte = next(reader);
    if (byte != 0x0f)
        return false;
    byte = next(reader);
    opcode = next(reader);
    if (byte == 0x01 && opcode == 0xe8) {
        snprintf(effect->text, sizeof(effect->text), "serialize");
        return prefix == NO_PREFIX;
    }
    if (byte != 0x38 && byte != 0x3a)
        return false;
    map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
    modrm = next(reader);
    for (size_t i = 0; i < sizeof(LEGACY) / sizeof(LEGACY[0]); i++) {
        const struct legacy *row = &LEGACY[i];
        if (row->prefix != prefix || row->map != map || row->opcode != opcode ||
            row->memory != (MOD(modrm) != IN_REGISTER))
            continue;
        if (row->memory)
            skip_address(reader, modrm);
        if (map == MAP_0F3A)
            next(reader);
        effect->loads = row->loads;
        effect->stores = row->stores;
        snprintf(effect->text, sizeof(effect->text), "%s", row->name);
        return true;
    }
    return false;
}

bool newer_decode(const uint8_t *code, size_t bytes, struct effect *effect)
{
    struct reader reader = {code, bytes < BYTES_MAX ? bytes : BYTES_MAX, 0};
    bool is_vector = bytes > 0 && (code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62);

    if (!(is_vector ? decode_vector : decode_legacy)(&reader, effect) || reader.at > reader.bytes)
        return false;
    effect->bytes = (uint8_t)reader.at;
    effect->known = true;
    return true;
}
