/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files that access uncore registers share. */
#ifndef BARECOUNT_PMU_UNCORE_PARTS_H
#define BARECOUNT_PMU_UNCORE_PARTS_H

#include "pmu/uncore/models.h"

static const struct uncore_error UNCORE_RIGHTLY = {.status = STATUS_OK};

/* Finds the energy registers, and appends their group if the tables list any for the model. */
void uncore_find_energy(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore *uncore);

/* Appends the group of the energy registers without reading any register, for uncore_of_model(). */
void uncore_energy_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/*
 * uncore_get() reads a register, and uncore_put() writes one. A PCI access of 8 bytes is split into
 * two accesses of 4 bytes. uncore_get() repeats its reads if the register's upper half changed
 * between them.
 */
bool uncore_get(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t *value);
bool uncore_put(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t value);

/*
 * uncore_set() writes a register, and verifies the bits of `mask` by reading the register back.
 * uncore_read_back() only verifies.
 */
struct uncore_error uncore_set(const struct uncore_port *port, unsigned space, uint64_t address,
                               unsigned bytes, uint64_t value, uint64_t mask);
struct uncore_error uncore_read_back(const struct uncore_port *port, unsigned space,
                                     uint64_t address, unsigned bytes, uint64_t value,
                                     uint64_t mask);

/* Reads a counter of a unit. False if the access fails or the model lacks the energy register. */
bool uncore_read_counter(const struct uncore_port *port, const struct uncore *uncore,
                         const struct uncore_group *group, unsigned unit, unsigned counter,
                         uint64_t *value);

/*
 * The bits of the global register that enable `counters` (bit i: counter i); 0 if the global
 * register does not enable counters of this type.
 */
uint64_t uncore_global_bits(const struct uncore_model *model, const struct uncore_type *type,
                            uint32_t counters);

/*
 * Whether a counter is enabled by its select alone, because no global register or unit control
 * enables it.
 */
bool uncore_opens_itself(const struct uncore_model *model, const struct uncore_type *type);

/* Writes the global register. If the model has no such register, only returns true. */
bool uncore_set_global(const struct uncore_port *port, const struct uncore *uncore, uint64_t value);

/* Stores an error in *first, unless *first already contains one. */
static inline void uncore_keep_first(struct uncore_error *first, struct uncore_error error)
{
    if (first->status == STATUS_OK)
        *first = error;
}

static inline uint64_t uncore_width_mask(const struct uncore_type *type)
{
    return type->width_bits < 64 ? (1ull << type->width_bits) - 1 : ~0ull;
}

static inline uint64_t uncore_select_at(const struct uncore_group *group, unsigned unit,
                                        unsigned counter)
{
    return group->unit[unit] +
           (uint64_t)(int64_t)(group->type.select + group->type.select_step * (int32_t)counter);
}

static inline uint64_t uncore_counter_at(const struct uncore_group *group, unsigned unit,
                                         unsigned counter)
{
    return group->unit[unit] +
           (uint64_t)(int64_t)(group->type.counter + group->type.counter_step * (int32_t)counter);
}

static inline uint64_t uncore_box_at(const struct uncore_group *group, unsigned unit)
{
    return group->unit[unit] + (uint64_t)(int64_t)group->type.box;
}

/*
 * The access size for a unit's control. In PCI and MMIO, the control is 4 bytes long, and another
 * register may follow it.
 */
static inline unsigned uncore_box_bytes(const struct uncore_type *type)
{
    return type->space == SPACE_MSR ? 8 : 4;
}

static inline uint64_t uncore_extra_at(const struct uncore_group *group, unsigned unit,
                                       unsigned extra)
{
    return group->unit[unit] + (uint64_t)(int64_t)group->type.extra[extra];
}

/* Whether a group can be programmed and is among `kinds`. */
static inline bool uncore_is_taken(const struct uncore_group *group, uint32_t kinds)
{
    return group->status == STATUS_OK && group->type.style != STYLE_FREE &&
           kinds >> group->type.kind & 1;
}

#endif
