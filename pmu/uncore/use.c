/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs the uncore registers for a pass, and starts and stops the counters. */
#include "pmu/uncore/parts.h"
#include "pmu/counters/schedule_fit.h"

_Static_assert(UNCORE_KINDS <= ITEM_KINDS, "the scheduler can number all kinds");
_Static_assert(UNCORE_COUNTERS_MAX <= GP_COUNTERS_MAX, "struct item can name all counters");

uint32_t uncore_kinds(const struct event *event, const struct pass *pass)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < pass->slots; i++)
        if (pass->slot[i].where == SLOT_UNCORE)
            kinds |= 1u << event[pass->slot[i].event].kind;
    return kinds;
}

struct wanted {
    uint32_t counters;
    uint64_t select[UNCORE_COUNTERS_MAX]; /* 0: unused */
    uint64_t extra[2];
    bool in_fields;
};

static void want(const struct uncore_type *type, unsigned counter, uint64_t select,
                 struct wanted *wanted)
{
    wanted->counters |= 1u << counter;
    wanted->select[counter] = select | type->enable;
    wanted->in_fields = wanted->in_fields && !(select & ~type->fields);
}

static struct wanted wanted_of(const struct uncore_group *group, const struct event *event,
                               const struct pass *pass)
{
    const struct uncore_type *type = &group->type;
    struct wanted wanted = {.extra = {type->extra_rest[0], type->extra_rest[1]}, .in_fields = true};

    for (unsigned i = 0; i < pass->slots; i++) {
        const struct slot *slot = &pass->slot[i];
        const struct event *counted = &event[slot->event];

        if (counted->kind != type->kind || slot->counter >= type->counters)
            continue;
        want(type, slot->counter, counted->select, &wanted);
        if (event_second(counted) && slot->second < type->counters)
            want(type, slot->second, event_second(counted), &wanted);
        for (unsigned k = 0; k < 2; k++)
            if (type->extra[k] && counted->extra_msr == uncore_extra_at(group, 0, k))
                wanted.extra[k] = counted->extra;
    }
    return wanted;
}

/* The select bits `held_back` are set only when the counters start. */
static struct uncore_error program_unit(const struct uncore_port *port,
                                        const struct uncore_group *group, unsigned unit,
                                        const struct wanted *wanted, uint64_t held_back)
{
    const struct uncore_type *type = &group->type;
    uint64_t kept = (type->enable | type->fields) & ~type->forgets;
    struct uncore_error error = UNCORE_RIGHTLY;

    for (unsigned i = 0; i < 2 && error.status == STATUS_OK; i++)
        if (type->extra[i])
            error = uncore_set(port, type->space, uncore_extra_at(group, unit, i),
                               type->select_bytes, wanted->extra[i], ~0ull);
    for (unsigned i = 0; i < type->counters && error.status == STATUS_OK; i++)
        error = uncore_set(port, type->space, uncore_select_at(group, unit, i), type->select_bytes,
                           wanted->select[i] & ~held_back, kept);
    return error;
}

static struct uncore_error program_group(const struct uncore_port *port,
                                         const struct uncore *uncore,
                                         const struct uncore_group *group,
                                         const struct wanted *wanted)
{
    struct uncore_error error = UNCORE_RIGHTLY;
    uint64_t held_back = uncore_opens_itself(uncore->model, &group->type) ? group->type.enable : 0;

    if (!wanted->in_fields)
        return (struct uncore_error){.status = STATUS_UNCORE_FIELD,
                                     .space = group->type.space,
                                     .address = uncore_select_at(group, 0, 0)};
    for (unsigned unit = 0; unit < group->units && error.status == STATUS_OK; unit++)
        error = program_unit(port, group, unit, wanted, held_back);
    return error;
}

void uncore_program(const struct uncore_port *port, const struct uncore *uncore,
                    const struct event *event, const struct pass *pass, uint32_t without,
                    struct uncore_programmed *programmed)
{
    *programmed = (struct uncore_programmed){
        .uncore = uncore, .event = event, .pass = pass, .kinds = uncore_kinds(event, pass)};
    programmed->failed = programmed->kinds & without;
    for (unsigned i = 0; i < uncore->groups; i++) {
        const struct uncore_group *group = &uncore->group[i];
        struct uncore_error error;
        struct wanted wanted;

        /* If uncore->model is null, the only group is KIND_ENERGY, which is never taken. */
        if (!uncore_is_taken(group, programmed->kinds & ~without))
            continue;
        wanted = wanted_of(group, event, pass);
        error = program_group(port, uncore, group, &wanted);
        error.kind = group->type.kind;
        programmed->error[i] = error;
        if (error.status == STATUS_OK)
            programmed->global |= uncore_global_bits(uncore->model, &group->type, wanted.counters);
        else
            programmed->failed |= 1u << group->type.kind;
    }
    programmed->kinds &= ~programmed->failed;
}

static bool set_unit(const struct uncore_port *port, const struct uncore_group *group,
                     unsigned unit, const struct wanted *wanted, bool run)
{
    const struct uncore_type *type = &group->type;
    bool right = true;

    if (type->has_box)
        return uncore_put(port, type->space, uncore_box_at(group, unit), uncore_box_bytes(type),
                          run ? type->box_run : type->box_freeze);
    for (unsigned i = 0; i < type->counters; i++)
        right &= uncore_put(port, type->space, uncore_select_at(group, unit, i), type->select_bytes,
                            wanted->select[i] & ~(run ? 0 : type->enable));
    return right;
}

static bool set_units(const struct uncore_port *port, const struct uncore_programmed *programmed,
                      bool run)
{
    const struct uncore *uncore = programmed->uncore;
    bool right = true;

    for (unsigned i = 0; i < uncore->groups; i++) {
        const struct uncore_group *group = &uncore->group[i];
        struct wanted wanted;

        if (!uncore_is_taken(group, programmed->kinds) ||
            uncore_global_bits(uncore->model, &group->type, ~0u))
            continue;
        wanted = wanted_of(group, programmed->event, programmed->pass);
        for (unsigned unit = 0; unit < group->units; unit++)
            right &= set_unit(port, group, unit, &wanted, run);
    }
    return right;
}

static bool sum_units(const struct uncore_port *port, const struct uncore *uncore,
                      const struct uncore_group *group, unsigned counter, uint64_t *sum)
{
    uint64_t value = 0;
    bool right = true;

    *sum = 0;
    for (unsigned unit = 0; unit < group->units; unit++) {
        right &= uncore_read_counter(port, uncore, group, unit, counter, &value);
        *sum += value;
    }
    return right;
}

/*
 * If `free` is true, reads the free-running counters, else all other counters. Returns false if a
 * counter cannot be read, or if a slot's kind has no usable unit.
 */
static bool sum_slots(const struct uncore_port *port, const struct uncore_programmed *programmed,
                      bool free, struct uncore_sums *sums)
{
    const struct uncore *uncore = programmed->uncore;
    bool right = true;

    for (unsigned i = 0; i < programmed->pass->slots; i++) {
        const struct slot *slot = &programmed->pass->slot[i];
        const struct event *event = &programmed->event[slot->event];
        const struct uncore_group *group;

        if (slot->where != SLOT_UNCORE)
            continue;
        group = uncore_group(uncore, event->kind);
        if (!group || group->status != STATUS_OK)
            return false;
        if (free != (group->type.style == STYLE_FREE))
            continue;
        sums->of[i] = sums->second[i] = 0;
        if (programmed->failed >> group->type.kind & 1)
            continue;
        right &= sum_units(port, uncore, group, slot->counter, &sums->of[i]);
        if (event_second(event))
            right &= sum_units(port, uncore, group, slot->second, &sums->second[i]);
    }
    return right;
}

bool uncore_open(const struct uncore_port *port, const struct uncore_programmed *programmed,
                 struct uncore_start *start)
{
    return sum_slots(port, programmed, false, &start->sums) &&
           sum_slots(port, programmed, true, &start->sums) && set_units(port, programmed, true) &&
           (programmed->global == 0 ||
            uncore_set_global(port, programmed->uncore, programmed->global));
}

bool uncore_close(const struct uncore_port *port, const struct uncore_programmed *programmed,
                  const struct uncore_start *start, uint64_t *raw)
{
    struct uncore_sums sums = {{0}, {0}};
    bool right = programmed->global == 0 || uncore_set_global(port, programmed->uncore, 0);

    right &= set_units(port, programmed, false);
    right &= sum_slots(port, programmed, true, &sums);
    right &= sum_slots(port, programmed, false, &sums);
    if (!right)
        return false;
    for (unsigned i = 0; i < programmed->pass->slots; i++) {
        const struct slot *slot = &programmed->pass->slot[i];

        if (slot->where == SLOT_UNCORE) {
            const struct uncore_group *group =
                uncore_group(programmed->uncore, programmed->event[slot->event].kind);
            const uint64_t mask = uncore_width_mask(&group->type);

            raw[i] = ((sums.of[i] - start->sums.of[i]) & mask) +
                     ((sums.second[i] - start->sums.second[i]) & mask);
        }
    }
    return true;
}
