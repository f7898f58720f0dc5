/* SPDX-License-Identifier: BSD-2-Clause */
/* [kernels]: names, values, sweeps, combinations and limits. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"
#include "pmu/journal/record.h"

#define HEAD "version=1\n[kernels]\n"
#define N    "n: expected a number from 1 to 1000000000, found "
#define SIZE "size: expected a number from 1 to 1099511627776, found "
#define FORM                                                                                       \
    "expected n=, size=, page=, memory= or an argument of the kernel, without blanks, "            \
    "found "
#define STRIDE "stride: expected a number from 0 to 4294967295, found "
#define PAGE   "page: expected 4K, 2M or 1G, found "
#define MEMORY "memory: expected wb, wt, wc or uc, found "

/* The values that lists and sweeps expand to. */
TEST(values)
{
    static const struct {
        const char *text;
        unsigned count;
        uint64_t value[8];
    } ROWS[] = {
        {"size=4096", 1, {4096}},
        {"size=0x1000", 1, {4096}},
        {"size=4K", 1, {4096}},
        {"size=3M", 1, {3 * 1024 * 1024}},
        {"size=2G", 1, {2147483648}},
        {"size=1024G", 1, {1099511627776}},
        {"size=1,3,2", 3, {1, 3, 2}},
        {"size=1..8*2", 4, {1, 2, 4, 8}},
        {"size=1..7*2", 3, {1, 2, 4}},
        {"size=3..100*3", 4, {3, 9, 27, 81}},
        {"size=5..5*2", 1, {5}},
        {"size=4K..16K*2", 3, {4096, 8192, 16384}},
        {"size=4K..64M*16", 4, {4096, 65536, 1048576, 16777216}},
        {"size=4K..12K+4K", 3, {4096, 8192, 12288}},
        {"size=1..10+4", 3, {1, 5, 9}},
        {"size=1..9+4", 3, {1, 5, 9}},
        {"size=7..7+100", 1, {7}},
        {"size=1,10..30+10,99", 5, {1, 10, 20, 30, 99}},
        {"size=1..2*2,8..16*2", 4, {1, 2, 8, 16}},
        {"size=1..1024G*1024G", 2, {1, 1099511627776}},
        {"size=1..2+18446744073709551615", 1, {1}}, /* 1 plus 2^64 - 1 would wrap to 0 */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(formatted(HEAD "load %s\n", ROWS[i].text));
        if (plan.errors != 0 || plan.kernels != ROWS[i].count)
            fail_msg("%s: %u errors, %u entries", ROWS[i].text, plan.errors, plan.kernels);
        for (unsigned k = 0; k < plan.kernels; k++) {
            assert_string_equal(plan.kernel[k].name, "load");
            assert_int_equal(plan.kernel[k].line, 3);
            assert_int_equal(plan.kernel[k].size, ROWS[i].value[k]);
            assert_int_equal(plan.kernel[k].n, 0);
        }
    }
}

/* Every n is combined with every size. */
TEST(combinations)
{
    parse_ok(HEAD "dec_jnz\n\tstore  size=1..4*2\tn=10,20 # six\nload n=0x10");
    assert_int_equal(plan.kernels, 1 + 2 * 3 + 1);
    assert_string_equal(plan.kernel[0].name, "dec_jnz");
    assert_int_equal(plan.kernel[0].n, 0);
    assert_int_equal(plan.kernel[0].size, 0);
    for (unsigned i = 0; i < 6; i++) {
        assert_string_equal(plan.kernel[1 + i].name, "store");
        assert_int_equal(plan.kernel[1 + i].line, 4);
        assert_int_equal(plan.kernel[1 + i].n, i < 3 ? 10 : 20);
        assert_int_equal(plan.kernel[1 + i].size, 1 << i % 3);
    }
    assert_string_equal(plan.kernel[7].name, "load");
    assert_int_equal(plan.kernel[7].n, 16);
    assert_int_equal(plan.kernel[7].line, 5);
}

/*
 * The size changes fastest, then the argument, page, memory and n, whatever their order on the
 * line.
 */
TEST(every_parameter)
{
    static const struct plan_kernel WANTED[] = {
        {.n = 7, .memory = MEMORY_WB, .page_bytes = 4096, .argument_value = 64},
        {.n = 7, .memory = MEMORY_WB, .page_bytes = 4096, .argument_value = 128},
        {.n = 7, .memory = MEMORY_WB, .page_bytes = 1 << 30, .argument_value = 64},
        {.n = 7, .memory = MEMORY_WB, .page_bytes = 1 << 30, .argument_value = 128},
        {.n = 7, .memory = MEMORY_UC, .page_bytes = 4096, .argument_value = 64},
        {.n = 7, .memory = MEMORY_UC, .page_bytes = 4096, .argument_value = 128},
        {.n = 7, .memory = MEMORY_UC, .page_bytes = 1 << 30, .argument_value = 64},
        {.n = 7, .memory = MEMORY_UC, .page_bytes = 1 << 30, .argument_value = 128},
    };

    parse_ok(HEAD "chase page=4k,1G stride=64..128*2 memory=wb,uc size=1G,2G n=7\n");
    assert_int_equal(plan.kernels, 16);
    for (unsigned i = 0; i < 16; i++) {
        const struct plan_kernel *kernel = &plan.kernel[i], *wanted = &WANTED[i / 2];

        assert_string_equal(kernel->name, "chase");
        assert_string_equal(kernel->argument, "stride");
        assert_int_equal(kernel->n, wanted->n);
        assert_int_equal(kernel->memory, wanted->memory);
        assert_int_equal(kernel->page_bytes, wanted->page_bytes);
        assert_int_equal(kernel->argument_value, wanted->argument_value);
        assert_int_equal(kernel->size, (1ull << 30) << i % 2);
    }
    parse_ok(HEAD "chase memory=WT,wc page=2m\nchase eleven_char=0,4294967295\n");
    assert_int_equal(plan.kernels, 4);
    assert_int_equal(plan.kernel[0].memory, MEMORY_WT);
    assert_int_equal(plan.kernel[1].memory, MEMORY_WC);
    assert_int_equal(plan.kernel[1].page_bytes, 2 << 20);
    assert_string_equal(plan.kernel[1].argument, "");
    assert_string_equal(plan.kernel[3].argument, "eleven_char"); /* 0 gets an entry, too */
    assert_int_equal(plan.kernel[2].argument_value, 0);
    assert_int_equal(plan.kernel[3].argument_value, 4294967295);
    assert_int_equal(plan.kernel[3].memory + plan.kernel[3].page_bytes, 0);
}

static const struct mistake MISTAKES[] = {
    {"load x1=1", FORM "'x1=1'"},
    {"load stride", FORM "'stride'"},
    {"load a_name_of_12=1", FORM "'a_name_of_12=1'"},
    {"load stride=1 offset=2", "offset= after stride=: a kernel has at most one argument"},
    {"load stride=1 stride=2", "stride appears twice in this line"},
    {"load page=4K page=4K", "page appears twice in this line"},
    {"load stride=4294967296", STRIDE "'4294967296'"},
    {"load stride=4G", STRIDE "'4G'"},
    {"load stride=", STRIDE "''"},
    {"load stride=1..x*2", STRIDE "'x'"},
    {"load stride=1..4", "stride: expected first..last*factor or first..last+step, found"},
    {"load page=8K", PAGE "'8K'"},
    {"load page=", PAGE "''"},
    {"load page=4K,", PAGE "''"},
    {"load page=4K..1G*512", PAGE "'4K..1G*512'"},
    {"load memory=wp", MEMORY "'wp'"},
    {"load memory=wb..uc*2", MEMORY "'wb..uc*2'"},
    {"load memory=1", MEMORY "'1'"},
    {"load n", FORM "'n'"},
    {"load n =1", FORM "'n'"},
    {"load N=1", FORM "'N=1'; nearest: n"},
    {"load SIZE=4K", FORM "'SIZE=4K'; nearest: size"},
    {"load =1", FORM "'=1'"},
    {"load 1", FORM "'1'"},
    {"load n=1, 2", FORM "'2'"},
    {"load, store", "expected one kernel per line, found 'load,'"},
    {"load,store", "expected one kernel per line, found 'load,store'"},
    {"load size = 4K", "expected n=, size=, page=, memory= or an argument of the kernel, without "
                       "blanks, found 'size'; no blanks are allowed around '='"},
    {"load n=1 n=2", "n appears twice in this line"},
    {"load size=1 n=1 size=1", "size appears twice in this line"},
    {"load n=", N "''"},
    {"load n=,1", N "''"},
    {"load n=1,", N "''"},
    {"load n=0", N "'0'"},
    {"load n=-1", N "'-1'"},
    {"load n=1T", N "'1T'"},
    {"load n=1G", N "'1G'"}, /* 2^30 exceeds 10^9 */
    {"load n=1000000001", N "'1000000001'"},
    {"load n=18446744073709551617", N "'18446744073709551617'"}, /* 2^64 + 1 */
    {"load n=1,x", N "'x'"},
    {"load n=1..x*2", N "'x'"},
    {"load n=..4*2", N "''"},
    {"load n=0..4*2", N "'0'"},
    {"load n=1..1000000001*10", N "'1000000001'"},
    {"load size=0", SIZE "'0'"},
    {"load size=K", SIZE "'K'"},
    {"load size=1T", SIZE "'1T'; a number may end in K, M or G"},
    {"load size=1025G", SIZE "'1025G'"},
    {"load size=99999999999999999G", SIZE "'99999999999999999G'"},
    {"load size=4K..", "size: expected first..last*factor or first..last+step, found '4K..'"},
    {"load n=1..4", "n: expected first..last*factor or first..last+step, found '1..4'"},
    {"load n=1..4-1", "n: expected first..last*factor or first..last+step, found '1..4-1'"},
    {"load n=4..1*2", "n: expected a sweep that ends at or above its start, found '4..1*2'"},
    {"load n=1..4*0", "n: expected *2 or more, or +1 or more, found '1..4*0'"},
    {"load n=1..4*1", "n: expected *2 or more, or +1 or more, found '1..4*1'"},
    {"load n=1..4+0", "n: expected *2 or more, or +1 or more, found '1..4+0'"},
    {"load n=1..4*", "n: expected *2 or more, or +1 or more, found '1..4*'"},
    {"load n=1..4*-2", "n: expected *2 or more, or +1 or more, found '1..4*-2'"},
    {"load n=1..4*2*2", "n: expected *2 or more, or +1 or more, found '1..4*2*2'"},
    {"load n=1..1000000000+1", "expected at most 1024 kernels (each combination of values counts "
                               "as one); 1 are above, and this line has more than 1023"},
    {"load n=1..1024+1", "expected at most 1024 kernels"},
    {"load n=1..32+1 size=1..32+1", "expected at most 1024 kernels"},
    {"load n=1..1025+1 size=1..257+1", "expected at most 1024 kernels"},
    /* 2^34 combinations must not wrap in 32 bits */
    {"load n=1..1024+1 size=1..1024+1 x=1..1024+1 memory=wb,wt,wc,uc page=4K,4K,4K,4K",
     "expected at most 1024 kernels"},
    {"a2345678901234567890123456789012 n=1",
     "expected a kernel's name of at most 31 characters, found "
     "'a234567890123456789012345678901'"},
};

TEST(mistakes)
{
    for (size_t i = 0; i < sizeof(MISTAKES) / sizeof(MISTAKES[0]); i++) {
        parse(formatted(HEAD "first\n%s\nlast\n", MISTAKES[i].line));
        assert_one_error(4, MISTAKES[i].says);
        assert_int_equal(plan.kernels, 2);
        assert_string_equal(plan.kernel[0].name, "first");
        assert_string_equal(plan.kernel[1].name, "last");
    }
}

TEST(up_to_the_bound)
{
    char text[PLAN_KERNELS_MAX * 8 + 64] = HEAD;

    parse_ok(HEAD "load n=1..1024+1\n");
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_int_equal(plan.kernel[1023].n, 1024);
    parse(HEAD "one\nload n=1..1024+1\n");
    assert_one_error(
        4, "expected at most 1024 kernels (each combination of values counts as one); 1 are above");
    assert_int_equal(plan.kernels, 1);
    parse(HEAD "load n=1..1025+1\n");
    assert_int_equal(plan.errors, 2);
    assert_int_equal(plan.kernels, 0);
    assert_int_equal(plan.error[0].line, 2);
    assert_string_equal(plan.error[0].text,
                        "[kernels]: none of its lines can be used; kernels=default is run");
    parse_ok(HEAD "load n=1..32+1 size=1..32+1\n");
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    for (unsigned i = 0; i < PLAN_KERNELS_MAX; i++)
        snprintf(text + strlen(text), 8, "k%u\n", i);
    strcat(text, "more\n");
    parse(text);
    assert_one_error(3 + PLAN_KERNELS_MAX,
                     "expected at most 1024 kernels (each combination of values counts as one); "
                     "1024 are above, and this line has more than 0");
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_string_equal(plan.kernel[1023].name, "k1023");
}

/* If a plan has kernels= and [kernels], the section is used, and the key is an error. */
TEST(section_against_key)
{
    parse("version=1\n[run]\nkernels=a,b\n[kernels]\nc\n");
    assert_one_error(3, "kernels: the section [kernels] below is used instead");
    assert_int_equal(plan.kernels, 1);
    assert_string_equal(plan.kernel[0].name, "c");
    parse("version=1\n[kernels]\nc\n[run]\nkernels=a,b\n[kernels]\nd\n");
    assert_one_error(5, "kernels: the section [kernels] above is used instead");
    assert_int_equal(plan.kernels, 2);
    assert_string_equal(plan.kernel[1].name, "d");
    parse("version=1\n[run]\nn=5\nkernels=all\n[kernels]\nc n=7\n[kernels]\nd\n");
    assert_one_error(4, "kernels: the section [kernels] below is used instead");
    assert_int_equal(plan.kernels, 2);
    assert_int_equal(plan.n, 5);
    assert_int_equal(plan.kernel[0].n, 7);
    assert_int_equal(plan.kernel[1].n, 0);
}
