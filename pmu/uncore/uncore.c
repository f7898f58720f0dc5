/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and describes a package's units. */
#include "pmu/uncore/uncore.h"

#include "pmu/uncore/parts.h"
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

/*
 * All units of a discovery table except IRP units have this number of counters (4th Gen Intel Xeon
 * Processor Scalable Family Uncore Performance Monitoring, overview).
 */
#define DISCOVERED_COUNTERS 4u

static const char *const KIND_NAMES[UNCORE_KINDS] = {UNCORE_KIND_LIST(LIST_TEXT)};

static const char *const FAULTS[UNCORE_FAULTS] = {
    [UNCORE_RIGHT] = "right",
    [UNCORE_UNTESTED] = "not tested: the plan has no event for it, or the right count is not known",
    [UNCORE_STUCK] = "a counter does not keep what is written",
    [UNCORE_SILENT] = "a counter counts nothing although it should count each cycle",
    [UNCORE_RUNS] = "a counter runs although all counters were stopped",
    [UNCORE_NO_ENABLE] = "a counter counts without its own enable bit",
    [UNCORE_NO_STATUS] = "a counter's overflow sets no status bit",
    [UNCORE_NO_CLEAR] = "a counter's status bit cannot be cleared alone",
    [UNCORE_NO_FREEZE] = "the counters still run after an overflow that should freeze them",
    [UNCORE_NO_PMI] = "a counter's overflow is not signalled to the core",
};

const char *uncore_kind_name(unsigned kind)
{
    return kind < UNCORE_KINDS ? KIND_NAMES[kind] : "";
}

enum uncore_kind uncore_kind_of(const char *name, size_t size)
{
    static const char PREFIX[] = "uncore_";
    const size_t prefix = sizeof(PREFIX) - 1;

    if (size > prefix && piece_is_any_case((struct piece){name, prefix}, PREFIX)) {
        name += prefix;
        size -= prefix;
    }
    for (unsigned kind = KIND_NONE + 1; kind < UNCORE_KINDS; kind++)
        if (size > 0 && (name[0] | ' ') == KIND_NAMES[kind][0] &&
            piece_is_any_case((struct piece){name, size}, KIND_NAMES[kind]))
            return (enum uncore_kind)kind;
    return KIND_NONE;
}

const char *uncore_fault_text(unsigned fault)
{
    return fault < UNCORE_FAULTS ? FAULTS[fault] : "unknown fault";
}

const struct uncore_group *uncore_group(const struct uncore *uncore, unsigned kind)
{
    for (unsigned i = 0; i < uncore->groups; i++)
        if (uncore->group[i].type.kind == kind)
            return &uncore->group[i];
    return 0;
}

static bool answers(const struct uncore_port *port, const struct uncore *uncore,
                    const struct uncore_group *group)
{
    const struct uncore_type *type = &group->type;
    uint64_t value;

    for (unsigned unit = 0; unit < group->units; unit++) {
        for (unsigned i = 0; i < type->counters; i++)
            if ((type->style != STYLE_FREE &&
                 !uncore_get(port, type->space, uncore_select_at(group, unit, i),
                             type->select_bytes, &value)) ||
                !uncore_read_counter(port, uncore, group, unit, i, &value))
                return false;
        if (type->has_box && !uncore_get(port, type->space, uncore_box_at(group, unit),
                                         uncore_box_bytes(type), &value))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (type->extra[i] && !uncore_get(port, type->space, uncore_extra_at(group, unit, i),
                                              type->select_bytes, &value))
                return false;
    }
    return true;
}

static void check_memory(const struct uncore_port *port, struct uncore_group *group)
{
    group->in_memory = port->in_memory ? *port->in_memory : 0;
    if (group->in_memory != 0)
        group->status = STATUS_UNCORE_MEMORY;
}

static struct uncore_group *add_group(const struct uncore_units *units, struct uncore *uncore)
{
    struct uncore_group *group = &uncore->group[uncore->groups++];

    group->type = units->type;
    group->status = STATUS_OK;
    group->units = units->units;
    group->in_memory = 0;
    for (unsigned i = 0; i < UNCORE_UNITS_MAX; i++)
        group->unit[i] = i < units->units ? units->first + units->step * i : 0;
    return group;
}

static void find_units(const struct uncore_port *port, const struct cpu_caps *caps,
                       const struct uncore_units *units, struct uncore *uncore)
{
    struct uncore_group *group = add_group(units, uncore);

    if (port->in_memory)
        *port->in_memory = 0;
    if (units->find)
        group->status = units->find(port, caps, group);
    if (group->status == STATUS_OK && !answers(port, uncore, group))
        group->status = STATUS_UNCORE_REFUSED;
    check_memory(port, group);
    if (group->status != STATUS_OK)
        group->units = 0;
}

static void check_global(const struct uncore_port *port, struct uncore *uncore)
{
    uint64_t value;
    uint32_t msr = uncore->model->global.msr;

    if (msr == 0 || uncore_get(port, SPACE_MSR, msr, 8, &value))
        return;
    for (unsigned i = 0; i < uncore->groups; i++) {
        struct uncore_group *group = &uncore->group[i];

        if (group->status == STATUS_OK &&
            uncore_global_bits(uncore->model, &group->type, ~0u) != 0) {
            group->status = STATUS_UNCORE_REFUSED;
            group->units = 0;
        }
    }
}

static void find_model(const struct cpu_caps *caps, struct uncore *uncore)
{
    uncore->model = uncore_model_of(caps);
    uncore->status = uncore->model && uncore->model->units[0] ? STATUS_OK : STATUS_UNCORE_UNKNOWN;
    uncore->groups = 0;
}

void uncore_of_model(const struct cpu_caps *caps, struct uncore *uncore)
{
    find_model(caps, uncore);
    for (unsigned i = 0; uncore->status == STATUS_OK && i < UNCORE_GROUPS_MAX - 1; i++) {
        struct uncore_type *type;

        if (!uncore->model->units[i])
            break;
        type = &add_group(uncore->model->units[i], uncore)->type;
        if (type->counters == 0)
            type->counters = DISCOVERED_COUNTERS;
    }
    uncore_energy_of_model(caps, uncore);
}

void uncore_find(const struct uncore_port *port, const struct cpu_caps *caps, struct uncore *uncore)
{
    find_model(caps, uncore);
    if (uncore->status == STATUS_OK) {
        for (unsigned i = 0; i < UNCORE_GROUPS_MAX - 1 && uncore->model->units[i]; i++)
            find_units(port, caps, uncore->model->units[i], uncore);
        check_global(port, uncore);
    }
    uncore_find_energy(port, caps, uncore);
}

static struct uncore_error error_of(const struct uncore *uncore, unsigned index)
{
    const struct uncore_group *group = &uncore->group[index];

    if (index >= uncore->groups || group->status != STATUS_UNCORE_MEMORY)
        return UNCORE_RIGHTLY;
    return (struct uncore_error){.status = group->status,
                                 .space = SPACE_MMIO,
                                 .kind = group->type.kind,
                                 .pass = UNCORE_ALL_PASSES,
                                 .address = group->in_memory};
}

void uncore_describe(const struct uncore *uncore, struct uncore_record *record)
{
    record->status = uncore->status;
    record->groups = uncore->groups;
    record->left_running = 0;
    record->reserved = 0;
    for (size_t i = 0; i < sizeof(record->model); i++)
        record->model[i] = 0;
    if (uncore->model)
        text_copy(record->model, sizeof(record->model), uncore->model->name);
    for (unsigned i = 0; i < ENERGIES; i++)
        record->energy_step[i] = uncore->energy_step[i];
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX; i++) {
        const struct uncore_group *group = &uncore->group[i];

        record->error[i] = error_of(uncore, i);
        record->group[i] = (struct uncore_record_group){0};
        if (i < uncore->groups)
            record->group[i] = (struct uncore_record_group){.kind = group->type.kind,
                                                            .fault = UNCORE_UNTESTED,
                                                            .counters = group->type.counters,
                                                            .width_bits = group->type.width_bits,
                                                            .units = (uint16_t)group->units,
                                                            .status = group->status};
    }
}
