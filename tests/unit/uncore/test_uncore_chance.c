/* SPDX-License-Identifier: BSD-2-Clause */
/* Randomly corrupted discovery tables, and the registers that lead to them. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/discovery.h"
#include "tests/unit/fakes/random.h"

#define ROUNDS 3000u

static uint64_t broken(uint64_t value)
{
    switch (random_below(4)) {
    case 0:
        return value ^ 1ull << random_below(64);
    case 1:
        return random_bits();
    case 2:
        return UINT64_MAX >> random_below(64);
    default:
        return value + 0x1000 * random_below(3) - 0x1000;
    }
}

/* fake_find() checks that nothing is written, and that only allowed addresses are read. */
TEST(by_chance)
{
    random_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned spots;

        start();
        fake.any_memory = true;
        spots = fake.spots;
        for (unsigned k = 0; k <= random_below(3); k++) {
            unsigned spot = (unsigned)random_below(spots);
            uint64_t value = broken(fake.spot[spot].value);

            fake_set(fake.spot[spot].space, fake.spot[spot].address,
                     fake.spot[spot].space == SPACE_PCI ? value & UINT32_MAX : value);
        }
        fake_find(SAPPHIRE, 0);
        for (unsigned k = 0; k < found.groups; k++) {
            assert_in_range(found.group[k].units, 0, UNCORE_UNITS_MAX);
            assert_int_equal(found.group[k].status == STATUS_OK, found.group[k].units != 0);
        }
    }
}
