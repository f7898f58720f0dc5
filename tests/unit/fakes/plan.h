/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan parsed from a text of exact size, so that overruns are caught. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PLAN_H
#define BARECOUNT_TESTS_UNIT_FAKES_PLAN_H

#include <stdlib.h>
#include <string.h>

#include "pmu/plan/plan.h"
#include "tests/unit/fakes/plan_memory.h"

static struct plan plan;

static inline void parse_bytes(const char *text, size_t size)
{
    static char *copy;

    free(copy);
    copy = copy_of(text, size);
    memset(&plan, 0xa5, sizeof(plan));
    plan_parse(copy, size, &plan, plan_memory);
}

static inline void parse(const char *text)
{
    parse_bytes(text, strlen(text));
}

static inline void parse_ok(const char *text)
{
    parse(text);
    if (plan.errors != 0)
        fail_msg("%u errors in '%s'; line %u: %s", plan.errors, text, plan.error[0].line,
                 plan.error[0].text);
}

struct mistake {
    const char *line, *says;
};

static inline void assert_error(unsigned index, unsigned line, const char *says)
{
    if (strncmp(plan.error[index].text, says, strlen(says)) != 0)
        fail_msg("'%s' does not start with '%s'", plan.error[index].text, says);
    if (plan.error[index].line != line)
        fail_msg("'%s' is of line %u, not %u", says, plan.error[index].line, line);
}

static inline void assert_one_error(unsigned line, const char *says)
{
    assert_int_equal(plan.errors, 1);
    assert_error(0, line, says);
}

static inline void assert_piece(struct piece piece, const char *text)
{
    if (!piece_is(piece, text))
        fail_msg("'%.*s' is not '%s'", (int)piece.size, piece.at, text);
}

#endif
