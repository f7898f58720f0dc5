/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends INIT, STARTUP and NMI through this CPU's local APIC. */
#include "boot/cpu/cpu.h"
#include "boot/cpu/start.h"
#include "pmu/cpu/msr.h"

/*
 *  31       20 19 18 17 16 15 14 13 12 11 10  8 7      0
 * +-----------+-----+-----+--+--+--+--+--+-----+--------+
 * | reserved  | to  |     |TM|LV|  |DS|DM| mode| vector |
 * +-----------+-----+-----+--+--+--+--+--+-----+--------+
 * "to" (destination shorthand) is 00, so the destination field names the CPUs. The destination
 * field is bits 31:24 of the high half or, in x2APIC mode, all 32 bits of the high half. TM:
 * trigger mode, LV: level, DS: delivery status, DM: destination mode.
 */
#define ICR_LOW               0x300u
#define ICR_HIGH              0x310u
#define ICR_VECTOR            0xffu
#define ICR_MODE              (7u << 8)
#define ICR_FIXED             (0u << 8)
#define ICR_NMI               (4u << 8)
#define ICR_INIT              (5u << 8)
#define ICR_STARTUP           (6u << 8)
#define ICR_LOGICAL           (1u << 11)
#define ICR_SEND_PENDING      (1u << 12)
#define ICR_ASSERT            (1u << 14)
#define ICR_DESTINATION_SHIFT 24
#define XAPIC_ID_MAX          0xfeu /* FFh addresses all CPUs */

/* An empty logical destination matches no CPU. No CPU gets the vector: any legal one will do. */
#define NOBODY        0u
#define NOBODY_VECTOR 0xffu

/* Each poll takes a few microseconds. */
#define SEND_POLLS_MAX 10000u

#define CPUID_EDX_MSR  (1u << 5)
#define CPUID_EDX_APIC (1u << 9)

/* Called for each command, because the firmware may change the APIC's mode in between. */
static struct apic_state find_apic(void)
{
    struct apic_state apic = {0};
    uint32_t regs[4];
    uint64_t base = 0;

    cpu_cpuid(1, 0, regs);
    if ((regs[3] & CPUID_EDX_MSR) && (regs[3] & CPUID_EDX_APIC) &&
        msr_read(MSR_IA32_APIC_BASE, &base))
        apic_locate(&apic, base);
    return apic;
}

/* Do not call this in x2APIC mode, where the ICR has no delivery status bit. */
static bool comes_to_rest(const struct apic_state *apic)
{
    for (unsigned i = 0; i < SEND_POLLS_MAX; i++) {
        if (!(apic_read(apic, ICR_LOW) & ICR_SEND_PENDING))
            return true;
        cpu_pause();
    }
    return false;
}

/*
 * Restores the ICR's high half, because this function may have interrupted the firmware between its
 * writes to the two halves.
 */
static bool send_in_halves(const struct apic_state *apic, uint32_t destination, uint32_t command)
{
    uint64_t flags = cpu_flags_then_cli();
    bool sent = comes_to_rest(apic);

    if (sent) {
        uint32_t high = apic_read(apic, ICR_HIGH);

        apic_write(apic, ICR_HIGH, destination << ICR_DESTINATION_SHIFT);
        apic_write(apic, ICR_LOW, command);
        sent = comes_to_rest(apic);
        apic_write(apic, ICR_HIGH, high);
    }
    if (flags & RFLAGS_IF)
        cpu_sti();
    return sent;
}

static bool send(uint64_t destination, uint32_t command)
{
    struct apic_state apic = find_apic();

    if (!apic.present)
        return false;
    if (!apic.x2apic)
        return destination <= XAPIC_ID_MAX && send_in_halves(&apic, (uint32_t)destination, command);
    cpu_fence(); /* a WRMSR to the x2APIC does not wait for earlier stores */
    return msr_write(MSR_X2APIC + (ICR_LOW >> 4), destination << 32 | command);
}

bool start_mark(void)
{
    return send(NOBODY, ICR_LOGICAL | ICR_ASSERT | ICR_FIXED | NOBODY_VECTOR);
}

bool start_was_sent(uint8_t *vector)
{
    struct apic_state apic = find_apic();
    uint32_t command = apic.present ? apic_read(&apic, ICR_LOW) : 0;

    *vector = (uint8_t)(command & ICR_VECTOR);
    return (command & ICR_MODE) == ICR_STARTUP;
}

bool start_send_init(uint64_t apic_id)
{
    return send(apic_id, ICR_ASSERT | ICR_INIT);
}

bool start_send_nmi(uint64_t apic_id)
{
    return send(apic_id, ICR_ASSERT | ICR_NMI);
}

bool start_send_startup(uint64_t apic_id, uint8_t vector)
{
    return send(apic_id, ICR_ASSERT | ICR_STARTUP | vector);
}
