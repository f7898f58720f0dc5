/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the files of this folder access registers. */
#ifndef BARECOUNT_PMU_UNCORE_PARTS_H
#define BARECOUNT_PMU_UNCORE_PARTS_H

#include "pmu/uncore/models.h"

static const struct uncore_error UNCORE_RIGHTLY = {.status = STATUS_OK};

/* Appends the group of the energy registers if the model has any. */
void uncore_find_energy(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore *uncore);

/* Like uncore_find_energy(), but reads no register. */
void uncore_energy_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/*
 * An access of 8 bytes in PCI is split into two accesses of 4 bytes. uncore_get() reads both halves
 * again if the upper half changed meanwhile.
 */
bool uncore_get(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t *value);
bool uncore_put(const struct uncore_port *port, unsigned space, uint64_t address, unsigned bytes,
                uint64_t value);

/*
 * uncore_set() writes the register, and then does the same as uncore_read_back(): it reads the
 * register, and returns an error if the register differs from `value` in a bit of `mask`, or if an
 * access fails.
 */
struct uncore_error uncore_set(const struct uncore_port *port, unsigned space, uint64_t address,
                               unsigned bytes, uint64_t value, uint64_t mask);
struct uncore_error uncore_read_back(const struct uncore_port *port, unsigned space,
                                     uint64_t address, unsigned bytes, uint64_t value,
                                     uint64_t mask);

/* Returns false if the access fails, or if the model lacks the energy register. */
bool uncore_read_counter(const struct uncore_port *port, const struct uncore *uncore,
                         const struct uncore_group *group, unsigned unit, unsigned counter,
                         uint64_t *value);

/*
 * Returns the bits of the global register that enable `counters` (bit i: counter i). Returns 0 if
 * the global register does not enable counters of this type.
 */
uint64_t uncore_global_bits(const struct uncore_model *model, const struct uncore_type *type,
                            uint32_t counters);

/* Returns whether the select alone enables a counter. */
bool uncore_opens_itself(const struct uncore_model *model, const struct uncore_type *type);

/* Returns false if the write fails. Without a global register, does nothing and returns true. */
bool uncore_set_global(const struct uncore_port *port, const struct uncore *uncore, uint64_t value);

/* Stores an error unless *first already contains one. */
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

/* A unit's control is 4 bytes long in PCI and MMIO. */
static inline unsigned uncore_box_bytes(const struct uncore_type *type)
{
    return type->space == SPACE_MSR ? 8 : 4;
}

static inline uint64_t uncore_extra_at(const struct uncore_group *group, unsigned unit,
                                       unsigned extra)
{
    return group->unit[unit] + (uint64_t)(int64_t)group->type.extra[extra];
}

/* Whether the group's kind is in `kinds` (bit i: kind i), and its counters can be programmed. */
static inline bool uncore_is_taken(const struct uncore_group *group, uint32_t kinds)
{
    return group->status == STATUS_OK && group->type.style != STYLE_FREE &&
           kinds >> group->type.kind & 1;
}

#endif
