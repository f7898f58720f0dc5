/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine-check banks of AMD's CPUs with Scalable MCA (CPUID.8000_0007H:EBX[3]): AMD64 manual
 * volume 2, "Scalable MCA". QEMU stores the first four registers of each bank, which are also the
 * MSRs from 400h + 4 * bank on.
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"

#define SMCA 0xc0002000u
#define SMCA_PER_BANK 16

enum { CTL, STATUS, ADDR, MISC0, CONFIG, IPID, SYND, DESTAT = 8, DEADDR, REGISTERS };

static bool find(const CPUX86State *env, uint32_t msr, unsigned *bank, unsigned *number)
{
    unsigned banks = env->mcg_cap & MCG_CAP_BANKS_MASK;

    *bank = (msr - MSR_MC0_CTL) / 4;
    *number = (msr - MSR_MC0_CTL) % 4;
    if (msr >= SMCA) {
        *bank = (msr - SMCA) / SMCA_PER_BANK;
        *number = (msr - SMCA) % SMCA_PER_BANK;
    }
    return env->pmu.amd && msr >= MSR_MC0_CTL && *bank < banks && *number < REGISTERS &&
           *number != DESTAT - 1;
}

int pmu_bank_rdmsr(const CPUX86State *env, uint32_t msr, uint64_t *value)
{
    unsigned bank, number;

    if (!find(env, msr, &bank, &number)) {
        return PMU_NOT_MINE;
    }
    *value = number <= MISC0 ? env->mce_banks[4 * bank + number]
             : number == CONFIG ? env->pmu.state->bank_config[bank] : 0;
    return PMU_DONE;
}

/* Only 0 can be written to a bank's status, unless HWCR's McStatusWrEn is 1. */
int pmu_bank_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
    unsigned bank, number;

    if (!find(env, msr, &bank, &number)) {
        return PMU_NOT_MINE;
    }
    if (number == IPID || ((number == STATUS || number == DESTAT) && value != 0 &&
                           !pmu_state_mca_writable(env->pmu.state->msrs))) {
        return PMU_FAULT;
    }
    if (number <= MISC0) {
        env->mce_banks[4 * bank + number] = value;
    } else if (number == CONFIG) {
        env->pmu.state->bank_config[bank] = value;
    }
    return PMU_DONE;
}
