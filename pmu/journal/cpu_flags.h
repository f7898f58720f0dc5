/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of cpu_record.flags: what a CPU is in its run, and which registers it has. */
#ifndef BARECOUNT_PMU_JOURNAL_CPU_FLAGS_H
#define BARECOUNT_PMU_JOURNAL_CPU_FLAGS_H

#define CPU_IS_BOOT                  (1u << 0)
#define CPU_WAS_IN_USE               (1u << 1) /* a counter had been left enabled */
#define CPU_HAS_SMI_COUNT            (1u << 2)
#define CPU_PERFMON_HIDDEN           (1u << 3) /* IA32_MISC_ENABLE[7] is 0 */
#define CPU_HAS_THERM_STATUS         (1u << 4)
#define CPU_HAS_PACKAGE_THERM_STATUS (1u << 5)
#define CPU_HAS_PERF_STATUS          (1u << 6)
#define CPU_HAS_APERF                (1u << 7) /* IA32_MPERF and IA32_APERF */
#define CPU_HAS_CORE_LIMITS          (1u << 8) /* MSR_CORE_PERF_LIMIT_REASONS at 64FH */
#define CPU_HAS_CORE_LIMITS_HASWELL                                                                \
    (1u << 9)                          /* the same at 690H, as Haswell and Broadwell have it */
#define CPU_BESIDE_BOOT     (1u << 10) /* a sibling is the boot CPU, which waits for it */
#define CPU_BESIDE_MEASURED (1u << 11) /* a sibling runs the same kernels at the same time */
#define CPU_BESIDE_PARKED   (1u << 12) /* all siblings but such were in MWAIT when it began */
#define CPU_MPERF_DIFFERS   (1u << 13) /* IA32_MPERF does not tick with the time stamp */

#endif
