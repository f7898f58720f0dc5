/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels a word means, and what a kernel takes. */
#include "tests/unit/test.h"
#include "kernels/choose.h"

#define STICK true
#define BUILT false

TEST(words)
{
    static const struct kernel_record KNOWN = {
        .name = "load", .family = "memory", .flags = KERNEL_KNOWN};
    static const struct kernel_record OTHER = {.name = "chase", .family = "chases"};
    static const struct {
        const char *word;
        bool known, known_of_stick, other, other_of_stick;
    } ROWS[] = {
        {"all", true, true, true, true},       {"known", true, false, false, false},
        {"stick", false, true, false, true},   {"default", true, true, false, true},
        {"code", false, false, false, false},  {"memory", true, true, false, false},
        {"chases", false, false, true, true},  {"load", false, false, false, false},
        {"memor", false, false, false, false}, {"memory_", false, false, false, false},
        {"", false, false, false, false},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *word = ROWS[i].word;

        assert_int_equal(kernel_is_meant(&KNOWN, BUILT, word), ROWS[i].known);
        assert_int_equal(kernel_is_meant(&KNOWN, STICK, word), ROWS[i].known_of_stick);
        assert_int_equal(kernel_is_meant(&OTHER, BUILT, word), ROWS[i].other);
        assert_int_equal(kernel_is_meant(&OTHER, STICK, word), ROWS[i].other_of_stick);
        assert_int_equal(kernel_is_word(word), i < 5);
    }
    assert_true(kernel_is_named(&KNOWN, "load"));
    assert_false(kernel_is_named(&KNOWN, "loa"));
    assert_false(kernel_is_named(&KNOWN, "loads"));
    assert_false(kernel_is_named(&KNOWN, "memory"));
}

TEST(what_is_taken)
{
    static const struct kernel_record PLAIN = {.name = "plain"};
    static const struct kernel_record CHASE = {.name = "chase",
                                               .buffer_bytes = 8192,
                                               .argument = "stride",
                                               .argument_low = 64,
                                               .argument_high = 4294967295,
                                               .argument_step = 24};
    static const struct {
        const struct kernel_record *kernel;
        struct kernel_wanted wanted;
        enum kernel_refusal refusal;
        uint64_t bytes;
    } ROWS[] = {
        {&PLAIN, {.argument = ""}, KERNEL_TAKES_IT, 0},
        {&PLAIN, {.argument = "", .size = 4096}, KERNEL_HAS_NO_BUFFER, 0},
        {&PLAIN, {.argument = "", .page_bytes = 4096}, KERNEL_HAS_NO_BUFFER, 0},
        {&PLAIN, {.argument = "", .memory = 1}, KERNEL_HAS_NO_BUFFER, 0},
        {&PLAIN, {.argument = "stride", .argument_value = 64}, KERNEL_HAS_NO_ARGUMENT, 0},
        {&CHASE, {.argument = ""}, KERNEL_TAKES_IT, 8192},
        {&CHASE, {.argument = "", .size = 8191}, KERNEL_WANTS_MORE, 0},
        {&CHASE, {.argument = "", .size = 8192}, KERNEL_TAKES_IT, 8192},
        {&CHASE, {.argument = "", .size = 8193}, KERNEL_TAKES_IT, 8193},
        {&CHASE, {.argument = "", .size = 12288, .page_bytes = 4096}, KERNEL_TAKES_IT, 12288},
        {&CHASE, {.argument = "", .size = 12289, .page_bytes = 4096}, KERNEL_WANTS_PAGES, 0},
        {&CHASE, {.argument = "", .size = 12288, .page_bytes = 2 << 20}, KERNEL_WANTS_PAGES, 0},
        {&CHASE, {.argument = "", .page_bytes = 2 << 20}, KERNEL_TAKES_IT, 2 << 20},
        {&CHASE, {.argument = "", .page_bytes = 4096, .memory = 4}, KERNEL_TAKES_IT, 8192},
        {&CHASE, {.argument = "strid", .argument_value = 64}, KERNEL_HAS_NO_ARGUMENT, 0},
        {&CHASE, {.argument = "stride", .argument_value = 63}, KERNEL_OUT_OF_RANGE, 0},
        {&CHASE, {.argument = "stride", .argument_value = 64}, KERNEL_TAKES_IT, 8192},
        {&CHASE, {.argument = "stride", .argument_value = 65}, KERNEL_BETWEEN_STEPS, 0},
        {&CHASE, {.argument = "stride", .argument_value = 88}, KERNEL_TAKES_IT, 8192},
        /* 4294967295 - 64 is 24 x 178956967 + 23 */
        {&CHASE, {.argument = "stride", .argument_value = 4294967295}, KERNEL_BETWEEN_STEPS, 0},
        {&CHASE, {.argument = "stride", .argument_value = 4294967272}, KERNEL_TAKES_IT, 8192},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_int_equal(kernel_takes(ROWS[i].kernel, &ROWS[i].wanted), ROWS[i].refusal);
        if (ROWS[i].refusal == KERNEL_TAKES_IT)
            assert_int_equal(kernel_buffer_bytes(ROWS[i].kernel, &ROWS[i].wanted), ROWS[i].bytes);
    }
}

/* A kernel that itself wants pages of a size has whole ones of them, unless the plan says more. */
TEST(pages_of_a_kernel)
{
    const struct kernel_record kernel = {.buffer_bytes = 3 << 20, .page_bytes = 2 << 20};

    assert_int_equal(
        kernel_takes(&kernel, &(struct kernel_wanted){.argument = "", .size = 4 << 20}),
        KERNEL_TAKES_IT);
    assert_int_equal(
        kernel_takes(&kernel, &(struct kernel_wanted){.argument = "", .size = 5 << 20}),
        KERNEL_WANTS_PAGES);
    assert_int_equal(
        kernel_takes(&kernel,
                     &(struct kernel_wanted){.argument = "", .size = 5 << 20, .page_bytes = 4096}),
        KERNEL_TAKES_IT);
    assert_int_equal(kernel_buffer_bytes(&kernel, &(struct kernel_wanted){.argument = ""}),
                     4 << 20);
    assert_int_equal(kernel_buffer_bytes(&kernel, &(struct kernel_wanted){.page_bytes = 4096}),
                     3 << 20);
    assert_int_equal(kernel_buffer_bytes(&kernel, &(struct kernel_wanted){.page_bytes = 1 << 30}),
                     1 << 30);
}
