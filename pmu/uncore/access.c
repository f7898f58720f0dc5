/* SPDX-License-Identifier: BSD-2-Clause */
/* Single registers outside the cores. */
#include "pmu/uncore/parts.h"

#define HIGH_HALF  4u /* its offset */
#define HALF_BITS  32u
#define TRIES_MAX  4u /* a carry between the halves comes once in seconds */
#define LOWER_HALF 0xffffffffull

static bool is_halved(unsigned space, unsigned bytes)
{
    return space == SPACE_PCI && bytes == 8;
}

bool package_get(const struct package_port *port, unsigned space, uint64_t address, unsigned bytes,
                 uint64_t *value)
{
    uint64_t low, high, again;

    if (!is_halved(space, bytes))
        return port->read(port->context, (enum package_space)space, address, bytes, value);
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

bool package_put(const struct package_port *port, unsigned space, uint64_t address, unsigned bytes,
                 uint64_t value)
{
    if (!is_halved(space, bytes))
        return port->write(port->context, (enum package_space)space, address, bytes, value);
    return port->write(port->context, SPACE_PCI, address, 4, value & LOWER_HALF) &&
           port->write(port->context, SPACE_PCI, address + HIGH_HALF, 4, value >> HALF_BITS);
}

struct package_error package_check(const struct package_port *port, unsigned space,
                                   uint64_t address, unsigned bytes, uint64_t value, uint64_t mask)
{
    struct package_error error = {.status = STATUS_PACKAGE_REFUSED,
                                  .space = (uint8_t)space,
                                  .address = address,
                                  .written = value};

    if (!package_get(port, space, address, bytes, &error.read))
        return error;
    if ((error.read ^ value) & mask) {
        error.status = STATUS_PACKAGE_KEPT;
        return error;
    }
    return PACKAGE_RIGHTLY;
}

struct package_error package_set(const struct package_port *port, unsigned space, uint64_t address,
                                 unsigned bytes, uint64_t value, uint64_t mask)
{
    const struct package_error refused = {.status = STATUS_PACKAGE_REFUSED,
                                          .space = (uint8_t)space,
                                          .address = address,
                                          .written = value};

    return package_put(port, space, address, bytes, value)
               ? package_check(port, space, address, bytes, value, mask)
               : refused;
}

bool package_read_counter(const struct package_port *port, const struct package *package,
                          const struct package_group *group, unsigned unit, unsigned counter,
                          uint64_t *value)
{
    const struct package_type *type = &group->type;
    uint64_t address;

    if (type->kind == KIND_ENERGY)
        address = counter < ENERGIES ? package->energy_msr[counter] : 0;
    else
        address = package_counter_at(group, unit, counter);
    return address != 0 && package_get(port, type->space, address, type->counter_bytes, value);
}

uint64_t package_global_bits(const struct package_model *model, const struct package_type *type,
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

bool package_opens_itself(const struct package_model *model, const struct package_type *type)
{
    return !type->has_box && package_global_bits(model, type, ~0u) == 0;
}

bool package_set_global(const struct package_port *port, const struct package *package,
                        uint64_t value)
{
    return !package->model || package->model->global.msr == 0 ||
           package_put(port, SPACE_MSR, package->model->global.msr, 8, value);
}
