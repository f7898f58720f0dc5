/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the local APIC through memory and through MSRs (Intel SDM vol. 3A "x2APIC Register
 * Address Space"), and commands between CPUs. The APIC is simulated, because QEMU 7.2 emulates no
 * x2APIC; an access that would raise #GP on a CPU fails the test.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "boot/cpu/apic.h"
#include "boot/cpu/start.h"
#include "pmu/cpu/msr.h"

#define ENABLED (1ull << 11)
#define X2APIC  (1ull << 10)

#define MASKED      0x10000u
#define ONE_SHOT    0x000000u
#define DEADLINE    0x040000u
#define NMI         0x400u
#define LVT_ENTRIES 7u
#define VECTOR      0x31u

#define ID             0x020u
#define VERSION        0x030u
#define PPR            0x0a0u
#define IRR            0x200u
#define ICR_LOW        0x300u
#define ICR_HIGH       0x310u
#define TIMER          0x320u
#define COUNTERS       0x340u
#define INITIAL        0x380u
#define CURRENT        0x390u
#define REGISTER_BYTES 16u

static const uint32_t LVT[LVT_ENTRIES] = {0x350, 0x360, 0x370, TIMER, COUNTERS, 0x330, 0x2f0};

static struct {
    uint32_t memory[1024] __attribute__((aligned(4096)));
    uint64_t base; /* IA32_APIC_BASE */
    uint64_t deadline;
    uint64_t command; /* the 64-bit interrupt command register of x2APIC mode */
    unsigned commands, msr_accesses;
} apic;

static uint32_t *at(uint32_t offset)
{
    return &apic.memory[offset / sizeof(uint32_t)];
}

static bool is_x2apic(void)
{
    return apic.base & X2APIC;
}

/* Fails the test if x2APIC mode is off or lacks the MSR. */
static uint32_t offset_of(uint32_t msr)
{
    uint32_t offset = (msr - MSR_X2APIC) * REGISTER_BYTES;

    assert_true(is_x2apic());
    assert_true(msr >= MSR_X2APIC && msr < MSR_X2APIC + 0x40);
    assert_int_not_equal(offset, ICR_HIGH);
    apic.msr_accesses++;
    return offset;
}

bool port_read(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    if (msr == MSR_IA32_APIC_BASE)
        *value = apic.base;
    else if (msr == MSR_IA32_TSC_DEADLINE)
        *value = apic.deadline;
    else if (offset_of(msr) == ICR_LOW)
        *value = apic.command;
    else
        *value = *at(offset_of(msr));
    return true;
}

bool port_write(void *context, uint32_t msr, uint64_t value)
{
    uint32_t offset;

    (void)context;
    if (msr == MSR_IA32_TSC_DEADLINE) {
        apic.deadline = value;
        return true;
    }
    offset = offset_of(msr);
    assert_true(offset != ID && offset != VERSION && offset != PPR && offset != CURRENT);
    assert_true(offset < IRR || offset >= IRR + 8 * REGISTER_BYTES);
    if (offset == ICR_LOW) {
        apic.command = value;
        apic.commands++;
        return true;
    }
    assert_int_equal(value >> 32, 0);
    *at(offset) = (uint32_t)value;
    return true;
}

static void make_apic(uint64_t mode)
{
    memset(&apic, 0, sizeof(apic));
    apic.base = (uint64_t)apic.memory | ENABLED | mode;
    *at(VERSION) = (LVT_ENTRIES - 1) << 16 | 0x15;
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        *at(LVT[i]) = VECTOR + i;
}

/* Only x2APIC mode uses MSRs. */
TEST(entries_are_masked_and_put_back)
{
    const uint64_t modes[] = {0, X2APIC};

    for (unsigned m = 0; m < 2; m++) {
        struct apic_state found;

        make_apic(modes[m]);
        apic_mask(&found, apic.base);
        assert_true(found.present);
        assert_int_equal(found.x2apic, modes[m] != 0);
        assert_int_equal(found.entries, LVT_ENTRIES);
        for (unsigned i = 0; i < LVT_ENTRIES; i++)
            assert_int_equal(*at(LVT[i]), (VECTOR + i) | MASKED);
        apic_pmi_as_nmi(&found);
        assert_int_equal(*at(COUNTERS), NMI);
        apic_restore(&found);
        for (unsigned i = 0; i < LVT_ENTRIES; i++)
            assert_int_equal(*at(LVT[i]), VECTOR + i);
        assert_int_equal(apic.msr_accesses > 0, modes[m] != 0);
    }
}

TEST(only_entries_that_are_there)
{
    struct apic_state found;

    make_apic(X2APIC);
    *at(VERSION) = 3u << 16;
    apic_mask(&found, apic.base);
    assert_int_equal(found.entries, 4);
    assert_int_equal(*at(COUNTERS), VECTOR + 4);
    apic_pmi_as_nmi(&found);
    assert_int_equal(*at(COUNTERS), VECTOR + 4);
}

TEST(without_an_apic_nothing_is_touched)
{
    struct apic_state found;
    uint8_t vector;

    make_apic(0);
    apic.base &= ~ENABLED;
    apic_mask(&found, apic.base);
    assert_false(found.present);
    apic_look_at_timer(&found);
    assert_int_equal(found.timer_left, 0);
    apic_restore(&found);
    assert_int_equal(*at(TIMER), VECTOR + 3);
    assert_false(start_mark());
    assert_false(start_was_sent(&vector));
    assert_false(start_send_nmi(1));
}

/* apic_restore() arms a deadline again, and restarts a one-shot timer that expired while masked. */
TEST(timers_go_on)
{
    struct apic_state found;

    make_apic(X2APIC);
    *at(TIMER) = VECTOR | DEADLINE;
    apic.deadline = 123456789;
    apic_mask(&found, apic.base);
    apic.deadline = 0;
    apic_restore(&found);
    assert_int_equal(apic.deadline, 123456789);

    make_apic(X2APIC);
    *at(TIMER) = VECTOR | ONE_SHOT;
    *at(INITIAL) = 1000;
    *at(CURRENT) = 400;
    apic_mask(&found, apic.base);
    *at(CURRENT) = 0;
    *at(INITIAL) = 1000;
    apic_restore(&found);
    assert_int_equal(*at(INITIAL), 1000);
    assert_int_equal(found.timer_left, 400);
}

/* Vectors 31H and F3H are pending; at priority 40H only F3H would be delivered. */
TEST(pending_interrupts)
{
    struct apic_state found;
    unsigned taken;

    make_apic(X2APIC);
    *at(IRR + 1 * REGISTER_BYTES) = 1u << 17;
    *at(IRR + 7 * REGISTER_BYTES) = 1u << 19;
    *at(PPR) = 0x40;
    apic_mask(&found, apic.base);
    assert_int_equal(apic_pending(&found, &taken), 2);
    assert_int_equal(taken, 1);
}

/*
 * Intel SDM, "ICR Operation in x2APIC Mode": a command is one 64-bit write. Bits 63:32 are the
 * destination, bits 10:8 the delivery mode (4 for NMI, 5 for INIT, 6 for STARTUP), and bit 14, the
 * level, is set.
 */
TEST(commands_go_to_any_cpu)
{
    const uint64_t cpus[] = {1, 255, 256, 300, 0x12345678};
    uint8_t vector;

    for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        make_apic(X2APIC);
        assert_true(start_send_nmi(cpus[i]));
        assert_int_equal(apic.command, cpus[i] << 32 | 0x4400);
        assert_true(start_send_init(cpus[i]));
        assert_int_equal(apic.command, cpus[i] << 32 | 0x4500);
        assert_true(start_mark());
        assert_int_equal(apic.command >> 32, 0);
        assert_int_equal(apic.command & 1u << 11, 1u << 11); /* logical destination 0: no CPU */
        assert_false(start_was_sent(&vector));
        assert_true(start_send_startup(cpus[i], 0x87));
        assert_int_equal(apic.command, cpus[i] << 32 | 0x4687);
        assert_true(start_was_sent(&vector));
        assert_int_equal(vector, 0x87);
        assert_int_equal(apic.commands, 4);
    }
}

/* In xAPIC mode the destination has 8 bits, and 255 means all CPUs. */
TEST(xapic_mode_does_not_reach_beyond_its_field)
{
    const uint64_t cpus[] = {255, 256, 300, 1ull << 32};

    for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        make_apic(0);
        assert_false(start_send_nmi(cpus[i]));
        assert_false(start_send_init(cpus[i]));
        assert_false(start_send_startup(cpus[i], 0x87));
        assert_int_equal(*at(ICR_LOW) | *at(ICR_HIGH), 0);
    }
}
