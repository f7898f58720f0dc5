/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes over uncore registers, and gives them back. */
#include "pmu/uncore/parts.h"

enum role { ROLE_STOP, ROLE_COUNTER, ROLE_FILTER };

struct taking {
    const struct uncore_port *port;
    const struct uncore *uncore;
    struct uncore_held *held;
    uint64_t global;
};

static void fail(struct taking *taking, unsigned group, struct uncore_error error)
{
    const unsigned kind = taking->uncore->group[group].type.kind;

    error.kind = (uint8_t)kind;
    error.pass = UNCORE_ALL_PASSES;
    uncore_keep_first(&taking->held->error[group], error);
    taking->held->failed |= 1u << kind;
}

/*
 * Saves a register's value in taking->held and in *found, and then writes to the register:
 * - ROLE_STOP: `stop`, which stops counting;
 * - ROLE_COUNTER: 0, so that the counter does not overflow during a measurement. The write may
 *   fail, because some counters are read-only;
 * - ROLE_FILTER: the value found, to test that the filter can be written.
 */
static struct uncore_error hold(struct taking *taking, enum role role, unsigned space,
                                uint64_t address, unsigned bytes, uint64_t stop, uint64_t mask,
                                uint64_t *found)
{
    const struct uncore_port *port = taking->port;
    struct uncore_held *held = taking->held;
    struct uncore_error error = {.status = STATUS_UNCORE_REFUSED,
                                 .space = (uint8_t)space,
                                 .address = address,
                                 .written = stop};

    *found = 0;
    if (held->count == UNCORE_HELD_MAX || !uncore_get(port, space, address, bytes, found))
        return error;
    if (!uncore_put(port, space, address, bytes, role == ROLE_FILTER ? *found : stop))
        return role == ROLE_COUNTER ? UNCORE_RIGHTLY : error;
    held->held[held->count].address = address;
    held->held[held->count].value = *found;
    held->held[held->count].stop = stop;
    held->held[held->count].space = (uint8_t)space;
    held->held[held->count].bytes = (uint8_t)bytes;
    held->held[held->count].stops = role == ROLE_STOP;
    held->count++;
    return role == ROLE_STOP ? uncore_read_back(port, space, address, bytes, stop, mask)
                             : UNCORE_RIGHTLY;
}

static bool box_runs(const struct uncore_type *type, uint64_t box)
{
    uint64_t freeze = type->box_freeze & ~type->box_run;

    return !type->has_box || freeze == 0 || (box & freeze) != freeze;
}

/* If a select has no EN, any event in the select enables the counter. */
static bool is_enabled(const struct uncore_type *type, uint64_t select)
{
    if (type->enable == 0)
        return (select & type->fields) != 0;
    return (select & type->enable) == type->enable;
}

static uint64_t hold_of(struct taking *taking, unsigned group, enum role role, uint64_t address,
                        unsigned bytes, uint64_t stop, uint64_t mask)
{
    uint64_t found;
    struct uncore_error error = hold(taking, role, taking->uncore->group[group].type.space, address,
                                     bytes, stop, mask, &found);

    if (error.status != STATUS_OK)
        fail(taking, group, error);
    return found;
}

static void take_unit(struct taking *taking, unsigned number, unsigned unit)
{
    const struct uncore_group *group = &taking->uncore->group[number];
    const struct uncore_type *type = &group->type;
    uint64_t kept = (type->enable | type->fields) & ~type->forgets, box = 0;

    /* The control is not read back, because its bit FRZ is write-only on servers. */
    if (type->has_box)
        box = hold_of(taking, number, ROLE_STOP, uncore_box_at(group, unit), uncore_box_bytes(type),
                      type->box_freeze, 0);
    for (unsigned i = 0; i < type->counters; i++) {
        uint64_t bits = uncore_global_bits(taking->uncore->model, type, 1u << i);
        uint64_t select = hold_of(taking, number, ROLE_STOP, uncore_select_at(group, unit, i),
                                  type->select_bytes, 0, kept);

        if (is_enabled(type, select) && box_runs(type, box) && (taking->global & bits) == bits)
            taking->held->left_running++;
    }
    for (unsigned i = 0; i < type->counters; i++)
        hold_of(taking, number, ROLE_COUNTER, uncore_counter_at(group, unit, i),
                type->counter_bytes, 0, 0);
    for (unsigned i = 0; i < 2; i++)
        if (type->extra[i])
            hold_of(taking, number, ROLE_FILTER, uncore_extra_at(group, unit, i),
                    type->select_bytes, 0, 0);
}

static uint32_t opened_by_global(const struct uncore *uncore)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < uncore->groups; i++)
        if (uncore->model && uncore_global_bits(uncore->model, &uncore->group[i].type, ~0u))
            kinds |= 1u << uncore->group[i].type.kind;
    return kinds;
}

static uint32_t take_global(struct taking *taking, uint32_t kinds)
{
    const struct uncore *uncore = taking->uncore;
    const uint32_t opened = opened_by_global(uncore);
    struct uncore_error error;
    uint64_t bits = 0;

    for (unsigned i = 0; i < uncore->groups; i++)
        if (uncore_is_taken(&uncore->group[i], kinds & opened))
            bits |= uncore_global_bits(uncore->model, &uncore->group[i].type, ~0u);
    if (bits == 0)
        return kinds;
    /* The bit `all` starts the counters of all kinds in `opened`, so all of them are taken over. */
    if (uncore->model->global.all)
        kinds |= opened;
    error =
        hold(taking, ROLE_STOP, SPACE_MSR, uncore->model->global.msr, 8, 0, bits, &taking->global);
    if (error.status == STATUS_OK)
        return kinds;
    for (unsigned i = 0; i < uncore->groups; i++)
        if (uncore_is_taken(&uncore->group[i], kinds & opened))
            fail(taking, i, error);
    return kinds & ~opened;
}

void uncore_take(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                 struct uncore_held *held)
{
    struct taking taking = {.port = port, .uncore = uncore, .held = held};

    held->count = held->left_running = held->failed = 0;
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX; i++)
        held->error[i] = UNCORE_RIGHTLY;
    kinds = take_global(&taking, kinds);
    for (unsigned i = 0; i < uncore->groups; i++)
        if (uncore_is_taken(&uncore->group[i], kinds))
            for (unsigned unit = 0; unit < uncore->group[i].units; unit++)
                take_unit(&taking, i, unit);
}

struct uncore_error uncore_give_back(const struct uncore_port *port, const struct uncore_held *held)
{
    struct uncore_error error = UNCORE_RIGHTLY;

    for (unsigned i = 0; i < held->count; i++)
        if (held->held[i].stops)
            uncore_put(port, held->held[i].space, held->held[i].address, held->held[i].bytes,
                       held->held[i].stop);
    for (unsigned i = held->count; i-- > 0;) {
        const struct uncore_error refused = {.status = STATUS_UNCORE_REFUSED,
                                             .space = held->held[i].space,
                                             .address = held->held[i].address,
                                             .written = held->held[i].value};

        if (!uncore_put(port, held->held[i].space, held->held[i].address, held->held[i].bytes,
                        held->held[i].value))
            uncore_keep_first(&error, refused);
    }
    return error;
}
