/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/uncore/uncore.h"

#include "pmu/uncore/parts.h"
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

static const char *const KIND_NAMES[PACKAGE_KINDS] = {
#define PACKAGE_KIND_NAME(code, name) [code] = name,
    PACKAGE_KIND_LIST(PACKAGE_KIND_NAME)
#undef PACKAGE_KIND_NAME
};

static const char *const FAULTS[PACKAGE_FAULTS] = {
    [PACKAGE_RIGHT] = "right",
    [PACKAGE_UNTESTED] = "not tested: not asked for, or nothing is known that it must count",
    [PACKAGE_STUCK] = "a counter does not keep what is written",
    [PACKAGE_SILENT] = "a counter counts nothing where each cycle counts",
    [PACKAGE_RUNS] = "a counter goes on while all are stopped",
    [PACKAGE_NO_ENABLE] = "a counter counts without its own enable bit",
    [PACKAGE_NO_STATUS] = "a counter's overflow sets no status bit",
    [PACKAGE_NO_CLEAR] = "a counter's status bit cannot be cleared alone",
    [PACKAGE_NO_FREEZE] = "the counters go on after an overflow that is to freeze them",
    [PACKAGE_NO_PMI] = "a counter's overflow is not told to the core",
};

const char *package_kind_name(unsigned kind)
{
    return kind < PACKAGE_KINDS ? KIND_NAMES[kind] : "";
}

enum package_kind package_kind_of(const char *name, size_t size)
{
    static const char PREFIX[] = "uncore_";
    const size_t prefix = sizeof(PREFIX) - 1;

    if (size > prefix && piece_is_any_case((struct piece){name, prefix}, PREFIX)) {
        name += prefix;
        size -= prefix;
    }
    for (unsigned kind = KIND_NONE + 1; kind < PACKAGE_KINDS; kind++)
        if (piece_is_any_case((struct piece){name, size}, KIND_NAMES[kind]))
            return (enum package_kind)kind;
    return KIND_NONE;
}

const char *package_fault_text(unsigned fault)
{
    return fault < PACKAGE_FAULTS ? FAULTS[fault] : "unknown fault";
}

const struct package_group *package_group(const struct package *package, unsigned kind)
{
    for (unsigned i = 0; i < package->groups; i++)
        if (package->group[i].type.kind == kind)
            return &package->group[i];
    return 0;
}

/* Whether all registers of a group can be read. */
static bool answers(const struct package_port *port, const struct package *package,
                    const struct package_group *group)
{
    const struct package_type *type = &group->type;
    uint64_t value;

    for (unsigned unit = 0; unit < group->units; unit++) {
        for (unsigned i = 0; i < type->counters; i++)
            if ((type->style != STYLE_FREE &&
                 !package_get(port, type->space, package_select_at(group, unit, i),
                              type->select_bytes, &value)) ||
                !package_read_counter(port, package, group, unit, i, &value))
                return false;
        if (type->has_box && !package_get(port, type->space, package_box_at(group, unit),
                                          package_box_bytes(type), &value))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (type->extra[i] && !package_get(port, type->space, package_extra_at(group, unit, i),
                                               type->select_bytes, &value))
                return false;
    }
    return true;
}

/* What the port has refused since as it is memory: none of the group can be believed then. */
static void check_memory(const struct package_port *port, struct package_group *group)
{
    group->in_memory = port->in_memory ? *port->in_memory : 0;
    if (group->in_memory != 0)
        group->status = STATUS_PACKAGE_MEMORY;
}

static void find_units(const struct package_port *port, const struct cpu_caps *caps,
                       const struct package_units *units, struct package *package)
{
    struct package_group *group = &package->group[package->groups++];

    group->type = units->type;
    group->status = STATUS_OK;
    group->units = units->units;
    for (unsigned i = 0; i < PACKAGE_UNITS_MAX; i++)
        group->unit[i] = i < units->units ? units->first + units->step * i : 0;
    if (port->in_memory)
        *port->in_memory = 0;
    if (units->find)
        group->status = units->find(port, caps, group);
    if (group->status == STATUS_OK && !answers(port, package, group))
        group->status = STATUS_PACKAGE_REFUSED;
    check_memory(port, group);
    if (group->status != STATUS_OK)
        group->units = 0;
}

/* Whether the register that lets the counters go answers; what needs it is refused otherwise. */
static void check_global(const struct package_port *port, struct package *package)
{
    uint64_t value;
    uint32_t msr = package->model->global.msr;

    if (msr == 0 || package_get(port, SPACE_MSR, msr, 8, &value))
        return;
    for (unsigned i = 0; i < package->groups; i++) {
        struct package_group *group = &package->group[i];

        if (group->status == STATUS_OK &&
            package_global_bits(package->model, &group->type, ~0u) != 0) {
            group->status = STATUS_PACKAGE_REFUSED;
            group->units = 0;
        }
    }
}

void package_find(const struct package_port *port, const struct cpu_caps *caps,
                  struct package *package)
{
    package->model = package_model_of(caps);
    package->status =
        package->model && package->model->units[0] ? STATUS_OK : STATUS_PACKAGE_UNKNOWN;
    package->groups = 0;
    if (package->status == STATUS_OK) {
        for (unsigned i = 0; i < PACKAGE_GROUPS_MAX - 1 && package->model->units[i]; i++)
            find_units(port, caps, package->model->units[i], package);
        check_global(port, package);
    }
    package_find_energy(port, caps, package);
}

/* What finding a group has met. */
static struct package_error error_of(const struct package *package, unsigned index)
{
    const struct package_group *group = &package->group[index];

    if (index >= package->groups || group->status != STATUS_PACKAGE_MEMORY)
        return PACKAGE_RIGHTLY;
    return (struct package_error){.status = group->status,
                                  .space = SPACE_MMIO,
                                  .kind = group->type.kind,
                                  .pass = PACKAGE_ALL_PASSES,
                                  .address = group->in_memory};
}

void package_describe(const struct package *package, struct package_record *record)
{
    record->status = package->status;
    record->groups = package->groups;
    record->left_running = 0;
    record->reserved = 0;
    for (size_t i = 0; i < sizeof(record->model); i++)
        record->model[i] = 0;
    if (package->model)
        text_copy(record->model, sizeof(record->model), package->model->name);
    for (unsigned i = 0; i < ENERGIES; i++)
        record->energy_step[i] = package->energy_step[i];
    for (unsigned i = 0; i < PACKAGE_GROUPS_MAX; i++) {
        const struct package_group *group = &package->group[i];

        record->error[i] = error_of(package, i);
        record->group[i] = (struct package_record_group){0};
        if (i < package->groups)
            record->group[i] = (struct package_record_group){.kind = group->type.kind,
                                                             .fault = PACKAGE_UNTESTED,
                                                             .counters = group->type.counters,
                                                             .width_bits = group->type.width_bits,
                                                             .units = (uint16_t)group->units,
                                                             .status = group->status};
    }
}
