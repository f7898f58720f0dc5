/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FREEZE_WHILE_SMM, bit 14 of IA32_DEBUGCTL (SDM vol. 3B, "IA32_DEBUGCTL MSR"). The bit exists if
 * IA32_PERF_CAPABILITIES[12] is set. While FREEZE_WHILE_SMM is set, an SMI clears all enables in
 * IA32_PERF_GLOBAL_CTRL, and saves and clears LBR, BTF, TR and BTS in IA32_DEBUGCTL; RSM then sets
 * all enables and restores IA32_DEBUGCTL. SeaBIOS leaves SMBASE at A0000h and SMRAM unlocked, so
 * the test can install its own handler.
 */
#include "conform.h"

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define HOST_BRIDGE    0x80000000u
#define SMRAM          0x9du /* register of Q35's host bridge */
#define SMRAM_OPEN     0x40
#define SMRAM_LOCKED   0x10
#define HANDLER        ((uint8_t *)0xa8000)
#define SEEN           ((volatile uint32_t *)0x7000)

/*
 * A window with kernel_smi contains 14 instructions: call; xor out jmp jmp mov rdmsr mov mov ret;
 * mov xor xor wrmsr.
 */
#define OWN         14u
#define HANDLER_OWN 11u

extern const uint8_t smm_handler[], smm_handler_end[];
extern volatile uint64_t smi_global_ctrl;
extern code kernel_smi;

static uint8_t smram(void)
{
    uint8_t value;

    __asm__ volatile("outl %0, %1" : : "a"(HOST_BRIDGE | (SMRAM & ~3u)), "d"((uint16_t)0xcf8));
    __asm__ volatile("inb %1, %0" : "=a"(value) : "d"((uint16_t)(CONFIG_DATA + (SMRAM & 3))));
    return value;
}

static void set_smram(uint8_t value)
{
    smram();
    io_write(CONFIG_DATA + (SMRAM & 3), value);
}

void install_smm_handler(void)
{
    uint8_t before = smram();

    if (before & SMRAM_LOCKED) {
        give_up("the firmware has locked the SMRAM");
    }
    set_smram(before | SMRAM_OPEN);
    for (const uint8_t *from = smm_handler; from != smm_handler_end; from++) {
        HANDLER[from - smm_handler] = *from;
    }
    set_smram(before);
}

static uint64_t count_smi(int bit, uint64_t debugctl)
{
    uint64_t smis = rdmsr(MSR_SMI_COUNT);
    uint64_t counted;

    SEEN[0] = SEEN[1] = SEEN[2] = 0xdead;
    wrmsr(IA32_DEBUGCTL, debugctl);
    counted = count_from(0, bit, own_select(bit), kernel_smi);
    expect(rdmsr(MSR_SMI_COUNT) - smis, 1, "%s, 1D9h = %llx: MSR_SMI_COUNT counts the SMI",
           counter_name(bit), debugctl);
    return counted;
}

void test_smm(void)
{
    uint64_t all = counter_bits() | (cpu.metrics ? BIT(METRICS_BIT) : 0);

    install_smm_handler();
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        if (bit > 0 && bit < 32) {
            continue;
        }
        if (bit > FIXED(0)) {
            break; /* other fixed counters count cycles, which in SMM depend on caches */
        }
        expect(count_smi(bit, 0), OWN + HANDLER_OWN, "%s counts the SMM handler",
               counter_name(bit));
        expect(SEEN[0] | (uint64_t)SEEN[1] << 32, BIT(bit), "%s: its enable stays set in SMM",
               counter_name(bit));
        expect(count_smi(bit, FREEZE_IN_SMM), OWN, "%s: 1D9h[14] stops it in SMM",
               counter_name(bit));
        expect(SEEN[0] | (uint64_t)SEEN[1] << 32, 0,
               "%s: 1D9h[14] clears IA32_PERF_GLOBAL_CTRL in SMM", counter_name(bit));
        expect(smi_global_ctrl, all, "%s: RSM sets all enables of IA32_PERF_GLOBAL_CTRL",
               counter_name(bit));
    }
    count_smi(0, FREEZE_IN_SMM | 1);
    expect(SEEN[2] & 0xc3, 0, "1D9h[14]: LBR, BTF, TR and BTS are 0 in SMM");
    expect(rdmsr(IA32_DEBUGCTL), FREEZE_IN_SMM | 1, "RSM restores IA32_DEBUGCTL");
    wrmsr(IA32_DEBUGCTL, 0);
    stop_all();
}
