/* SPDX-License-Identifier: BSD-2-Clause */
/* The checker of kernel records: families and arguments. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/kernel.h"

BEFORE_ALL(read_kernels);

static const struct field_row ROWS[] = {
    {"no family", KERNEL_BAD_FAMILY, {SET(family[0], 0)}},
    {"family in capitals", KERNEL_BAD_FAMILY, {SET(family[0], 'S')}},
    {"family without end", KERNEL_BAD_FAMILY, {SET(family[15], 's')}},
    {"default without a name", KERNEL_BAD_ARGUMENT, {SET(argument_default, 1)}},
    {"step without a name", KERNEL_BAD_ARGUMENT, {SET(argument_step, 1)}},
    {"a name that begins late", KERNEL_BAD_ARGUMENT, {SET(argument[1], 'a')}},
    {"argument of no step", KERNEL_BAD_ARGUMENT, {SET(argument[0], 'a')}},
    {"argument 0", KERNEL_OK, {SET(argument[0], 'a'), SET(argument_step, 1)}},
    {"argument in capitals", KERNEL_BAD_ARGUMENT, {SET(argument[0], 'A'), SET(argument_step, 1)}},
    {"default above",
     KERNEL_BAD_ARGUMENT,
     {SET(argument[0], 'a'), SET(argument_step, 1), SET(argument_default, 1)}},
    {"default between steps",
     KERNEL_BAD_ARGUMENT,
     {SET(argument[0], 'a'), SET(argument_step, 2), SET(argument_low, 1), SET(argument_default, 2),
      SET(argument_high, 3)}},
    {"default on a step",
     KERNEL_OK,
     {SET(argument[0], 'a'), SET(argument_step, 2), SET(argument_low, 1), SET(argument_default, 3),
      SET(argument_high, 3)}},
};

TEST(families_and_arguments_are_checked)
{
    expect_rows(ROWS, sizeof(ROWS) / sizeof(ROWS[0]));
}
