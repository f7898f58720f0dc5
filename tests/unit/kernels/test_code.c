/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels made from bytes: their records are valid, and both entry points have the expected code.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "kernels/code.h"
#include "pmu/base/bytes.h"

/*
 * Assembled by nasm: lea r14,[rsi+0x8000]; lea rdi,[rsi+0x18000]; lea rbp,[rsi+0x38000]; lea
 * rsi,[rsi+0x28000]
 */
#define SETUP                                                                                      \
    "\x4c\x8d\xb6\x00\x80\x00\x00\x48\x8d\xbe\x00\x80\x01\x00\x48\x8d\xae\x00\x80\x03\x00"         \
    "\x48\x8d\xb6\x00\x80\x02\x00"
#define SETUP_BYTES 28u

static const uint8_t CODE[] = {0x48, 0xff, 0xc0};
static const uint8_t INIT[] = {0x31, 0xc0};

static uint8_t *made;
static const struct kernel_record *record;
static struct kernel_code_places places;

/* Returns the offset of the second entry point, for samples at 2n. */
static uint32_t make(const struct kernel_code *code)
{
    uint64_t bytes = kernel_code_size(code);
    uint32_t twice;

    free(made);
    made = aligned_alloc(64, bytes);
    assert_non_null(made);
    memset(made, 0xa5, bytes);
    places = kernel_code_places(code);
    twice = kernel_code_make(code, made, crc32_ieee);
    record = (const struct kernel_record *)made;
    assert_int_equal(kernel_check(made, bytes, crc32_ieee), KERNEL_OK);
    assert_int_equal(record->size_bytes, bytes);
    assert_int_equal(twice % 64, 0);
    assert_true(twice < record->size_bytes);
    return twice;
}

static void assert_copies(const uint8_t *at, unsigned copies)
{
    for (unsigned i = 0; i < copies; i++)
        assert_memory_equal(at + i * sizeof(CODE), CODE, sizeof(CODE));
    assert_int_equal(at[copies * sizeof(CODE)], 0xc3);
}

TEST(straight)
{
    const struct kernel_code code = {.name = "inc",
                                     .code = CODE,
                                     .code_bytes = sizeof(CODE),
                                     .init = INIT,
                                     .init_bytes = sizeof(INIT),
                                     .unroll = 50};
    uint32_t twice = make(&code);

    assert_string_equal(record->name, "inc");
    assert_string_equal(record->family, "code");
    assert_int_equal(record->default_n, 50);
    assert_int_equal(record->buffer_bytes, 4 * 65536);
    assert_int_equal(record->clobbers, 0x3ffef); /* all but RSP */
    assert_int_equal(record->prepare_offset + record->second_offset + record->flags, 0);
    for (unsigned i = 0; i < KERNEL_DECLARATIONS; i++)
        assert_int_equal(record->declared[i].kind, KERNEL_NOT_DECLARED);
    for (unsigned entry = 0; entry < 2; entry++) {
        const uint8_t *at = made + (entry ? twice : record->entry_offset);

        assert_memory_equal(at, SETUP, SETUP_BYTES);
        assert_memory_equal(at + SETUP_BYTES, INIT, sizeof(INIT));
        assert_copies(at + SETUP_BYTES + sizeof(INIT), 50 << entry);
        assert_memory_equal(at + places.init_at, INIT, sizeof(INIT));
        assert_copies(at + places.copy_at, 50 << entry);
    }
}

/* Expected code: mov r15d, loop; the copies; dec r15; jnz to the first copy; ret. */
TEST(in_a_loop)
{
    const struct kernel_code code = {
        .name = "x", .code = CODE, .code_bytes = sizeof(CODE), .unroll = 7, .loop = 1000000};
    uint32_t twice = make(&code);

    assert_int_equal(record->default_n, 7000000);
    for (unsigned entry = 0; entry < 2; entry++) {
        const uint8_t *at = made + (entry ? twice : record->entry_offset) + SETUP_BYTES;
        unsigned bytes = (7 << entry) * sizeof(CODE);
        int32_t jump;

        assert_memory_equal(at, "\x41\xbf\x40\x42\x0f\x00", 6); /* 1000000 is F4240H */
        at += 6;
        assert_int_equal(places.copy_at, SETUP_BYTES + 6);
        for (unsigned i = 0; i < 7u << entry; i++)
            assert_memory_equal(at + i * sizeof(CODE), CODE, sizeof(CODE));
        assert_memory_equal(at + bytes, "\x49\xff\xcf\x0f\x85", 5);
        memcpy(&jump, at + bytes + 5, sizeof(jump));
        assert_int_equal(bytes + 9 + jump, 0);
        assert_int_equal(at[bytes + 9], 0xc3);
    }
}

/* The small sizes lead to each possible length of the padding after the code. */
TEST(sizes)
{
    static uint8_t bytes[4096];
    struct kernel_code code = {.name = "a23456789012345678901234567890b", .code = bytes};

    memset(bytes, 0x90, sizeof(bytes));
    for (code.code_bytes = 1; code.code_bytes < 200; code.code_bytes++)
        for (code.unroll = 1; code.unroll < 4; code.unroll++) {
            code.loop = code.code_bytes % 2;
            assert_true(make(&code) >= record->entry_offset + SETUP_BYTES + code.code_bytes);
        }
    code.code_bytes = 4096;
    code.unroll = 682; /* 3 x 682 x 4096 is just below 8 MiB */
    code.loop = 1000000;
    make(&code);
    assert_string_equal(record->name, "a23456789012345678901234567890b");
    code.code_bytes = 1;
    code.unroll = 100000;
    make(&code);
    assert_int_equal(record->default_n, 100000000000);
    free(made);
    made = NULL;
}
