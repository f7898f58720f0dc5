/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two packages of one CPU each: their energy, and a server's memory channels. SDM vol. 4, RAPL;
 * "Intel Xeon Processor Scalable Family Datasheet", volume 2, "UBOX Registers"; OUTSIDE.md.
 */
#include "uncore_packages.h"

/* ---- Energy ---- */

static const uint32_t energies[] = {0x611, 0x619, 0x639, 0x641};
#define ENERGIES (sizeof(energies) / sizeof(energies[0]))

static volatile uint64_t energy1[ENERGIES], power1;

static void read_energy1(void)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < ENERGIES; i++) {
        energy1[i] = try_rdmsr(energies[i], &value) ? 0 : value;
    }
    power1 = rdmsr(0x614);
}

/*
 * Package 1 uses half of the energy of package 0. The energy of package 0 is read twice: before and
 * after the energy of package 1.
 */
void test_package_energy(void)
{
    uint64_t before[ENERGIES], after;

    pause_us(200000);
    for (unsigned i = 0; i < ENERGIES; i++) {
        before[i] = try_rdmsr(energies[i], &after) ? 0 : after;
    }
    run_job(read_energy1);
    expect(power1 * 2, rdmsr(0x614), "MSR_PKG_POWER_INFO: package 1's is half of package 0's");
    for (unsigned i = 0; i < ENERGIES; i++) {
        if (!try_rdmsr(energies[i], &after)) {
            expect(energy1[i] > 0 && before[i] <= 2 * energy1[i] + 1 && 2 * energy1[i] <= after, 1,
                   "MSR %xh: package 1's energy is half of package 0's", energies[i]);
        }
    }
}

/* ---- A server's functions in PCI configuration space; package 1 is on bus 1 ---- */

#define UBOX    (8u << 11)
#define CHANNEL (10u << 11 | 2u << 8)

static void config_address(uint32_t package, uint32_t function, uint32_t offset)
{
    __asm__ volatile("outl %0, %1"
                     :
                     : "a"(1u << 31 | package << 16 | function | offset), "d"((uint16_t)0xcf8)
                     : "memory");
}

static uint32_t read_config(uint32_t package, uint32_t function, uint32_t offset)
{
    uint32_t value;

    config_address(package, function, offset);
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc) : "memory");
    return value;
}

static void write_channel(uint32_t package, uint32_t offset, uint32_t value)
{
    config_address(package, CHANNEL, offset);
    __asm__ volatile("outl %0, %1" : : "a"(value), "d"((uint16_t)0xcfc) : "memory");
}

static void walk1(void)
{
    wait_at_gate();
    walk_new_lines(lines1);
    pause_us(1); /* ends with a branch, after which all loads have retired */
}

/*
 * `got`: lines read from the channel of package 0, lines read from the channel of package 1, and
 * lookups in package 0's CHA.
 */
static void run_channels(uint32_t lines0, uint32_t lines, uint32_t frozen, uint64_t got[3])
{
    lines1 = lines;
    begin_job(walk1);
    wrmsr(0xe05, 0x3ffull << 17);
    wrmsr(0xe08, 0);
    wrmsr(0xe01, BIT(22) | 0x1134);
    for (uint32_t p = 0; p < 2; p++) {
        write_channel(p, 0xa0, 0);
        write_channel(p, 0xa4, 0);
        write_channel(p, 0xd8, (uint32_t)BIT(22) | 0x0304);
        write_channel(p, 0xf4, p == frozen ? BIT(8) : 0);
    }
    walk_new_lines(lines0);
    end_job();
    for (uint32_t p = 0; p < 2; p++) {
        write_channel(p, 0xf4, BIT(8));
        got[p] = read_config(p, CHANNEL, 0xa0);
    }
    wrmsr(0xe01, 0);
    got[2] = rdmsr(0xe08);
}

void test_package_channels(void)
{
    uint64_t got[3];

    for (uint32_t p = 0; p < 2; p++) {
        expect(read_config(p, UBOX, 0), 0x20148086, "package %u's UBox is there", p);
        expect(read_config(p, UBOX, 0xc0), 7 - p, "package %u's CPUNODEID", p);
        expect(read_config(p, UBOX, 0xd4), 001234567, "package %u's GIDNIDMAP", p);
    }
    for (int i = 0; i < 4; i++) {
        run_channels(LINES0, LINES1, 2, got);
    }
    run_channels(0, LINES1, 2, got);
    expect(got[0], 0, "package 1 walks: package 0's channel");
    expect(got[1], LINES1, "package 1 walks: package 1's channel");
    expect(got[2], 0, "package 1 walks: package 0's CHA");
    run_channels(LINES0, 0, 2, got);
    expect(got[0], LINES0, "package 0 walks: package 0's channel");
    expect(got[1], 0, "package 0 walks: package 1's channel");
    expect(got[2], LINES0, "package 0 walks: package 0's CHA");
    for (uint32_t frozen = 0; frozen < 2; frozen++) {
        run_channels(LINES0, LINES1, frozen, got);
        expect(got[0], frozen ? LINES0 : 0, "package %u's channel is frozen: package 0's", frozen);
        expect(got[1], frozen ? 0 : LINES1, "package %u's channel is frozen: package 1's", frozen);
    }
}
