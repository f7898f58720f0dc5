/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json lists a buffer once, even if its CPU used it for several kernels. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"

static void result(unsigned cpu, uint64_t buffer, uint32_t node)
{
    const struct result result = {.cpu = cpu,
                                  .status = STATUS_FAULT,
                                  .stride_bytes = SAMPLE_BYTES(0),
                                  .partner = CPU_NONE,
                                  .node = node,
                                  .buffer = buffer};

    run_again(cpu, NULL);
    run_append(RECORD_RESULT, &result, sizeof(result));
}

TEST(places)
{
    run_start("k", EXPECT_EXACT, NULL);
    run_cpu(1, NULL);
    result(0, 0x40000000, 2);
    result(1, 0x123456789000, NODE_UNKNOWN);
    result(0, 0, NODE_UNKNOWN); /* a kernel without a buffer */
    result(0, 0x40000000, 2);
    result(1, 0x123456789000, NODE_UNKNOWN);
    result(0, 0x80000000, 0);
    render();
    has("\"buffers\": [\n"
        "    {\"cpu\": 0, \"node\": 2, \"address\": \"0x40000000\"},\n"
        "    {\"cpu\": 1, \"address\": \"0x123456789000\"},\n"
        "    {\"cpu\": 0, \"node\": 0, \"address\": \"0x80000000\"}\n"
        "  ]");
}

TEST(none)
{
    run_start("k", EXPECT_EXACT, NULL);
    result(0, 0, NODE_UNKNOWN);
    render();
    has("\"buffers\": []");
}
