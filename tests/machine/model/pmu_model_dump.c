/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The property "pmu-registers" lists the registers of a CPU (README.md, "All registers"). The
 * machine must be paused. A running counter may show its value at the last access to a register of
 * the PMU.
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"
#include "hw/i386/apic.h"

#define LEGACY 0xc0010000u /* AMD's aliases of the first four selects and counters */
#define LEGACY_END 0xc0010008u
#define MTRR_FIXED 11

#define FIELD(field) offsetof(CPUX86State, field), sizeof_field(CPUX86State, field)

/* MSRs that QEMU itself implements. */
static const struct {
    uint32_t msr;
    uint32_t offset;
    uint32_t size;
} fields[] = {
    { MSR_SMI_COUNT, FIELD(msr_smi_count) },
    { MSR_IA32_SYSENTER_CS, FIELD(sysenter_cs) },
    { MSR_IA32_SYSENTER_ESP, FIELD(sysenter_esp) },
    { MSR_IA32_SYSENTER_EIP, FIELD(sysenter_eip) },
    { MSR_MCG_CAP, FIELD(mcg_cap) },
    { MSR_MCG_STATUS, FIELD(mcg_status) },
    { MSR_MCG_CTL, FIELD(mcg_ctl) },
    { MSR_PAT, FIELD(pat) },
    { MSR_MTRRdefType, FIELD(mtrr_deftype) },
    { MSR_IA32_TSCDEADLINE, FIELD(tsc_deadline) },
    { MSR_EFER, FIELD(efer) },
    { MSR_STAR, FIELD(star) },
    { MSR_LSTAR, FIELD(lstar) },
    { MSR_CSTAR, FIELD(cstar) },
    { MSR_FMASK, FIELD(fmask) },
    { MSR_FSBASE, FIELD(segs[R_FS].base) },
    { MSR_GSBASE, FIELD(segs[R_GS].base) },
    { MSR_KERNELGSBASE, FIELD(kernelgsbase) },
    { MSR_TSC_AUX, FIELD(tsc_aux) },
};

static const uint32_t fixed_mtrrs[MTRR_FIXED] = {
    MSR_MTRRfix64K_00000, MSR_MTRRfix16K_80000, MSR_MTRRfix16K_A0000, MSR_MTRRfix4K_C0000,
    MSR_MTRRfix4K_C8000,  MSR_MTRRfix4K_D0000,  MSR_MTRRfix4K_D8000,  MSR_MTRRfix4K_E0000,
    MSR_MTRRfix4K_E8000,  MSR_MTRRfix4K_F0000,  MSR_MTRRfix4K_F8000,
};

static void put(GString *text, uint32_t msr, uint64_t value)
{
    g_string_append_printf(text, "0x%x 0x%" PRIx64 "\n", msr, value);
}

/* The dump omits aliases, and MSRs that only show or set another MSR. */
static bool is_told(const PMUModel *p, uint32_t msr, PMUKind kind)
{
    bool alias = p->amd ? msr >= LEGACY && msr < LEGACY_END : kind == PMU_REG_COUNTER_FULL;

    return !alias && kind != PMU_REG_STATUS_RESET && kind != PMU_REG_STATUS_SET &&
           kind != PMU_REG_INUSE;
}

static void put_model(GString *text, CPUX86State *env, uint32_t first, uint32_t last)
{
    const PMUModel *p = &env->pmu;

    for (uint32_t msr = first; msr <= last; msr++) {
        PMURegister r;
        uint64_t value;

        if (pmu_uncore_owns(env, msr)) {
            if (pmu_uncore_is_told(env, msr) && pmu_uncore_rdmsr(env, msr, &value) == PMU_DONE) {
                put(text, msr, value);
            }
        } else if (pmu_register_find(p, msr, &r)) {
            if (pmu_register_exists(p, r) && is_told(p, msr, r.kind)) {
                put(text, msr, pmu_register_read(p, r));
            }
        } else if (!pmu_state_moves(msr) &&
                   pmu_state_rdmsr(env, p->state->msrs, msr, &value) == PMU_DONE) {
            put(text, msr, value);
        }
    }
}

static void put_fields(GString *text, CPUX86State *env)
{
    for (int i = 0; i < ARRAY_SIZE(fields); i++) {
        uint64_t value = 0;

        /* On a little-endian host, the low bytes come first. */
        memcpy(&value, (char *)env + fields[i].offset, fields[i].size);
        put(text, fields[i].msr, value);
    }
    put(text, MSR_IA32_APICBASE, cpu_get_apic_base(env_archcpu(env)->apic_state));
}

static void put_banks(GString *text, CPUX86State *env)
{
    unsigned banks = env->mcg_cap & MCG_CAP_BANKS_MASK;

    for (unsigned i = 0; i < 4 * banks; i++) {
        put(text, MSR_MC0_CTL + i, env->mce_banks[i]);
    }
    for (unsigned i = 0; i < MTRR_FIXED; i++) {
        put(text, fixed_mtrrs[i], env->mtrr_fixed[i]);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(env->mtrr_var); i++) {
        put(text, MSR_MTRRphysBase(i), env->mtrr_var[i].base);
        put(text, MSR_MTRRphysMask(i), env->mtrr_var[i].mask);
    }
}

static char *dump(Object *cpu, Error **errp)
{
    CPUX86State *env = &X86_CPU(cpu)->env;
    GString *text = g_string_new(NULL);

    put_model(text, env, 0, 0xfff);
    if (env->pmu.amd) {
        put_model(text, env, 0xc0000000, 0xc0000fff);
        put_model(text, env, 0xc0010000, 0xc0011fff);
    }
    put_fields(text, env);
    put_banks(text, env);
    pmu_uncore_dump_channels(env, text);
    g_string_append_printf(text, "xcr0 0x%" PRIx64 "\n", env->xcr0);
    return g_string_free(text, FALSE);
}

void pmu_dump_realize(CPUX86State *env)
{
    object_property_add_str(OBJECT(env_archcpu(env)), "pmu-registers", dump, NULL);
}
