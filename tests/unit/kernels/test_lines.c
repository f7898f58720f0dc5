/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bandwidth kernels touch each line once per round, and no other memory. RBX is the current
 * position.
 */
#include <stdlib.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/call_kernel.h"

#define LINE      64u
#define BYTES_MAX (256u << 10)
#define FILL      0xee

enum kind { READ, WRITE, COPY };

static const struct walker {
    const char *name;
    enum kind kind;
} WALKERS[] = {
    {"read_8", READ},       {"read_16", READ},      {"read_32", READ},
    {"read_64", READ},      {"write_8", WRITE},     {"write_16", WRITE},
    {"write_32", WRITE},    {"write_64", WRITE},    {"write_nt_8", WRITE},
    {"write_nt_16", WRITE}, {"write_nt_32", WRITE}, {"write_nt_64", WRITE},
    {"copy_8", COPY},       {"copy_16", COPY},      {"copy_32", COPY},
    {"copy_64", COPY},      {"copy_nt_8", COPY},    {"copy_nt_16", COPY},
    {"copy_nt_32", COPY},   {"copy_nt_64", COPY},   {"read_prefetchnta", READ},
};

static const uint32_t SIZES[] = {65536, 65536 + 64, 65536 + 192, 131072, BYTES_MAX - 64};

static struct region buffer;

static bool runs_here(const struct kernel_record *kernel)
{
    return (!(kernel->cpu_features & KERNEL_NEEDS(AVX)) || __builtin_cpu_supports("avx")) &&
           (!(kernel->cpu_features & KERNEL_NEEDS(AVX512F)) || __builtin_cpu_supports("avx512f"));
}

/*
 * The buffer's first line contains the position. A copying kernel reads the first half of the other
 * lines, and writes the second half.
 */
static uint64_t lines_of(const struct walker *walker, uint64_t bytes)
{
    uint64_t lines = (bytes - LINE) / LINE;

    return walker->kind == COPY ? lines / 2 : lines;
}

static uint64_t line_at(const struct registers *registers)
{
    uint64_t offset = registers->is[RBX] - (uintptr_t)buffer.own;

    assert_int_equal(offset % LINE, 0);
    assert_in_range(offset, LINE, buffer.own_bytes - 1);
    return offset / LINE - 1;
}

static uint8_t source(size_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

static void fill(const struct walker *walker, uint64_t bytes)
{
    uint64_t sources = LINE + lines_of(walker, bytes) * LINE;

    for (size_t i = LINE; i < buffer.own_bytes; i++)
        buffer.own[i] = walker->kind == COPY && i < sources ? source(i) : FILL;
}

static void check_line(const struct walker *walker, uint64_t line, uint64_t all, bool walked)
{
    for (size_t i = (line + 1) * LINE; i < (line + 2) * LINE; i++) {
        bool is_source = walker->kind == COPY && line < all;
        bool written = walked && (walker->kind == WRITE ? line < all : line >= all);
        uint8_t old = is_source ? source(i) : FILL;
        if (walker->kind == READ || is_source || !written) {
            if (buffer.own[i] != old)
                fail_msg("%s: byte %zu was written", walker->name, i);
        } else if (walker->kind == COPY ? buffer.own[i] != source(i - all * LINE)
                                        : buffer.own[i] == FILL) {
            fail_msg("%s: byte %zu was not written", walker->name, i);
        }
    }
}

static void check_bytes(const struct walker *walker, uint64_t all, uint64_t start, uint64_t n)
{
    uint64_t held = buffer.own_bytes / LINE - 1;

    for (uint64_t line = 0; line < held; line++) {
        uint64_t within = walker->kind == COPY && line >= all ? line - all : line;
        bool in_walk = line < all || (walker->kind == COPY && line < 2 * all);
        check_line(walker, line, all, in_walk && (within + all - start) % all < n);
    }
    assert_true(is_untouched_around(&buffer));
}

/* The run must touch only n lines. Returns the next start. */
static uint64_t check_run(const struct walker *walker, uint64_t bytes, uint64_t n, uint64_t start)
{
    const struct kernel_record *kernel = kernel_called(walker->name);
    struct given given = {.n = n, .buffer = buffer.own, .bytes = bytes};
    uint64_t all = lines_of(walker, bytes);
    struct registers registers;

    fill(walker, bytes);
    registers = kernel_prepare(kernel, &given);
    registers.is[RAX] = 0;
    assert_int_equal(line_at(&registers), start % all);
    kernel_enter(kernel, &registers);
    assert_int_equal(line_at(&registers), (start + n) % all);
    check_bytes(walker, all, start % all, n < all ? n : all);
    return (start + n) % all;
}

static void start(void)
{
    kernels_load();
    assert_true(region_open(&buffer, BYTES_MAX, 4096, MAP_PRIVATE));
}

BEFORE_ALL(start);

TEST(each_line_is_touched_once_a_round)
{
    for (size_t i = 0; i < sizeof(WALKERS) / sizeof(WALKERS[0]); i++) {
        uint64_t start = 0;
        if (!runs_here(kernel_called(WALKERS[i].name)))
            continue;
        memset(buffer.own, 0, buffer.own_bytes);
        for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
            uint64_t all = lines_of(&WALKERS[i], SIZES[s]);
            uint64_t round = kernel_round(kernel_called(WALKERS[i].name), SIZES[s], 0);
            const uint64_t ns[] = {1, all / 2, all - 1, all, all + 3};
            for (size_t k = 0; k < sizeof(ns) / sizeof(ns[0]); k++)
                start = check_run(&WALKERS[i], SIZES[s], ns[k], start);
            assert_in_range(round, all, all + 1); /* a round may include the first line */
        }
    }
}

/* Only kernels that walk whole lines declare whether they read or write lines. */
TEST(who_walks_lines_says_which_it_moves)
{
    static const uint32_t MOVES[] = {
        [READ] = KERNEL_READS, [WRITE] = KERNEL_WRITES, [COPY] = KERNEL_READS | KERNEL_WRITES};
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;

    while ((kernel = kernel_next(kernels_table, kernels_bytes, kernel, crc32_ieee, &why)) != NULL) {
        bool streams = strstr(kernel->name, "_nt_") != NULL;
        uint32_t moves = 0;

        for (size_t i = 0; i < sizeof(WALKERS) / sizeof(WALKERS[0]); i++)
            if (strcmp(kernel->name, WALKERS[i].name) == 0)
                moves = MOVES[WALKERS[i].kind];
        if (streams && moves & KERNEL_WRITES)
            moves ^= KERNEL_WRITES | KERNEL_STREAMS;
        if ((kernel->flags & KERNEL_MOVES) != moves)
            fail_msg("%s moves %xh, says %xh", kernel->name, moves, kernel->flags & KERNEL_MOVES);
    }
}

TEST(blocks_stay_in_the_buffer)
{
    static const char *const NAMES[] = {"stosb_block", "stosq_block", "movsb_block", "movsq_block"};
    static const uint32_t BLOCKS[] = {64, 256, 4096, 4032, 65536};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const struct kernel_record *kernel = kernel_called(NAMES[i]);
        bool copies = i >= 2;
        for (size_t b = 0; b < sizeof(BLOCKS) / sizeof(BLOCKS[0]); b++) {
            struct given given = {
                .buffer = buffer.own, .bytes = kernel->buffer_bytes + 64, .argument = BLOCKS[b]};
            uint64_t half = (copies ? given.bytes / 2 : given.bytes) / LINE * LINE;
            uint64_t whole = half / BLOCKS[b] * BLOCKS[b];
            uint8_t *target = buffer.own + (copies ? half : 0);

            memset(buffer.own, FILL, buffer.own_bytes);
            memset(buffer.own, 0x11, copies ? half : 0);
            given.n = whole / BLOCKS[b] + 1;
            assert_in_range(kernel_round(kernel, given.bytes, BLOCKS[b]), given.n - 1, given.n);
            struct registers registers = kernel_prepare(kernel, &given);
            registers.is[RAX] = 0x1111111111111111;
            kernel_enter(kernel, &registers);
            for (uint64_t at = 0; at < whole; at++)
                assert_int_equal(target[at], 0x11);
            for (uint8_t *at = target + whole; at < buffer.own + buffer.own_bytes; at++)
                assert_int_equal(*at, FILL);
        }
    }
    assert_true(is_untouched_around(&buffer));
}

/* Kernels with a buffer have a round, except those that use only a few addresses of the buffer. */
TEST(who_walks_a_buffer_has_a_round)
{
    static const char *const FEW_PLACES[] = {
        "core_to_core",        "crossing", "store_forward",       "known_answers",
        "guide_loop_6",        "beside",   "properties",          "branch_random",
        "indirect_jmp_random", "strings",  "indirect_call_random"};
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;

    while ((kernel = kernel_next(kernels_table, kernels_bytes, kernel, crc32_ieee, &why)) != NULL) {
        bool has_few =
            strncmp(kernel->name, "lat_", 4) == 0 || strncmp(kernel->name, "tp_", 3) == 0;

        for (size_t i = 0; i < sizeof(FEW_PLACES) / sizeof(FEW_PLACES[0]); i++)
            has_few |= strcmp(kernel->family, FEW_PLACES[i]) == 0 ||
                       strcmp(kernel->name, FEW_PLACES[i]) == 0;
        if (kernel->buffer_bytes > 0 && has_few == (kernel->round_of != ROUND_NONE))
            fail_msg("%s %s a round", kernel->name, has_few ? "has" : "lacks");
    }
}
