/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the nearest area. */
#include "pmu/cpu/nearby.h"

static uint64_t distance(uint64_t address, const struct nearby_place *place)
{
    if (address < place->at)
        return place->at - address;
    return address - place->at < place->bytes ? 0 : address - place->at - place->bytes + 1;
}

struct nearby nearby_find(uint64_t address, const struct nearby_place *place, unsigned places)
{
    uint64_t least = NEARBY_BYTES + 1;
    struct nearby found = {.area = NEARBY_NOTHING};

    for (unsigned i = 0; i < places; i++) {
        uint64_t away = distance(address, &place[i]);

        if (place[i].bytes == 0 || away >= least)
            continue;
        least = away;
        found = (struct nearby){
            .area = place[i].area,
            .from = (int64_t)(address - place[i].at),
            .bytes = place[i].bytes,
        };
    }
    return found;
}
