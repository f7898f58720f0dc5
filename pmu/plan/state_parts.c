/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes registers of [state], with verification. */
#include "pmu/plan/state_parts.h"

bool state_read(const struct state_work *work, uint32_t msr, uint64_t *value)
{
    return work->port->read(work->port->context, msr, value);
}

struct state_item *state_add(const struct state_work *work, uint32_t setting, uint32_t msr,
                             enum status status)
{
    struct state_item *item = &work->state->item[work->state->items++];

    *item = (struct state_item){.setting = setting, .msr = msr, .status = status};
    return item;
}

/* If the register does not keep the value, writes `before` and returns the reason. */
static enum status try_write(const struct msr_port *port, uint32_t msr, uint64_t value,
                             uint64_t before)
{
    uint64_t now;

    if (!port->write(port->context, msr, value))
        return STATUS_MSR_REFUSED;
    if (port->read(port->context, msr, &now) && now == value)
        return STATUS_OK;
    port->write(port->context, msr, before);
    return STATUS_STATE_KEPT;
}

static void write_bits(const struct state_work *work, struct state_item *item)
{
    uint64_t held = item->found;

    for (uint64_t left = item->found ^ item->asked; left; left &= left - 1) {
        uint64_t next = held ^ (left & -left);

        if (try_write(work->port, item->msr, next, held) == STATUS_OK)
            held = next;
    }
    if (held != item->found)
        item->status = STATUS_STATE_PART;
}

void state_make(const struct state_work *work, struct state_item *item)
{
    uint64_t wanted = item->found ^ item->asked;

    item->got = item->found;
    if (wanted == 0)
        return;
    item->written = 1; /* set before the write, in case the CPU hangs in it */
    item->status = try_write(work->port, item->msr, item->asked, item->found);
    if (item->status != STATUS_OK && wanted & (wanted - 1) && item->setting == STATE_PREFETCH)
        write_bits(work, item);
    item->written = !state_read(work, item->msr, &item->got) || item->got != item->found;
}
