/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Model-specific registers, named as in the Intel SDM vol. 4 ("Model-Specific Registers") and vol.
 * 3B ("Performance Monitoring").
 */
#ifndef BARECOUNT_PMU_CPU_MSR_H
#define BARECOUNT_PMU_CPU_MSR_H

#define MSR_IA32_APIC_BASE              0x1bu
#define MSR_SMI_COUNT                   0x34u
#define MSR_IA32_BIOS_SIGN_ID           0x8bu
#define MSR_IA32_PMC0                   0xc1u
#define MSR_PLATFORM_INFO               0xceu
#define MSR_IA32_MPERF                  0xe7u
#define MSR_IA32_APERF                  0xe8u
#define MSR_IA32_MTRRCAP                0xfeu
#define MSR_IA32_MCG_CAP                0x179u
#define MSR_IA32_MCG_STATUS             0x17au
#define MSR_IA32_PERFEVTSEL0            0x186u
#define MSR_IA32_PERF_STATUS            0x198u
#define MSR_IA32_PERF_CTL               0x199u
#define MSR_IA32_THERM_STATUS           0x19cu
#define MSR_IA32_MISC_ENABLE            0x1a0u
#define MSR_MISC_FEATURE_CONTROL        0x1a4u /* prefetchers */
#define MSR_OFFCORE_RSP_0               0x1a6u
#define MSR_OFFCORE_RSP_1               0x1a7u
#define MSR_IA32_PACKAGE_THERM_STATUS   0x1b1u
#define MSR_IA32_DEBUGCTL               0x1d9u
#define MSR_IA32_MTRR_PHYSBASE0         0x200u /* PHYSMASK0 is 201H, PHYSBASE1 202H */
#define MSR_IA32_PAT                    0x277u
#define MSR_IA32_MTRR_DEF_TYPE          0x2ffu
#define MSR_IA32_FIXED_CTR0             0x309u
#define MSR_IA32_PERF_CAPABILITIES      0x345u
#define MSR_IA32_FIXED_CTR_CTRL         0x38du
#define MSR_IA32_PERF_GLOBAL_STATUS     0x38eu
#define MSR_IA32_PERF_GLOBAL_CTRL       0x38fu
#define MSR_IA32_PERF_GLOBAL_OVF_CTRL   0x390u /* named _STATUS_RESET from PMU version 4 on */
#define MSR_IA32_PERF_GLOBAL_STATUS_SET 0x391u /* from PMU version 4 on */
#define MSR_IA32_PERF_GLOBAL_INUSE      0x392u /* from PMU version 4 on */
#define OMR_COUNT                       4u
#define MSR_OMR_0                       0x3e0u /* MSR_OMR_0 to 3 replace MSR_OFFCORE_RSP_0 and _1 */
#define MSR_IA32_PEBS_ENABLE            0x3f1u
#define MSR_PEBS_LD_LAT_THRESHOLD       0x3f6u
#define MSR_PEBS_FRONTEND               0x3f7u
#define MSR_IA32_MC0_STATUS             0x401u /* bank i: add MC_BANK_MSRS * i */
#define MSR_IA32_A_PMC0                 0x4c1u /* IA32_PMC0, for full-width writes */
#define MSR_UNCORE_PERF_STATUS          0x621u /* the uncore's current ratio */
#define MSR_CORE_PERF_LIMIT_REASONS     0x64fu /* Skylake and later */
#define MSR_HASWELL_LIMIT_REASONS       0x690u /* Haswell, Broadwell; on other models an LBR */
#define MSR_IA32_TSC_DEADLINE           0x6e0u
#define MSR_IA32_PM_ENABLE              0x770u /* never written: bit 0 cannot be cleared */
#define MSR_IA32_HWP_CAPABILITIES       0x771u /* usable only while IA32_PM_ENABLE[0] is 1 */
#define MSR_IA32_HWP_REQUEST            0x774u /* usable only while IA32_PM_ENABLE[0] is 1 */
#define MSR_X2APIC                      0x800u /* add the xAPIC register's offset / 16 */
#define MSR_IA32_EFER                   0xc0000080u
#define MSR_IA32_FS_BASE                0xc0000100u
#define MSR_IA32_GS_BASE                0xc0000101u
#define MSR_E_CORE_PREFETCH_LLC         0x1320u /* Gracemont and later */
#define MSR_E_CORE_PREFETCH_L2          0x1321u
#define MSR_AMD_PREFETCH_CONTROL        0xc0000108u
#define MSR_AMD_GLOBAL_STATUS           0xc0000300u /* this and the next two need PerfMonV2 */
#define MSR_AMD_GLOBAL_CTL              0xc0000301u
#define MSR_AMD_GLOBAL_STATUS_CLEAR     0xc0000302u
#define MSR_AMD_OLD_PERF_CTL0           0xc0010000u /* aliases of PERF_CTL0 to 3 */
#define MSR_AMD_OLD_PERF_CTR0           0xc0010004u
#define MSR_AMD_SYSCFG                  0xc0010010u
#define MSR_AMD_HWCR                    0xc0010015u
#define MSR_AMD_LS_CFG                  0xc0011020u
#define MSR_AMD_DE_CFG                  0xc0011029u
#define MSR_AMD_TOP_MEM2                0xc001001du
#define MSR_AMD_PSTATE_STATUS           0xc0010063u /* number of the current P-state */
#define MSR_AMD_PSTATE_DEF0             0xc0010064u /* P0, without boost */
#define MSR_AMD_PERF_CTL0               0xc0010200u /* PERF_CTLi: add 2 * i */
#define MSR_AMD_PERF_CTR0               0xc0010201u

/*
 * IA32_PERFEVTSELx
 *  31    24  23  22  21  20 19 18 17  16  15     8 7      0
 * | CMASK |INV|EN |ANY|INT|PC|E |OS|USR| UMASK    | EVENT  |
 */
#define EVTSEL_EVENT 0xffull
#define EVTSEL_USR   (1ull << 16)
#define EVTSEL_OS    (1ull << 17)
#define EVTSEL_INT   (1ull << 20)
#define EVTSEL_EN    (1ull << 22)
#define AMD_PREC_RET (1ull << 43) /* counter 2 only */

/*
 * IA32_FIXED_CTR_CTRL has four bits for each counter: bit 0 for CPL 0, bit 1 for CPL 1 to 3, bit 3
 * for a PMI.
 */
#define FIXED_CTRL_OS   1ull
#define FIXED_CTRL_USR  2ull
#define FIXED_CTRL_PMI  8ull
#define FIXED_CTRL_BITS 4u

/* In IA32_PERF_GLOBAL_*, bit i is for IA32_PMCi, and bit 32 + i is for IA32_FIXED_CTRi. */
#define GLOBAL_FIXED_SHIFT 32u
#define GLOBAL_COUNTERS    0x0000ffffffffffffull /* without bits 63:48 */

/*
 * Numbers of fixed counters. Counters 4 to 6 count bad speculation, front-end bound and retiring.
 */
#define FIXED_INSTRUCTIONS 0u
#define FIXED_CORE         1u
#define FIXED_REFERENCE    2u
#define FIXED_SLOTS        3u
#define GLOBAL_REFERENCE   (1ull << (GLOBAL_FIXED_SHIFT + FIXED_REFERENCE))

/*
 * IA32_PERF_GLOBAL_INUSE marks a general counter as in use while EVENT in its IA32_PERFEVTSELx is
 * not 0. The register marks a fixed counter as in use while the counter is enabled. Bit 63 is set
 * while a counter or PEBS may raise a PMI.
 */
#define GLOBAL_INUSE_PMI (1ull << 63)

#define UNCORE_RATIO             0x7full
#define MISC_ENABLE_PERFMON      (1ull << 7)
#define MISC_ENABLE_TURBO_OFF    (1ull << 38)
#define AMD_HWCR_BOOST_OFF       (1ull << 25)
#define AMD_HWCR_TSC_FREQ_SEL    (1ull << 24) /* the time stamp has P0's frequency */
#define AMD_PSTATE_EN            (1ull << 63)
#define AMD_STATUS_FROZEN        (3ull << 58) /* frozen: branch records (58), counters (59) */
#define PREFETCH_OFF             0x11ffull    /* in MSR 1A4H; only bit 0 exists on every core */
#define E_CORE_LLC_STREAMER_OFF  (1ull << 43)
#define E_CORE_L2_NEXT_LINE_OFF  (1ull << 40)
#define AMD_LS_CFG_NO_LOCK_MAP   (1ull << 54)
#define AMD_DE_CFG_LFENCE        (1ull << 1) /* LFENCE serializes dispatch */
#define AMD_PREFETCH_OFF         0x2full     /* L1: stream, stride, region; L2: stream, up/down */
#define DEBUGCTL_FREEZE_LBRS     (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON  (1ull << 12)
#define PERF_CAP_FULL_WIDTH      (1ull << 13)
#define THERM_STATUS_NOW         (1ull << 0) /* throttled */
#define THERM_STATUS_LOG         (1ull << 1) /* throttled since cleared */
#define PERF_CTL_RATIO           0xff00ull   /* also in IA32_PERF_STATUS */
#define PM_ENABLE_HWP            (1ull << 0)
#define HWP_HIGHEST(msr)         ((unsigned)(msr)&0xffu)
#define HWP_GUARANTEED(msr)      ((unsigned)((msr) >> 8) & 0xffu)
#define HWP_LOWEST(msr)          ((unsigned)((msr) >> 24) & 0xffu)
#define HWP_REQUEST_RANGE        0xffffffull  /* minimum, maximum, desired */
#define HWP_REQUEST_PACKAGE      (1ull << 42) /* the package's request applies */
#define PERF_STATUS_STATE        0xffffull    /* a ratio, and on some models a voltage */
#define PERF_STATUS_RATIO(msr)   ((unsigned)((msr) >> 8) & 0xffu)
#define PLATFORM_INFO_RATIO(msr) ((unsigned)((msr) >> 8) & 0xffu)

#define MCG_CAP_BANKS   0xffull
#define MCG_CAP_SER_P   (1ull << 24) /* MC_STATUS_AR exists */
#define MCG_STATUS_RIPV (1ull << 0)  /* the interrupted program can go on */
#define MCG_STATUS_EIPV (1ull << 1)  /* the error belongs to the interrupted instruction */
#define MC_STATUS_VALID (1ull << 63)
#define MC_STATUS_OVER  (1ull << 62) /* a further error was lost */
#define MC_STATUS_UC    (1ull << 61) /* uncorrected */
#define MC_STATUS_EN    (1ull << 60) /* the error raises a machine check */
#define MC_STATUS_ADDRV (1ull << 58)
#define MC_STATUS_PCC   (1ull << 57) /* the CPU's state may be wrong */
#define MC_STATUS_AR    (1ull << 55) /* the program can go on only after a recovery */
#define MC_ADDR_OFFSET  1u           /* IA32_MCi_ADDR follows IA32_MCi_STATUS */
#define MC_BANK_MSRS    4u

/*
 * In the registers of limit reasons, bits 15:0 show what limits the clock now, and bits 31:16 are
 * the log bits of bits 15:0. Log bits for heat: 16 (PROCHOT), 17 (thermal), 21 (running average
 * thermal limit), 22 (VR thermal). In MSR 690H, bit 21 is not a thermal limit. In MSRs 64FH and
 * 690H, bits 26 and 27 are the log bits of the power limits PL1 and PL2.
 */
#define LIMITS_LOG_SHIFT        16
#define LIMITS_LOG              0xffff0000ull
#define LIMITS_LOG_HEAT         (1ull << 16 | 1ull << 17 | 1ull << 21 | 1ull << 22)
#define HASWELL_LIMITS_LOG_HEAT (1ull << 16 | 1ull << 17 | 1ull << 22)
#define LIMITS_LOG_POWER        (1ull << 26 | 1ull << 27)

#endif
