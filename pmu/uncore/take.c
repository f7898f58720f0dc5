/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers outside the cores as they are found, taken over, and given back. */
#include "pmu/uncore/parts.h"

/* What a register is taken for. */
enum role { ROLE_STOP, ROLE_COUNTER, ROLE_FILTER };

struct taking {
    const struct package_port *port;
    const struct package *package;
    struct package_held *held;
    uint64_t global; /* as it was found */
};

/* A register of a group failed: its kind cannot be counted. */
static void fail(struct taking *taking, unsigned group, struct package_error error)
{
    const unsigned kind = taking->package->group[group].type.kind;

    error.kind = (uint8_t)kind;
    error.pass = PACKAGE_ALL_PASSES;
    package_keep_first(&taking->held->error[group], error);
    taking->held->failed |= 1u << kind;
}

/*
 * Reads a register and remembers it in *found. Each must take a write: one that stops something
 * stops it; a counter is set to 0, so that no overflow falls into what is counted, and is left
 * alone when it cannot be written; a filter keeps what it has. What takes no write is as it was
 * found, and is not given back.
 */
static struct package_error hold(struct taking *taking, enum role role, unsigned space,
                                 uint64_t address, unsigned bytes, uint64_t stop, uint64_t mask,
                                 uint64_t *found)
{
    const struct package_port *port = taking->port;
    struct package_held *held = taking->held;
    struct package_error error = {.status = STATUS_PACKAGE_REFUSED,
                                  .space = (uint8_t)space,
                                  .address = address,
                                  .written = stop};

    *found = 0;
    if (held->count == PACKAGE_HELD_MAX || !package_get(port, space, address, bytes, found))
        return error;
    if (!package_put(port, space, address, bytes, role == ROLE_FILTER ? *found : stop))
        return role == ROLE_COUNTER ? PACKAGE_RIGHTLY : error;
    held->held[held->count].address = address;
    held->held[held->count].value = *found;
    held->held[held->count].stop = stop;
    held->held[held->count].space = (uint8_t)space;
    held->held[held->count].bytes = (uint8_t)bytes;
    held->held[held->count].stops = role == ROLE_STOP;
    held->count++;
    return role == ROLE_STOP ? package_check(port, space, address, bytes, stop, mask)
                             : PACKAGE_RIGHTLY;
}

/* Whether a unit's own control, as found, lets its counters go. */
static bool box_runs(const struct package_type *type, uint64_t box)
{
    uint64_t freeze = type->box_freeze & ~type->box_run;

    return !type->has_box || freeze == 0 || (box & freeze) != freeze;
}

/* Whether a select lets its counter count; without EN, that is one with an event. */
static bool is_enabled(const struct package_type *type, uint64_t select)
{
    if (type->enable == 0)
        return (select & type->fields) != 0;
    return (select & type->enable) == type->enable;
}

/* A register of a unit. Returns what was found in it. */
static uint64_t hold_of(struct taking *taking, unsigned group, enum role role, uint64_t address,
                        unsigned bytes, uint64_t stop, uint64_t mask)
{
    uint64_t found;
    struct package_error error = hold(taking, role, taking->package->group[group].type.space,
                                      address, bytes, stop, mask, &found);

    if (error.status != STATUS_OK)
        fail(taking, group, error);
    return found;
}

static void take_unit(struct taking *taking, unsigned number, unsigned unit)
{
    const struct package_group *group = &taking->package->group[number];
    const struct package_type *type = &group->type;
    uint64_t kept = (type->enable | type->fields) & ~type->forgets, box = 0;

    if (type->has_box) /* servers' FRZ is write-only: it need not read back */
        box = hold_of(taking, number, ROLE_STOP, package_box_at(group, unit),
                      package_box_bytes(type), type->box_freeze, 0);
    for (unsigned i = 0; i < type->counters; i++) {
        uint64_t bits = package_global_bits(taking->package->model, type, 1u << i);
        uint64_t select = hold_of(taking, number, ROLE_STOP, package_select_at(group, unit, i),
                                  type->select_bytes, 0, kept);

        if (is_enabled(type, select) && box_runs(type, box) && (taking->global & bits) == bits)
            taking->held->left_running++;
    }
    for (unsigned i = 0; i < type->counters; i++)
        hold_of(taking, number, ROLE_COUNTER, package_counter_at(group, unit, i),
                type->counter_bytes, 0, 0);
    for (unsigned i = 0; i < 2; i++)
        if (type->extra[i])
            hold_of(taking, number, ROLE_FILTER, package_extra_at(group, unit, i),
                    type->select_bytes, 0, 0);
}

/* The kinds that a bit of the global register lets go. */
static uint32_t opened_by_global(const struct package *package)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < package->groups; i++)
        if (package->model && package_global_bits(package->model, &package->group[i].type, ~0u))
            kinds |= 1u << package->group[i].type.kind;
    return kinds;
}

/* What opens some of `kinds`, if anything does. Returns the kinds that can be taken. */
static uint32_t take_global(struct taking *taking, uint32_t kinds)
{
    const struct package *package = taking->package;
    const uint32_t opened = opened_by_global(package);
    struct package_error error;
    uint64_t bits = 0;

    for (unsigned i = 0; i < package->groups; i++)
        if (package_is_taken(&package->group[i], kinds & opened))
            bits |= package_global_bits(package->model, &package->group[i].type, ~0u);
    if (bits == 0)
        return kinds;
    /* With one bit for all, what others have left enabled would count with ours. */
    if (package->model->global.all)
        kinds |= opened;
    error =
        hold(taking, ROLE_STOP, SPACE_MSR, package->model->global.msr, 8, 0, bits, &taking->global);
    if (error.status == STATUS_OK)
        return kinds;
    for (unsigned i = 0; i < package->groups; i++)
        if (package_is_taken(&package->group[i], kinds & opened))
            fail(taking, i, error);
    return kinds & ~opened;
}

void package_take(const struct package_port *port, const struct package *package, uint32_t kinds,
                  struct package_held *held)
{
    struct taking taking = {.port = port, .package = package, .held = held};

    held->count = held->left_running = held->failed = 0;
    for (unsigned i = 0; i < PACKAGE_GROUPS_MAX; i++)
        held->error[i] = PACKAGE_RIGHTLY;
    kinds = take_global(&taking, kinds);
    for (unsigned i = 0; i < package->groups; i++)
        if (package_is_taken(&package->group[i], kinds))
            for (unsigned unit = 0; unit < package->group[i].units; unit++)
                take_unit(&taking, i, unit);
}

struct package_error package_give_back(const struct package_port *port,
                                       const struct package_held *held)
{
    struct package_error error = PACKAGE_RIGHTLY;

    for (unsigned i = 0; i < held->count; i++)
        if (held->held[i].stops)
            package_put(port, held->held[i].space, held->held[i].address, held->held[i].bytes,
                        held->held[i].stop);
    for (unsigned i = held->count; i-- > 0;) {
        const struct package_error refused = {.status = STATUS_PACKAGE_REFUSED,
                                              .space = held->held[i].space,
                                              .address = held->held[i].address,
                                              .written = held->held[i].value};

        if (!package_put(port, held->held[i].space, held->held[i].address, held->held[i].bytes,
                         held->held[i].value))
            package_keep_first(&error, refused);
    }
    return error;
}
