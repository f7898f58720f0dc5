/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers outside the cores as they are found, taken over, and given back. */
#include "package_parts.h"

/* What a register is taken for. */
enum role { ROLE_STOP, ROLE_COUNTER, ROLE_FILTER };

struct taking {
    const struct package_port *port;
    const struct package *package;
    struct package_held *held;
    struct package_error error; /* the first */
    uint64_t global;            /* as it was found */
};

/*
 * Reads a register and remembers it. One that stops something is written; a counter is set to 0, so
 * that no overflow falls into what is counted, and is left alone when it cannot be written.
 */
static uint64_t hold(struct taking *taking, enum role role, unsigned space, uint64_t address,
                     unsigned bytes, uint64_t stop, uint64_t mask)
{
    struct package_held *held = taking->held;
    struct package_error error = {
        .status = STATUS_PACKAGE_REFUSED, .space = space, .address = address};
    uint64_t found;

    if (held->count == PACKAGE_HELD_MAX ||
        !package_get(taking->port, space, address, bytes, &found)) {
        package_keep_first(&taking->error, error);
        return 0;
    }
    if (role == ROLE_COUNTER && !package_put(taking->port, space, address, bytes, 0))
        return found;
    held->held[held->count].address = address;
    held->held[held->count].value = found;
    held->held[held->count].stop = stop;
    held->held[held->count].space = (uint8_t)space;
    held->held[held->count].bytes = (uint8_t)bytes;
    held->held[held->count].stops = role == ROLE_STOP;
    held->count++;
    if (role == ROLE_STOP)
        package_keep_first(&taking->error,
                           package_set(taking->port, space, address, bytes, stop, mask));
    return found;
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

static void take_unit(struct taking *taking, const struct package_group *group, unsigned unit)
{
    const struct package_type *type = &group->type;
    uint64_t kept = (type->enable | type->fields) & ~type->forgets, box = 0;

    if (type->has_box) /* servers' FRZ is write-only: it need not read back */
        box = hold(taking, ROLE_STOP, type->space, package_box_at(group, unit),
                   package_box_bytes(type), type->box_freeze, 0);
    for (unsigned i = 0; i < type->counters; i++) {
        uint64_t bits = package_global_bits(taking->package->model, type, 1u << i);
        uint64_t select = hold(taking, ROLE_STOP, type->space, package_select_at(group, unit, i),
                               type->select_bytes, 0, kept);

        if (is_enabled(type, select) && box_runs(type, box) && (taking->global & bits) == bits)
            taking->held->left_running++;
    }
    for (unsigned i = 0; i < type->counters; i++)
        hold(taking, ROLE_COUNTER, type->space, package_counter_at(group, unit, i),
             type->counter_bytes, 0, 0);
    for (unsigned i = 0; i < 2; i++)
        if (type->extra[i])
            hold(taking, ROLE_FILTER, type->space, package_extra_at(group, unit, i),
                 type->select_bytes, 0, 0);
}

/* The kinds that one bit lets go: what others have left enabled would count with ours. */
static uint32_t opened_together(const struct package *package)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < package->groups; i++)
        if (package->model->global.all &&
            package_global_bits(package->model, &package->group[i].type, ~0u))
            kinds |= 1u << package->group[i].type.kind;
    return kinds;
}

struct package_error package_take(const struct package_port *port, const struct package *package,
                                  uint32_t kinds, struct package_held *held)
{
    struct taking taking = {.port = port, .package = package, .held = held};
    uint64_t global = 0;

    held->count = held->left_running = 0;
    for (unsigned i = 0; i < package->groups; i++)
        if (package_is_taken(&package->group[i], kinds))
            global |= package_global_bits(package->model, &package->group[i].type, ~0u);
    if (global) {
        taking.global =
            hold(&taking, ROLE_STOP, SPACE_MSR, package->model->global.msr, 8, 0, global);
        kinds |= opened_together(package);
    }
    for (unsigned i = 0; i < package->groups; i++) {
        const struct package_group *group = &package->group[i];

        if (package_is_taken(group, kinds))
            for (unsigned unit = 0; unit < group->units; unit++)
                take_unit(&taking, group, unit);
    }
    return taking.error;
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
