/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore counters are read in halves. Only registers that can be saved are written. */
#include "tests/unit/test.h"
#include "pmu/uncore/parts.h"

static struct uncore uncore;
static struct uncore_held held;

static bool read_any(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                     uint64_t *value)
{
    (void)context;
    (void)space;
    (void)address;
    (void)bytes;
    *value = 0;
    return true;
}

static unsigned writes;

static bool write_any(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                      uint64_t value)
{
    (void)context;
    (void)space;
    (void)address;
    (void)bytes;
    (void)value;
    writes++;
    return true;
}

TEST(what_cannot_be_held_is_not_touched)
{
    static const struct uncore_port ANY = {.read = read_any, .write = write_any};
    static const struct uncore_model MODEL = {.name = "many"};

    uncore.model = &MODEL;
    uncore.groups = 5;
    for (unsigned i = 0; i < uncore.groups; i++) {
        uncore.group[i].type = (struct uncore_type){.kind = KIND_CHA,
                                                    .style = STYLE_SELECT,
                                                    .counters = UNCORE_COUNTERS_MAX,
                                                    .width_bits = 48,
                                                    .select_bytes = 8,
                                                    .counter_bytes = 8,
                                                    .enable = 1};
        uncore.group[i].units = UNCORE_UNITS_MAX;
        uncore.group[i].status = STATUS_OK;
    }
    writes = 0;
    uncore_take(&ANY, &uncore, ~0u, &held);
    assert_int_equal(held.failed, 1u << KIND_CHA);
    for (unsigned i = 0; i < uncore.groups; i++) /* room for group 0: 256 units of 16 registers */
        assert_int_equal(held.error[i].status, i == 0 ? STATUS_OK : STATUS_UNCORE_REFUSED);
    assert_int_equal(held.count, UNCORE_HELD_MAX);
    assert_int_equal(writes, UNCORE_HELD_MAX);
}

static uint64_t running;

static bool read_running(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                         uint64_t *value)
{
    (void)context;
    (void)space;
    (void)bytes;
    running++;
    *value = address & 4 ? running >> 32 : running & 0xffffffff;
    return true;
}

/* Wherever the carry occurs between the reads, the result must be a value that the counter had. */
TEST(halves_belong_together)
{
    static const struct uncore_port RUNNING = {.read = read_running};

    for (unsigned back = 0; back < 6; back++) {
        uint64_t first = (7ull << 32) - back, value;

        running = first;
        assert_true(uncore_get(&RUNNING, SPACE_PCI, 0x1000, 8, &value));
        assert_true(value > first && value <= running);
    }
}
