/* SPDX-License-Identifier: BSD-2-Clause */
/* Random plans, and the plans that barecount ships. Run this from the top of the source tree. */
#include <stdalign.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"
#include "tests/unit/fakes/random.h"

#define CHECK(condition) assert_true(condition)
#include "tests/unit/fakes/plan_holds.h"
#include "kernels/check.h"
#include "kernels/choose.h"
#include "pmu/base/bytes.h"

BEFORE_ALL(random_start);

#define RANDOM_BYTES (1u << 20)

static char text[RANDOM_BYTES];

static void parse_and_check(size_t size)
{
    char *copy = copy_of(text, size);

    memset(&plan, 0xa5, sizeof(plan));
    plan_parse(copy, size, &plan, plan_memory);
    check_plan(&plan, copy, size);
    free(copy);
}

TEST(random_bytes)
{
    for (unsigned round = 0; round < 24; round++) {
        for (size_t i = 0; i < sizeof(text); i++)
            text[i] = (char)random_bits();
        parse_and_check(round < 4 ? sizeof(text) : random_below(200));
        assert_true(plan.errors > 0);
    }
}

/* clang-format off */
static const char *const WORDS[] = {
    "version=1", "\n", "\r\n", "\n", "\n", "\n", "[run]\n", "[kernels]\n", "[events a]\n",
    "[events b]\n", "[msr before]\n", "[msr after]\n", "[x]", "label=", "cpus=", "runs=",
    "warmup=", "kernels=", "n=", "size=", "at_end=", "mode=", "ring=", "cpl=", "method=",
    "overflow_after=", "events=", "unsafe_msr=", "yes", "deltas", "usr", "3", "all", "boot", ",",
    "-", "..", "*", "+", "*2", "0", "1023", "4K", "99999999999999999999", "#", " ", "\t", "menu",
    "default", "a", "A.B", ":cmask=1", "/", "=", "load", "read ", "write ", "0x1a4", "nop",
    "stop", "rdtsc", "\xef\xbb\xbf", "\x80", "[results]\n", "server=", "http://", "tftp://",
    "1.2.3.4", ":80", "frames=", "always",
};
/* clang-format on */

TEST(random_words)
{
    for (unsigned round = 0; round < 6000; round++) {
        size_t size = 0;

        if (round & 1) {
            memcpy(text, "version=1\n", 10);
            size = 10;
        }
        for (uint64_t words = random_below(90); words > 0; words--) {
            const char *word = WORDS[random_below(sizeof(WORDS) / sizeof(WORDS[0]))];

            memcpy(text + size, word, strlen(word));
            size += strlen(word);
        }
        parse_and_check(size);
    }
}

static size_t read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(text, 1, sizeof(text), file);
    fclose(file);
    return size;
}

static bool is_code(const char *name)
{
    bool found = !strcmp(name, KERNEL_WORD_CODE);

    for (unsigned i = 0; i < plan.codes && !found; i++)
        found = !strcmp(name, plan.code[i].name);
    return found && plan.codes > 0;
}

static bool is_kernel(const char *name)
{
    static alignas(8) uint8_t table[1 << 22];
    FILE *file = fopen("build/kernels.bin", "rb");
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;
    size_t size;

    assert_non_null(file);
    size = fread(table, 1, sizeof(table), file);
    fclose(file);
    while ((kernel = kernel_next(table, size, kernel, crc32_ieee, &why)))
        if (kernel_is_named(kernel, name) || kernel_is_meant(kernel, false, name))
            return true;
    return false;
}

/* A prefix of a shipped plan must not crash the parser. */
TEST(shipped_plans)
{
    glob_t files;

    assert_int_equal(glob("scripts/plans/*.cfg", 0, NULL, &files), 0);
    assert_in_range(files.gl_pathc, 8, 100);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t size = read_file(files.gl_pathv[i]);

        for (size_t cut = 0; cut < size; cut += 1 + size / 500)
            parse_and_check(cut);
        parse_bytes(text, size);
        if (plan.errors > 0)
            fail_msg("%s:%u: %s", files.gl_pathv[i], plan.error[0].line, plan.error[0].text);
        for (unsigned k = 0; k < plan.kernels; k++)
            if (!is_kernel(plan.kernel[k].name) && !is_code(plan.kernel[k].name))
                fail_msg("%s: no kernel %s", files.gl_pathv[i], plan.kernel[k].name);
    }
    globfree(&files);
}

TEST(scripts_of_the_post)
{
    static const struct {
        const char *path;
        const char *name[4];
    } ROWS[] = {
        {"scripts/plans/uops.cfg", {"UopsAny", "UopsP015", "UopsP234", "L3Miss"}},
        {"scripts/plans/misses.cfg", {"L1Miss", "L3Miss", "BrMispred", "UopsAny"}},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_bytes(text, read_file(ROWS[i].path));
        assert_int_equal(plan.events, 4);
        for (unsigned k = 0; k < 4; k++)
            assert_piece(plan.event[k].name, ROWS[i].name[k]);
    }
}
