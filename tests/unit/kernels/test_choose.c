/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels a word selects, and which parameters a kernel accepts. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan_memory.h"
#include "kernels/chosen.h"
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
        {&CHASE, {.argument = "", .size = 12288, .page_bytes = 2 << 20}, KERNEL_WANTS_A_PAGE, 0},
        {&CHASE, {.argument = "", .size = 4096, .page_bytes = 2 << 20}, KERNEL_WANTS_A_PAGE, 0},
        {&CHASE, {.argument = "", .size = 3 << 20, .page_bytes = 2 << 20}, KERNEL_WANTS_PAGES, 0},
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

/* Without a page size in the plan, the kernel's page size is used. */
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

TEST(a_round_goes_through_all_there_is)
{
    static const struct {
        enum kernel_round of;
        uint32_t step;
        uint64_t bytes, argument, n;
    } ROWS[] = {
        {ROUND_NONE, 0, 1 << 20, 64, 1},
        {ROUND_BUFFER, 64, 1 << 20, 0, 1 << 14},
        {ROUND_BUFFER, 2 << 20, 65536, 0, 1}, /* the buffer is smaller than a step, so n is 1 */
        {ROUND_BUFFER, 64, 1ull << 40, 0, 1ull << 34},
        {ROUND_BLOCKS, 1, 1 << 20, 192, 5461}, /* the remaining 64 bytes are in no block */
        {ROUND_BLOCKS, 2, 1 << 20, 65536, 8},
        {ROUND_BLOCKS, 1, 4096, 65536, 1},
        {ROUND_ARGUMENT, 1, 0, 65536, 65536},
        {ROUND_ARGUMENT, 3, 0, 0xffffffff, 3 * 0xffffffffull},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct kernel_record kernel = {.round_of = ROWS[i].of, .round_step = ROWS[i].step};

        assert_int_equal(kernel_round(&kernel, ROWS[i].bytes, ROWS[i].argument), ROWS[i].n);
    }
}

/* Without n= in the plan, n is default_n, rounded up to whole rounds, and at most PLAN_N_MAX. */
TEST(n_follows_what_there_is_to_go_through)
{
    static const struct kernel_record CHASE = {.name = "chase",
                                               .family = "chase",
                                               .default_n = 1000,
                                               .buffer_bytes = 16384,
                                               .argument = "stride",
                                               .argument_default = 64,
                                               .argument_low = 64,
                                               .argument_high = 4096,
                                               .argument_step = 64,
                                               .round_of = ROUND_BLOCKS,
                                               .round_step = 1};
    static const struct {
        const char *lines;
        uint64_t n[2];
    } ROWS[] = {
        {"chase\n", {1024}}, /* four rounds of 256 */
        {"chase size=64K\nchase size=1M\n", {1024, 16384}},
        {"chase size=1M stride=4096\nchase size=8M stride=4096\n", {1024, 2048}},
        {"chase size=48K\nchase size=60K stride=4096\n", {1536, 1005}},
        {"chase size=1M n=10\nchase size=64M\n", {10, 1 << 20}},
        {"chase page=2M\n", {1 << 15}},
        {"chase size=1024G\nchase size=32G\n", {PLAN_N_MAX, 1 << 29}},
    };
    static const struct kernel_record *const KERNELS[] = {&CHASE};
    static const char *const FILES[] = {""};
    static const struct kernel_offer OFFER = {.kernel = KERNELS, .file = FILES, .kernels = 1};
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *text = formatted("version=1\n[kernels]\n%s", ROWS[i].lines);
        unsigned count;

        plan_parse(text, strlen(text), &plan, plan_memory);
        count = chosen_find(&OFFER, &plan, chosen);
        assert_int_equal(plan.errors, 0);
        for (unsigned k = 0; k < count; k++)
            assert_int_equal(chosen[k].use.n, ROWS[i].n[k]);
        assert_int_equal(count, 1 + (ROWS[i].n[1] > 0));
    }
}

/* n= in [run] is not rounded up to whole rounds. */
TEST(n_of_the_run_is_given)
{
    static const char TEXT[] = "version=1\n[run]\nn=7\nkernels=chase\n";
    static const struct kernel_record CHASE = {.name = "chase",
                                               .family = "chase",
                                               .default_n = 1000,
                                               .buffer_bytes = 1 << 20,
                                               .round_of = ROUND_BUFFER,
                                               .round_step = 64};
    static const struct kernel_record *const KERNELS[] = {&CHASE};
    static const char *const FILES[] = {""};
    static const struct kernel_offer OFFER = {.kernel = KERNELS, .file = FILES, .kernels = 1};
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    plan_parse(TEXT, sizeof(TEXT) - 1, &plan, plan_memory);
    assert_int_equal(chosen_find(&OFFER, &plan, chosen), 1);
    assert_int_equal(chosen[0].use.n, 7);
}

static const struct {
    const char *line, *says;
} REASONS[] = {
    {"nops size=4K", "nops uses no memory; it takes no size=4K"},
    {"nops page=2M", "nops uses no memory; it takes no page=2M"},
    {"nops memory=uc", "nops uses no memory; it takes no memory=uc"},
    {"load size=2K", "load: size=2K is smaller than what it uses, 4000"},
    {"load size=16K page=2M", "load: size=16K is smaller than a page of 2M"},
    {"load size=2K page=2M", "load: size=2K is smaller than a page of 2M"},
    {"load size=16K,64K,16K page=2M", "load: size=16K and 64K are smaller than a page of 2M"},
    {"load size=4K..1M*2 page=2M n=1,2",
     "load: size=4K, 8K, 16K, 32K and 5 more are smaller than a page of 2M"},
    {"load size=1K,2K", "load: size=1K and 2K are smaller than what it uses, 4000"},
    {"load size=3M page=2M", "load: size=3M is not a whole number of pages of 2M"},
    {"large size=16K", "large: size=16K is smaller than a page of 2M, its page size"},
    {"large size=5M", "large: size=5M is not a whole number of pages of 2M, its page size"},
    {"load stride=64", "load has no argument 'stride'"},
    {"load sise=4K", "load has no argument 'sise'; nearest: size"},
    {"large strid=64", "large has no argument 'strid'; nearest: stride"},
    {"large period=64", "large has no argument 'period'; its argument is 'stride'"},
    {"large stride=32", "large: expected stride from 64 to 4096 in steps of 64, found 32"},
    {"large stride=32,0,8192",
     "large: expected stride from 64 to 4096 in steps of 64, found 32, 0 and 8192"},
    {"nops memory=uc,wc", "nops uses no memory; it takes no memory=uc and wc"},
    {"large stride=100", "large: expected stride from 64 to 4096 in steps of 64, found 100"},
    {"memory size=16K page=2M",
     "no kernel of 'memory' accepts this line; load: size=16K is smaller than a page of 2M"},
    {"memory size=16K,32K page=2M", "no kernel of 'memory' accepts this line; load: size=16K and "
                                    "32K are smaller than a page of 2M"},
    {"straight size=4K",
     "no kernel of 'straight' accepts this line; nops uses no memory; it takes no size=4K"},
    {"code n=1K", "there are no kernels for the word 'code'"},
    {"laod", "there is no kernel or family 'laod'; nearest: load"},
    {"memroy", "there is no kernel or family 'memroy'; nearest: memory"},
    {"larg", "there is no kernel or family 'larg'; nearest: large, large_pages"},
    {"defaul", "there is no kernel or family 'defaul'; nearest: default"},
    {"something_else", "there is no kernel or family 'something_else'; --list-kernels lists them"},
};

TEST(reasons)
{
    static const struct kernel_record NOPS = {.name = "nops", .family = "straight", .default_n = 1};
    static const struct kernel_record LOAD = {
        .name = "load", .family = "memory", .default_n = 1, .buffer_bytes = 4000};
    static const struct kernel_record LARGE = {.name = "large",
                                               .family = "large_pages",
                                               .default_n = 1,
                                               .buffer_bytes = 4096,
                                               .page_bytes = 2 << 20,
                                               .argument = "stride",
                                               .argument_low = 64,
                                               .argument_high = 4096,
                                               .argument_step = 64};
    static const struct kernel_record STORE = {
        .name = "store", .family = "memory", .default_n = 1, .buffer_bytes = 8000};
    static const struct kernel_record *const KERNELS[] = {&NOPS, &LOAD, &LARGE, &STORE};
    static const char *const FILES[] = {"", "", "", ""};
    const struct kernel_offer offer = {.kernel = KERNELS, .file = FILES, .kernels = 4};
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    for (size_t i = 0; i < sizeof(REASONS) / sizeof(REASONS[0]); i++) {
        const char *text = formatted("version=1\n[kernels]\n\n%s\n", REASONS[i].line);

        plan_parse(text, strlen(text), &plan, plan_memory);
        assert_int_equal(plan.errors, 0);
        chosen_find(&offer, &plan, chosen);
        /* error[0]: kernels=default, which is run instead, selects no kernel here */
        assert_int_equal(plan.errors, 2 + 1);
        assert_int_equal(plan.error[1].line, 2);
        assert_string_equal(plan.error[1].text,
                            "[kernels]: none of its lines can be used; kernels=default is run");
        assert_int_equal(plan.error[2].line, 4);
        assert_string_equal(plan.error[2].text, REASONS[i].says);
    }
}

TEST(each_reason_once)
{
    static const struct kernel_record LOAD = {
        .name = "load", .family = "memory", .default_n = 1, .buffer_bytes = 4000};
    static const struct kernel_record *const KERNELS[] = {&LOAD};
    static const char *const FILES[] = {""};
    const struct kernel_offer offer = {.kernel = KERNELS, .file = FILES, .kernels = 1};
    static const char *const WORDS[] = {"load", "memory"};
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    for (unsigned i = 0; i < 2; i++) {
        const char *text =
            formatted("version=1\n[kernels]\n%s size=32K,2M,3M,64K page=2M n=1,2\n", WORDS[i]);

        plan_parse(text, strlen(text), &plan, plan_memory);
        assert_int_equal(chosen_find(&offer, &plan, chosen), 2);
        assert_int_equal(plan.errors, 2);
        assert_non_null(
            strstr(plan.error[0].text, "load: size=32K and 64K are smaller than a page of 2M"));
        assert_non_null(
            strstr(plan.error[1].text, "load: size=3M is not a whole number of pages of 2M"));
    }
}

TEST(values_that_others_take)
{
    static const struct kernel_record LOAD = {
        .name = "load", .family = "memory", .default_n = 1, .buffer_bytes = 8000};
    static const struct kernel_record STORE = {
        .name = "store", .family = "memory", .default_n = 1, .buffer_bytes = 4000};
    static const struct kernel_record *const KERNELS[] = {&LOAD, &STORE};
    static const char *const FILES[] = {"", ""};
    const struct kernel_offer offer = {.kernel = KERNELS, .file = FILES, .kernels = 2};
    static const char TEXT[] = "version=1\n[kernels]\nmemory size=1K,5K,2K\n";
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    plan_parse(TEXT, sizeof(TEXT) - 1, &plan, plan_memory);
    assert_int_equal(chosen_find(&offer, &plan, chosen), 1);
    assert_int_equal(plan.errors, 1);
    assert_string_equal(plan.error[0].text,
                        "no kernel of 'memory' accepts this line; load: size=1K and 2K are "
                        "smaller than what it uses, 8000");
}

TEST(the_default_instead)
{
    static const struct kernel_record NOPS = {
        .name = "nops", .family = "straight", .flags = KERNEL_KNOWN, .default_n = 1};
    static const struct kernel_record *const KERNELS[] = {&NOPS};
    static const char *const FILES[] = {""};
    static const struct {
        const char *plan;
        unsigned errors;
        const char *last;
    } ROWS[] = {
        {"version=1\n[run]\nkernels=nop,laod\n", 3,
         "kernels: none of its names can be used; kernels=default is run"},
        {"version=1\n[run]\nkernels=nops,laod\n", 1,
         "there is no kernel or family 'laod'; --list-kernels lists them"},
        {"version=1\n[kernels]\nlaod\nnops\n", 1,
         "there is no kernel or family 'laod'; --list-kernels lists them"},
        {"version=1\n", 0, ""},
    };
    const struct kernel_offer offer = {.kernel = KERNELS, .file = FILES, .kernels = 1};
    static struct chosen_kernel chosen[CHOSEN_MAX];
    static struct plan plan;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        plan_parse(ROWS[i].plan, strlen(ROWS[i].plan), &plan, plan_memory);
        assert_int_equal(chosen_find(&offer, &plan, chosen), 1);
        assert_int_equal(plan.errors, ROWS[i].errors);
        if (plan.errors > 0)
            assert_string_equal(plan.error[plan.errors - 1].text, ROWS[i].last);
    }
}
