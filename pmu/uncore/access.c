/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses single uncore registers. */
#include "pmu/uncore/parts.h"

#define HIGH_HALF  4u /* offset of the upper half */
#define HALF_BITS  32u
#define TRIES_MAX  4u /* enough, because the upper half changes only every few seconds */
#define LOWER_HALF 0xffffffffull

static bool is_halved(unsigned space, unsigned bytes)
{
    return space == SPACE_PCI && bytes == 8;
}

bool uncore_get(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t *value)
{
    uint64_t low, high, again;

    if (!is_halved(space, bytes))
        return port->read(port->context, (enum uncore_space)space, address, bytes, value);
    if (!port->read(port->context, SPACE_PCI, address + HIGH_HALF, 4, &high))
        return false;
    for (unsigned i = 0; i < TRIES_MAX; i++) {
        if (!port->read(port->context, SPACE_PCI, address, 4, &low) ||
            !port->read(port->context, SPACE_PCI, address + HIGH_HALF, 4, &again))
            return false;
        *value = (again & LOWER_HALF) << HALF_BITS | (low & LOWER_HALF);
        if (again == high)
            break;
        high = again;
    }
    return true;
}

bool uncore_put(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t value)
{
    if (!is_halved(space, bytes))
        return port->write(port->context, (enum uncore_space)space, address, bytes, value);
    return port->write(port->context, SPACE_PCI, address, 4, value & LOWER_HALF) &&
           port->write(port->context, SPACE_PCI, address + HIGH_HALF, 4, value >> HALF_BITS);
}

struct uncore_error uncore_read_back(const struct uncore_port *port, unsigned space,
                                     uint64_t address, unsigned bytes, uint64_t value,
                                     uint64_t mask)
{
    struct uncore_error error = {.status = STATUS_UNCORE_REFUSED,
                                 .space = (uint8_t)space,
                                 .address = address,
                                 .written = value};

    if (!uncore_get(port, space, address, bytes, &error.read))
        return error;
    if ((error.read ^ value) & mask) {
        error.status = STATUS_UNCORE_KEPT;
        return error;
    }
    return UNCORE_RIGHTLY;
}

struct uncore_error uncore_set(const struct uncore_port *port, unsigned space, uint64_t address,
                               unsigned bytes, uint64_t value, uint64_t mask)
{
    const struct uncore_error refused = {.status = STATUS_UNCORE_REFUSED,
                                         .space = (uint8_t)space,
                                         .address = address,
                                         .written = value};

    return uncore_put(port, space, address, bytes, value)
               ? uncore_read_back(port, space, address, bytes, value, mask)
               : refused;
}

bool uncore_read_counter(const struct uncore_port *port, const struct uncore *uncore,
                         const struct uncore_group *group, unsigned unit, unsigned counter,
                         uint64_t *value)
{
    const struct uncore_type *type = &group->type;
    uint64_t address;

    if (type->kind == KIND_ENERGY)
        address = counter < ENERGIES ? uncore->energy_msr[counter] : 0;
    else
        address = uncore_counter_at(group, unit, counter);
    return address != 0 && uncore_get(port, type->space, address, type->counter_bytes, value);
}

uint64_t uncore_global_bits(const struct uncore_model *model, const struct uncore_type *type,
                            uint32_t counters)
{
    counters &= (1u << type->counters) - 1;
    if (model->global.msr == 0 || type->has_box || type->space != SPACE_MSR ||
        type->style == STYLE_FREE || counters == 0)
        return 0;
    if (model->global.all)
        return model->global.all;
    return type->style == STYLE_FIXED ? model->global.fixed : model->global.general * counters;
}

bool uncore_opens_itself(const struct uncore_model *model, const struct uncore_type *type)
{
    return !type->has_box && uncore_global_bits(model, type, ~0u) == 0;
}

bool uncore_set_global(const struct uncore_port *port, const struct uncore *uncore, uint64_t value)
{
    return !uncore->model || uncore->model->global.msr == 0 ||
           uncore_put(port, SPACE_MSR, uncore->model->global.msr, 8, value);
}
