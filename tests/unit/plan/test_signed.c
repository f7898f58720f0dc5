/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signed plans: the text in an image, damaged images, and the settings that an unsigned plan loses.
 */
#include <string.h>

#include "pmu/plan/signed.h"
#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define TEXT "version=1\n[run]\nruns=7\n"

/* Microsoft, "PE Format": a header at 40H, no optional header, two sections. */
enum {
    PE_OFFSET = 0x3c,
    PE = 0x40,
    SECTIONS = PE + 6,
    OPTIONAL = PE + 20,
    FIRST = PE + 24,
    SECOND = FIRST + 40,
    VIRTUAL_SIZE = SECOND + 8,
    RAW_SIZE = SECOND + 16,
    RAW_OFFSET = SECOND + 20,
    CONTENT = SECOND + 40,
    IMAGE_BYTES = CONTENT + 32,
};

static const char *image(unsigned changed_at, uint8_t value)
{
    static char *copy;
    char bytes[IMAGE_BYTES] = "MZ";

    bytes[PE_OFFSET] = PE;
    memcpy(bytes + PE, "PE", 2);
    bytes[SECTIONS] = 2;
    memcpy(bytes + FIRST, ".text", 5);
    memcpy(bytes + SECOND, ".plan", 5);
    bytes[VIRTUAL_SIZE] = sizeof(TEXT) - 1;
    bytes[RAW_SIZE] = 32;
    bytes[RAW_OFFSET] = (char)CONTENT;
    memcpy(bytes + CONTENT, TEXT, sizeof(TEXT));
    if (changed_at)
        bytes[changed_at] = (char)value;
    free(copy);
    copy = copy_of(bytes, sizeof(bytes));
    return copy;
}

TEST(text_of_an_image)
{
    struct piece text =
        plan_parse_file((struct piece){image(0, 0), IMAGE_BYTES}, &plan, plan_memory);

    assert_true(piece_is(text, TEXT));
    assert_int_equal(plan.runs, 7);
    assert_int_equal(plan.errors, 0);
}

TEST(text_without_an_image)
{
    const char *copy = copy_of(TEXT, sizeof(TEXT) - 1);
    struct piece text = plan_parse_file((struct piece){copy, sizeof(TEXT) - 1}, &plan, plan_memory);

    assert_ptr_equal(text.at, copy);
    assert_int_equal(plan.runs, 7);
    free((void *)copy);
}

/* Each change makes a field point outside the file, or leaves no section .plan with a text. */
TEST(damaged_images)
{
    static const struct {
        unsigned at;
        uint8_t value;
    } ROWS[] = {
        {PE_OFFSET, 0xf0},  {PE_OFFSET + 3, 0xff},  {SECTIONS, 1},      {OPTIONAL, 1},
        {OPTIONAL + 1, 1},  {SECOND + 1, 'q'},      {VIRTUAL_SIZE, 33}, {VIRTUAL_SIZE + 3, 0x80},
        {RAW_OFFSET, 0xe0}, {RAW_OFFSET + 3, 0xff}, {VIRTUAL_SIZE, 0},
    };

    for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct piece file = {image(ROWS[i].at, ROWS[i].value), IMAGE_BYTES};

        if (plan_of_image(file).size != 0)
            fail_msg("a plan was found with %u at %u", ROWS[i].value, ROWS[i].at);
        plan_parse_file(file, &plan, plan_memory);
        assert_int_equal(plan.errors, 1);
    }
    for (size_t size = 0; size < CONTENT + sizeof(TEXT) - 1; size++) {
        char *copy = copy_of(image(0, 0), size);

        assert_int_equal(plan_of_image((struct piece){copy, size}).size, 0);
        free(copy);
    }
}

#define MSR "[msr before]\nwrite 0x1a4 1\nwrite 0x10 0\n"

TEST(unsigned_plans)
{
    parse_ok("version=1\n[code x]\ncode=90\n[code y]\ncode=90\n[run]\nunsafe_msr=yes\n" MSR);
    plan_refuse_unsigned(&plan);
    assert_int_equal(plan.codes, 0);
    assert_false(plan.unsafe_msr);
    assert_int_equal(plan.before.count, 1);
    assert_int_equal(plan.before.op[0].msr, 0x1a4);
    assert_int_equal(plan.errors, 4);
    assert_int_equal(plan.error[0].line, 2);
    assert_int_equal(plan.error[1].line, 4);
    assert_int_equal(plan.error[2].line, 7);
    assert_int_equal(plan.error[3].line, 10);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(strstr(plan.error[i].text, "Secure Boot is on, so "));
}

TEST(plans_without_anything_to_refuse)
{
    parse_ok("version=1\n[run]\nunsafe_msr=no\n[msr before]\nwrite 0x1a4 1\n");
    plan_refuse_unsigned(&plan);
    assert_int_equal(plan.errors, 0);
    assert_int_equal(plan.before.count, 1);
}
