/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The uncore: the interface of pmu_model_uncore*.c. */
#ifndef I386_TCG_PMU_MODEL_OUTSIDE_H
#define I386_TCG_PMU_MODEL_OUTSIDE_H

typedef struct PMUTraffic PMUTraffic;
typedef struct PMUUncoreView PMUUncoreView;

/* Makes the uncore of the CPU's package; on failure returns false and sets *errp. */
bool pmu_uncore_realize(CPUX86State *env, Error **errp);
PMUUncoreView *pmu_uncore_view_new(void);
void pmu_uncore_reset(CPUX86State *env);

/* Whether an uncore counter of the CPU's package runs, so that the CPU must be in detail mode. */
bool pmu_uncore_counts(CPUX86State *env);

/*
 * pmu_uncore_line() reports a lookup in the LLC and its result to the uncore.
 * pmu_uncore_line_gone() reports a line that leaves the LLC.
 */
typedef enum PMUFound { PMU_FOUND_CLEAN, PMU_FOUND_DIRTY, PMU_MISSED } PMUFound;
void pmu_uncore_line(CPUX86State *env, PMUTraffic *traffic, uint64_t line, bool store,
                     PMUFound found);
void pmu_uncore_line_gone(CPUX86State *env, PMUTraffic *traffic, uint64_t line, bool dirty);

/*
 * pmu_uncore_step() counts an instruction's events in the uncore. pmu_uncore_end_cycle() ends the
 * CPU's open cycle in the uncore.
 */
void pmu_uncore_step(CPUX86State *env, const PMUStep *step);
void pmu_uncore_end_cycle(CPUX86State *env);

/*
 * pmu_uncore_owns() may be true although an access raises #GP. pmu_uncore_rdmsr() returns PMU_DONE
 * or PMU_FAULT. pmu_uncore_wrmsr() needs a value that pmu_uncore_may_write() accepts.
 */
bool pmu_uncore_owns(CPUX86State *env, uint32_t msr);
bool pmu_uncore_is_told(CPUX86State *env, uint32_t msr); /* whether the dump lists this MSR */
int pmu_uncore_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value);
bool pmu_uncore_may_write(CPUX86State *env, uint32_t msr, uint64_t value);
void pmu_uncore_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value);

/*
 * Whether cores can receive uncore interrupts, so that IA32_DEBUGCTL[13] and
 * IA32_PERF_GLOBAL_STATUS[61] exist.
 */
bool pmu_uncore_interrupts(const CPUX86State *env);

void pmu_uncore_dump_channels(CPUX86State *env, GString *text);

#endif
