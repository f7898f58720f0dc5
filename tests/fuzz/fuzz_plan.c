/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses arbitrary bytes as a plan. The corpus is tests/fuzz/corpus/plan and scripts/plans. */
#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/asserts.h"
#include "pmu/plan/signed.h"
#include "tests/unit/fakes/plan_memory.h"

#define CHECK(condition) FUZZ_CHECK(condition)
#include "tests/unit/fakes/plan_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan plan;
    struct piece text;

    text = plan_parse_file((struct piece){(const char *)data, size}, &plan, plan_memory);
    check_plan(&plan, text.at, text.size);
    return 0;
}
