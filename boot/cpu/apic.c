/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads, masks and restores the local APIC of the running CPU, in xAPIC and x2APIC mode. */
#include "boot/cpu/cpu.h"
#include "boot/cpu/apic.h"
#include "pmu/cpu/msr.h"

#define APIC_BASE_ENABLED   (1ull << 11)
#define APIC_BASE_X2APIC    (1ull << 10)
#define APIC_BASE_ADDRESS   0x000ffffffffff000ull
#define APIC_VERSION        0x30u
#define APIC_MAX_LVT(v)     (((v) >> 16 & 0xffu) + 1)
#define APIC_IRR            0x200u
#define APIC_REGISTER_BYTES 16u
#define APIC_IRR_REGISTERS  8u
#define APIC_PPR            0xa0u
#define PRIORITY_CLASS(v)   ((v) >> 4 & 0xfu)
#define LVT_VECTOR          0xffu
#define LVT_MASKED          (1u << 16)
#define LVT_TIMER_MODE      (3u << 17)
#define LVT_TIMER_DEADLINE  (2u << 17)
#define LVT_TIMER_ONE_SHOT  0u
#define APIC_TIMER_INITIAL  0x380u
#define APIC_TIMER_CURRENT  0x390u
#define LVT_NMI             (4u << 8)
#define LVT_TIMER_INDEX     3u
#define LVT_PMI_INDEX       4u

/*
 * The registers of the local vector table, in the order in which the architecture added them. A
 * table with k entries has the first k of these registers.
 */
static const uint16_t LVT_REGISTERS[APIC_LVT_MAX] = {
    0x350, /* LINT0 */
    0x360, /* LINT1 */
    0x370, /* error */
    0x320, /* timer */
    0x340, /* performance */
    0x330, /* thermal */
    0x2f0, /* corrected machine checks */
};

void apic_locate(struct apic_state *state, uint64_t apic_base)
{
    *state = (struct apic_state){
        .present = apic_base & APIC_BASE_ENABLED,
        .x2apic = apic_base & APIC_BASE_X2APIC,
        .base = apic_base & APIC_BASE_ADDRESS,
    };
}

uint32_t apic_read(const struct apic_state *state, uint32_t offset)
{
    uint64_t value = 0;

    if (!state->x2apic)
        return *(volatile uint32_t *)(state->base + offset);
    msr_read(MSR_X2APIC + (offset >> 4), &value);
    return (uint32_t)value;
}

void apic_write(const struct apic_state *state, uint32_t offset, uint32_t value)
{
    if (state->x2apic)
        msr_write(MSR_X2APIC + (offset >> 4), value);
    else
        *(volatile uint32_t *)(state->base + offset) = value;
}

/*
 * Returns the timer's deadline or its remaining ticks, or 0 if apic_restore() need not restart the
 * timer.
 */
static uint64_t timer_left(const struct apic_state *state)
{
    uint32_t entry = state->lvt[LVT_TIMER_INDEX];
    uint64_t deadline = 0;

    if (state->entries <= LVT_TIMER_INDEX || entry & LVT_MASKED)
        return 0;
    if ((entry & LVT_TIMER_MODE) == LVT_TIMER_ONE_SHOT)
        return apic_read(state, APIC_TIMER_CURRENT);
    if ((entry & LVT_TIMER_MODE) == LVT_TIMER_DEADLINE)
        msr_read(MSR_IA32_TSC_DEADLINE, &deadline);
    return deadline;
}

/* Whether the timer's interrupt is pending in IRR (Intel SDM vol. 3A "Interrupt Acceptance"). */
static bool timer_is_pending(const struct apic_state *state)
{
    uint32_t vector = state->lvt[LVT_TIMER_INDEX] & LVT_VECTOR;
    uint32_t bits = apic_read(state, APIC_IRR + (vector >> 5) * APIC_REGISTER_BYTES);

    return bits >> (vector & 31) & 1;
}

void apic_mask(struct apic_state *state, uint64_t apic_base)
{
    uint32_t entries;

    apic_locate(state, apic_base);
    if (!state->present)
        return;
    entries = APIC_MAX_LVT(apic_read(state, APIC_VERSION));
    state->entries = entries < APIC_LVT_MAX ? entries : APIC_LVT_MAX;
    for (uint32_t i = 0; i < state->entries; i++)
        state->lvt[i] = apic_read(state, LVT_REGISTERS[i]);
    state->timer_left = timer_left(state);
    for (uint32_t i = 0; i < state->entries; i++)
        apic_write(state, LVT_REGISTERS[i], state->lvt[i] | LVT_MASKED);
    /* Reading one register back completes the writes. */
    apic_read(state, LVT_REGISTERS[0]);
    cpu_fence();
    if (timer_is_pending(state)) /* the timer needs no restart: its interrupt will come */
        state->timer_left = 0;
}

/* A timer that expired while masked keeps its timer_left, because its interrupt is still due. */
void apic_look_at_timer(struct apic_state *state)
{
    uint64_t left = state->present ? timer_left(state) : 0;

    if (left)
        state->timer_left = left;
}

unsigned apic_pending(const struct apic_state *state, unsigned *taken)
{
    unsigned pending = 0, priority;

    *taken = 0;
    if (!state->present)
        return 0;
    priority = PRIORITY_CLASS(apic_read(state, APIC_PPR));
    for (unsigned i = 0; i < APIC_IRR_REGISTERS; i++) {
        uint32_t bits = apic_read(state, APIC_IRR + i * APIC_REGISTER_BYTES);

        for (unsigned bit = 0; bit < 32; bit++) {
            if (!(bits >> bit & 1))
                continue;
            pending++;
            *taken += PRIORITY_CLASS(32 * i + bit) > priority;
        }
    }
    return pending;
}

void apic_pmi_as_nmi(const struct apic_state *state)
{
    if (state->present && state->entries > LVT_PMI_INDEX)
        apic_write(state, LVT_REGISTERS[LVT_PMI_INDEX], LVT_NMI);
}

/*
 * Restores the local vector table. Restarts a timer that expired while masked, so that its
 * interrupt is not lost. The fence makes the unmasking take effect before a deadline is written
 * (Intel SDM vol. 3A "TSC-Deadline Mode").
 */
void apic_restore(const struct apic_state *state)
{
    if (!state->present)
        return;
    for (uint32_t i = state->entries; i-- > 0;)
        apic_write(state, LVT_REGISTERS[i], state->lvt[i]);
    cpu_fence();
    if (state->timer_left == 0)
        return;
    if ((state->lvt[LVT_TIMER_INDEX] & LVT_TIMER_MODE) == LVT_TIMER_DEADLINE)
        msr_write(MSR_IA32_TSC_DEADLINE, state->timer_left);
    else if (apic_read(state, APIC_TIMER_CURRENT) == 0)
        apic_write(state, APIC_TIMER_INITIAL, apic_read(state, APIC_TIMER_INITIAL));
}
