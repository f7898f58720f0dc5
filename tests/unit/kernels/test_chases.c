/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels walk memory, or branch through a table, in the documented order. The tests follow the
 * rings in C, and check where the kernel ends.
 */
#include <stdlib.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/call_kernel.h"

#define LINE           64u
#define BYTES_MAX      (8u << 20)
#define FILL           0x5a
#define RUNS_COMPARED  8u
#define DIFFERENT_RUNS 6u /* least number of different starting slots in these runs */

/*
 * A random order has few steps to a neighbouring slot, and only short sequences of steps in one
 * direction.
 */
#define NEIGHBOURS_PERCENT 5u
#define ONE_WAY_MAX        16u
#define JUDGED_SLOTS       1024u

/* Tables of indirect branches. */
#define TARGET_BYTES  16u
#define RANDOM_TABLE  1024u
#define FEW_TARGETS   16u
#define EACH_EXPECTED (RANDOM_TABLE / FEW_TARGETS)

enum order { ASCENDING, DESCENDING, RANDOM };

static const struct chase {
    const char *name;
    enum order order;
    uint32_t slot_bytes; /* 0: the argument gives it */
} CHASES[] = {
    {"chase_random", RANDOM, LINE},         {"chase_ascending", ASCENDING, LINE},
    {"chase_descending", DESCENDING, LINE}, {"chase_stride", ASCENDING, 0},
    {"chase_stride_down", DESCENDING, 0},   {"chase_stride_random", RANDOM, 0},
    {"chase_pages_4k", RANDOM, 4096},       {"chase_pages_2m", RANDOM, 2u << 20},
};

static const uint32_t SIZES[] = {1u << 20, 65536, 69632, 65536 + 4032, 4u << 20, BYTES_MAX};
static const uint32_t STRIDES[] = {64, 192, 256, 320, 2048, 4032, 4096};

static struct region buffer;
static uint32_t order_of_slots[BYTES_MAX / LINE];
static uint8_t visited[BYTES_MAX / LINE];

static uint64_t slot_of(uint64_t address, uint64_t slot_bytes, const char *name)
{
    uint64_t offset = address - (uintptr_t)buffer.own;

    if (offset >= buffer.own_bytes || offset % 8 != 0)
        fail_msg("%s: points outside its buffer, or between words", name);
    return offset / slot_bytes;
}

/* Stores the ring's order in order_of_slots, and returns the number of slots. */
static uint32_t follow(const char *name, uint64_t start, uint64_t slot_bytes, uint64_t slots)
{
    uint64_t at = start;
    uint32_t steps = 0;

    do {
        uint64_t slot = slot_of(at, slot_bytes, name);
        if (slot >= slots || visited[slot])
            fail_msg("%s: slot %lu of %lu is %s", name, slot, slots,
                     slot < slots ? "visited twice" : "past the end");
        visited[slot] = 1;
        order_of_slots[steps++] = (uint32_t)slot;
        memcpy(&at, buffer.own + (at - (uintptr_t)buffer.own), sizeof(at));
    } while (at != start);
    return steps;
}

/* `step` is 1 in ascending order, and slots - 1 in descending order. */
static void check_one_way(uint32_t slots, uint32_t step)
{
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t next = order_of_slots[(i + 1) % slots];
        if (next != (order_of_slots[i] + step) % slots)
            fail_msg("slot %u follows slot %u", next, order_of_slots[i]);
    }
}

static void check_random(const char *name, uint32_t slots)
{
    uint32_t neighbours = 0, up = 0, down = 0, longest = 0;

    if (slots < JUDGED_SLOTS)
        return;
    for (uint32_t i = 0; i + 1 < slots; i++) {
        int32_t step = (int32_t)(order_of_slots[i + 1] - order_of_slots[i]);
        neighbours += step == 1 || step == -1;
        up = step > 0 ? up + 1 : 0;
        down = step < 0 ? down + 1 : 0;
        longest = up > longest ? up : longest;
        longest = down > longest ? down : longest;
    }
    if (neighbours * 100 >= slots * NEIGHBOURS_PERCENT || longest >= ONE_WAY_MAX)
        fail_msg("%s: not random: %u neighbours of %u slots, %u steps in one direction", name,
                 neighbours, slots, longest);
}

static void check_order(const struct chase *chase, uint32_t slots)
{
    if (chase->order == RANDOM) {
        check_random(chase->name, slots);
    } else {
        check_one_way(slots, chase->order == ASCENDING ? 1 : slots - 1);
    }
}

static void check_entry(const struct kernel_record *kernel, struct registers registers, uint64_t n,
                        uint64_t slot_bytes, uint32_t slots)
{
    kernel_enter(kernel, &registers);
    assert_int_equal(slot_of(registers.is[RBX], slot_bytes, kernel->name),
                     order_of_slots[n % slots]);
    assert_int_equal(registers.is[RDI], 0);
}

/* No byte after the end of the ring may change. */
static void check_chase(const struct chase *chase, uint32_t bytes, uint32_t stride)
{
    const struct kernel_record *kernel = kernel_called(chase->name);
    struct given given = {.n = 1000, .buffer = buffer.own, .bytes = bytes};
    uint64_t slot_bytes = chase->slot_bytes != 0 ? chase->slot_bytes : stride;
    uint64_t slots = bytes / slot_bytes > 0 ? bytes / slot_bytes : 1;
    struct registers registers;

    given.argument = chase->slot_bytes == 0 ? stride : 0;
    memset(buffer.own + bytes, FILL, BYTES_MAX - bytes);
    registers = kernel_prepare(kernel, &given);
    memset(visited, 0, slots);
    if (follow(chase->name, registers.is[RBX], slot_bytes, slots) != slots)
        fail_msg("%s: %u bytes, stride %lu: a round does not visit all slots", chase->name, bytes,
                 slot_bytes);
    if (kernel_round(kernel, bytes, given.argument) != slots)
        fail_msg("%s: %u bytes, stride %lu: its round is not %lu", chase->name, bytes, slot_bytes,
                 slots);
    check_order(chase, (uint32_t)slots);
    check_entry(kernel, registers, given.n, slot_bytes, (uint32_t)slots);
    if (bytes < BYTES_MAX) {
        assert_int_equal(buffer.own[bytes], FILL);
        assert_memory_equal(buffer.own + bytes, buffer.own + bytes + 1, BYTES_MAX - bytes - 1);
    }
}

static void start(void)
{
    kernels_load();
    assert_true(region_open(&buffer, BYTES_MAX, 4096, MAP_PRIVATE));
}

BEFORE_ALL(start);

static void zero_buffer(void)
{
    memset(buffer.own, 0, buffer.own_bytes);
    memset(visited, 0, sizeof(visited));
}

BEFORE_EACH(zero_buffer);

TEST(a_round_is_every_slot_once_in_its_order)
{
    for (size_t i = 0; i < sizeof(CHASES) / sizeof(CHASES[0]); i++) {
        memset(buffer.own, 0, buffer.own_bytes);
        for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
            check_chase(&CHASES[i], SIZES[s], LINE);
            for (size_t k = 0; CHASES[i].slot_bytes == 0 && k < sizeof(STRIDES) / 4; k++)
                check_chase(&CHASES[i], SIZES[s], STRIDES[k]);
        }
    }
    assert_true(is_untouched_around(&buffer));
}

/* The slots of 256 pages must use each of the 64 lines of a page. */
TEST(pages_are_met_in_different_lines)
{
    struct given given = {.n = 1, .buffer = buffer.own, .bytes = 1u << 20};
    uint64_t lines = 0, at;

    at = kernel_prepare(kernel_called("chase_pages_4k"), &given).is[RBX];
    for (unsigned page = 0; page < 256; page++) {
        lines |= 1ull << at / LINE % 64;
        memcpy(&at, buffer.own + (at - (uintptr_t)buffer.own), sizeof(at));
    }
    assert_true(lines == ~0ull);
}

/* A copied ring would point into the old buffer. */
TEST(a_moved_buffer_is_linked_anew)
{
    const struct chase *chase = &CHASES[0];
    struct given given = {.n = 10, .buffer = buffer.own, .bytes = 65536};

    kernel_prepare(kernel_called(chase->name), &given);
    memmove(buffer.own + 4096, buffer.own, 65536);
    given.buffer += 4096;
    assert_int_equal(follow(chase->name, kernel_prepare(kernel_called(chase->name), &given).is[RBX],
                            LINE, 64 + 1024),
                     1024);
}

TEST(runs_begin_at_different_slots)
{
    struct given given = {.n = 10, .buffer = buffer.own, .bytes = 65536, .argument = LINE};

    for (size_t i = 0; i + 2 < sizeof(CHASES) / sizeof(CHASES[0]); i++) {
        uint64_t starts[RUNS_COMPARED];
        unsigned different = 0;
        for (unsigned run = 0; run < RUNS_COMPARED; run++) {
            bool seen = false;
            starts[run] = kernel_prepare(kernel_called(CHASES[i].name), &given).is[RBX];
            for (unsigned before = 0; before < run; before++)
                seen |= starts[before] == starts[run];
            different += !seen;
        }
        assert_in_range(different, DIFFERENT_RUNS, RUNS_COMPARED);
    }
}

/* Runs begin at the same slot only if n is at least the number of slots. */
TEST(a_run_that_goes_round_begins_where_the_one_before_began)
{
    static const struct {
        const char *name;
        uint32_t slots;
    } ROWS[] = {{"chase_random", 1024},    {"chase_pages_4k", 16}, {"chase_parallel_1", 1024},
                {"chase_parallel_8", 128}, {"chase_stride", 1024}, {"loaded_none", 960}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (uint32_t n = ROWS[i].slots - 1; n <= ROWS[i].slots + 1; n++) {
            const struct kernel_record *kernel = kernel_called(ROWS[i].name);
            struct given given = {.n = n, .buffer = buffer.own, .bytes = 65536, .argument = LINE};
            uint64_t first, second, third;

            memset(buffer.own, 0, buffer.own_bytes);
            first = kernel_prepare(kernel, &given).is[RBX];
            second = kernel_prepare(kernel, &given).is[RBX];
            third = kernel_prepare(kernel, &given).is[RBX];
            if ((first == second && second == third) != (n >= ROWS[i].slots))
                fail_msg("%s, n of %u: begins at %lx, %lx, %lx", ROWS[i].name, n, first, second,
                         third);
        }
}

TEST(rings_side_by_side_are_disjoint_and_cover_the_buffer)
{
    static const uint8_t REGISTER[] = {RBX, RBP, R8, R9, R11, R12, R14, R15};
    static const char *const NAMES[] = {"chase_parallel_1", "chase_parallel_2", "chase_parallel_4",
                                        "chase_parallel_8"};

    for (unsigned i = 0; i < 4; i++) {
        memset(buffer.own, 0, buffer.own_bytes);
        for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
            uint32_t rings = 1u << i, each = SIZES[s] / LINE / rings;
            struct given given = {.n = 1000, .buffer = buffer.own, .bytes = SIZES[s]};
            struct registers registers = kernel_prepare(kernel_called(NAMES[i]), &given);
            struct registers after = registers;

            assert_int_equal(kernel_round(kernel_called(NAMES[i]), SIZES[s], 0), each);
            kernel_enter(kernel_called(NAMES[i]), &after);
            memset(visited, 0, sizeof(visited));
            for (uint32_t ring = 0; ring < rings; ring++) {
                uint64_t start = registers.is[REGISTER[ring]];
                assert_int_equal(follow(NAMES[i], start, LINE, (uint64_t)each * rings), each);
                assert_int_equal(slot_of(after.is[REGISTER[ring]], LINE, NAMES[i]),
                                 order_of_slots[given.n % each]);
                check_random(NAMES[i], each);
            }
        }
    }
}

/* The targets are numbered from 0. Returns the table's length. */
static uint64_t targets_of(const char *name, uint32_t targets, uint64_t numbers[RANDOM_TABLE])
{
    struct given given = {.n = 1,
                          .buffer = buffer.own,
                          .bytes = sizeof(uint64_t) * RANDOM_TABLE,
                          .argument = targets};
    struct registers registers = kernel_prepare(kernel_called(name), &given);
    uint64_t entries = (registers.is[R10] - registers.is[RBX]) / sizeof(uint64_t);
    uint64_t lowest = UINT64_MAX;

    assert_in_range(entries, 1, RANDOM_TABLE);
    memcpy(numbers, buffer.own, entries * sizeof(uint64_t));
    for (uint64_t i = 0; i < entries; i++)
        lowest = numbers[i] < lowest ? numbers[i] : lowest;
    for (uint64_t i = 0; i < entries; i++)
        numbers[i] = (numbers[i] - lowest) / TARGET_BYTES;
    return entries;
}

TEST(indirect_branches_take_their_targets_in_turn)
{
    static const char *const NAMES[] = {"indirect_jmp_in_turn", "indirect_call_in_turn"};
    static const uint32_t TARGETS[] = {1, FEW_TARGETS, 256};
    uint64_t numbers[RANDOM_TABLE];

    for (unsigned k = 0; k < 2; k++)
        for (unsigned t = 0; t < 3; t++) {
            assert_int_equal(targets_of(NAMES[k], TARGETS[t], numbers), TARGETS[t]);
            assert_int_equal(kernel_round(kernel_called(NAMES[k]), sizeof(numbers), TARGETS[t]),
                             TARGETS[t]);
            for (uint64_t i = 0; i < TARGETS[t]; i++)
                assert_int_equal(numbers[i], i);
        }
}

/* The target after target t is target t + 1 about as often as in a random order. */
TEST(indirect_branches_take_their_targets_at_random)
{
    static const char *const NAMES[] = {"indirect_jmp_random", "indirect_call_random"};
    uint64_t numbers[RANDOM_TABLE];

    for (unsigned k = 0; k < 2; k++) {
        unsigned times[FEW_TARGETS] = {0}, in_turn = 0;

        assert_int_equal(targets_of(NAMES[k], FEW_TARGETS, numbers), RANDOM_TABLE);
        assert_int_equal(kernel_called(NAMES[k])->default_n, RANDOM_TABLE);
        for (unsigned i = 0; i < RANDOM_TABLE; i++) {
            assert_in_range(numbers[i], 0, FEW_TARGETS - 1);
            times[numbers[i]]++;
            in_turn += numbers[(i + 1) % RANDOM_TABLE] == (numbers[i] + 1) % FEW_TARGETS;
        }
        for (unsigned t = 0; t < FEW_TARGETS; t++)
            assert_in_range(times[t], EACH_EXPECTED / 2, 2 * EACH_EXPECTED);
        assert_in_range(in_turn, EACH_EXPECTED / 2, 2 * EACH_EXPECTED);
    }
}
