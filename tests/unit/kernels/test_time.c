/* SPDX-License-Identifier: BSD-2-Clause */
/* Time estimates of kernels, and which kernels fit into max_time. */
#include <string.h>

#include "tests/unit/test.h"
#include "kernels/time.h"
#include "pmu/journal/record.h"

static const struct window_time TIME = {1000, 8, 500};

/*
 * A window takes `around` + n * `each_n` instructions. Clearing the buffer takes bytes / 2
 * instructions. An instruction takes 250 ps. The time is in us, rounded down.
 */
TEST(a_kernel)
{
    static const struct {
        uint64_t n, bytes, argument;
        enum kernel_round round;
        bool shared;
        uint64_t windows, us;
    } ROWS[] = {
        {0, 0, 0, ROUND_NONE, false, 4, 1},        /* 4 x 250 ns */
        {1000, 0, 0, ROUND_NONE, false, 4, 9},     /* 4 x (9000 / 4) ns */
        {1000, 8192, 0, ROUND_NONE, false, 4, 10}, /* plus 4096 / 4 ns */
        /* 4 x (501,000 / 4) ns: each access goes to another CPU */
        {1000, 0, 0, ROUND_NONE, true, 4, 501},
        {1000, 1 << 20, 0, ROUND_BUFFER, false, 4, 140}, /* near buffer: plus 131072 ns to clear */
        {1000, 2 << 20, 0, ROUND_BUFFER, false, 4, 763}, /* far buffer: plus 262144 ns to clear */
        {1000, 0, 65536, ROUND_BLOCKS, false, 4, 8193},  /* 65536 / 8 instructions each */
        {1000, 0, 32, ROUND_BLOCKS, false, 4, 9},        /* 32 / 8 is less than each_n, 8 */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct kernel_record record = {.round_of = ROWS[i].round};
        const struct chosen_kernel kernel = {
            .record = &record,
            .use = {.n = ROWS[i].n, .buffer_bytes = ROWS[i].bytes, .argument = ROWS[i].argument}};

        assert_int_equal(kernel_time_us(&kernel, &TIME, ROWS[i].windows, ROWS[i].shared, 250),
                         ROWS[i].us);
    }
}

static struct plan plan;
static unsigned estimates;

/* Each run takes 10 s, plus k seconds for the k-th kernel. */
static uint64_t triangle(void *context, unsigned kernels)
{
    assert_ptr_equal(context, &plan);
    estimates++;
    return plan.runs * (10 + kernels * (kernels + 1ull) / 2) * 1000000;
}

TEST(kernels_that_fit)
{
    static const struct {
        uint32_t max_time_s;
        unsigned fit;
    } ROWS[] = {{0, 1024}, {1, 1},  {11, 1},   {12, 1},        {13, 2},
                {15, 2},   {16, 3}, {510, 31}, {524809, 1023}, {524810, 1024}};
    uint64_t all_us;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        plan = (struct plan){.runs = 1, .runs_given = true, .max_time_s = ROWS[i].max_time_s};
        estimates = 0;
        assert_int_equal(time_fit(&plan, 1024, 0, triangle, &plan, &all_us), ROWS[i].fit);
        assert_int_equal(all_us, 524810000000); /* 10 + 1024 x 1025 / 2 s */
        assert_true(estimates <= 11);
    }
    plan.max_time_s = 1;
    assert_int_equal(time_fit(&plan, 1, 0, triangle, &plan, &all_us), 1);
}

TEST(runs_are_cut_first)
{
    static const struct {
        uint32_t runs;
        bool given;
        uint32_t max_time_s;
        uint64_t noise_us;
        uint32_t left;
        unsigned fit;
    } ROWS[] = {
        {100, false, 1600, 0, 100, 3},
        {100, false, 1599, 0, 50, 3},
        {100, true, 1599, 0, 100, 2}, /* given in the plan */
        {100, false, 200, 0, 12, 3},  /* 100, 50, 25, 12 */
        {100, false, 191, 0, 10, 3},
        {100, false, 159, 0, 10, 2},
        {100, false, 1, 0, 10, 1},
        {100, false, 3600, 9000000000, 100, 3}, /* noise does not extend max_time */
        {100, false, 0, 0, 25, 3},              /* 25 runs take 400 s, less than ten minutes */
        {100, false, 0, 199999999, 25, 3},
        {100, false, 0, 200000000, 50, 3}, /* 800 s: ten minutes plus noise */
        {1000, false, 0, 0, 31, 3},
        {1000, true, 0, 0, 1000, 3},
        {4, false, 1, 0, 4, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint64_t all_us;

        plan = (struct plan){
            .runs = ROWS[i].runs, .runs_given = ROWS[i].given, .max_time_s = ROWS[i].max_time_s};
        assert_int_equal(time_fit(&plan, 3, ROWS[i].noise_us, triangle, &plan, &all_us),
                         ROWS[i].fit);
        assert_int_equal(plan.runs, ROWS[i].left);
        assert_int_equal(all_us, ROWS[i].left * 16000000ull);
    }
}

/* An estimate just above the limit is rounded up, so that it differs from the limit. */
TEST(both_times_differ)
{
    static const struct {
        uint64_t all_us;
        uint32_t max_time_s;
        const char *says;
    } ROWS[] = {
        {1400000, 1, "1.4 s, not 1 s: "},
        {1000001, 1, "1.1 s, not 1 s: "},
        {60000001, 60, "60.1 s, not 60 s: "},
        {119950000, 119, "2 min 00 s, not 119 s: "},
        {120000001, 120, "2 min 01 s, not 2 min 00 s: "},
        {3600000001, 3600, "1 h 01 min, not 1 h 00 min: "},
        {7499000000, 7440, "2 h 05 min, not 2 h 04 min: "},
    };
    static const struct kernel_record A = {.record_bytes = sizeof(A), .name = "a"},
                                      B = {.record_bytes = sizeof(B), .name = "b"};
    static const struct chosen_kernel KERNEL[2] = {{.record = &A, .file = ""},
                                                   {.record = &B, .file = ""}};
    char text[NOTE_BYTES];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct out out = out_buffer(text, sizeof(text));

        kernels_left_out(KERNEL, 1, 2, ROWS[i].all_us, ROWS[i].max_time_s, &out);
        assert_string_equal(out_end(&out), formatted("max_time: 1 of 2 kernels is left out, "
                                                     "because all would take an estimated %sb",
                                                     ROWS[i].says));
    }
}

TEST(the_sentence)
{
    static struct kernel_record record[64];
    static struct chosen_kernel kernel[64];
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    for (unsigned i = 0; i < 64; i++) {
        record[i].record_bytes = sizeof(record[i]);
        strcpy(record[i].name, formatted("kernel_%u", i));
        kernel[i] = (struct chosen_kernel){
            .record = &record[i], .file = "", .use = {.n = 1, .buffer_bytes = 4096}};
    }
    kernel[2].is_sized = true;
    kernels_left_out(kernel, 1, 3, 7500000000, 1200, &out);
    assert_string_equal(out_end(&out),
                        "max_time: 2 of 3 kernels are left out, because all would take an "
                        "estimated 2 h 05 min, not 20 min 00 s: kernel_1, kernel_2 4K");
    out = out_buffer(text, sizeof(text));
    kernels_left_out(kernel, 1, 64, 7500000000, 1200, &out);
    assert_false(out.failed);
    out_end(&out);
    assert_non_null(strstr(text, ": kernel_1, kernel_2 4K, kernel_3"));
    for (unsigned named = 1; named < 63; named++)
        if (strstr(text, formatted("kernel_%u and %u more", named, 63 - named)))
            return;
    fail_msg("%s", text);
}
