/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lies and injections, as the rest of the model sees them (pmu_model_lies.c). */
#ifndef I386_TCG_PMU_MODEL_LIES_H
#define I386_TCG_PMU_MODEL_LIES_H

/* Checks the properties. False: *errp says why not. */
bool pmu_lies_realize(const PMUModel *p, Error **errp);

/* Whether counter `bit` of this CPU tells the lie in property `which` (p->stuck and the like). */
bool pmu_lies(const CPUX86State *env, uint8_t which, int bit);

/* A write has opened counters. Does not return when the CPU hangs at this one. */
void pmu_lies_opened(CPUX86State *env);

/* How many general counters CPUID promises beyond those that there are. */
unsigned pmu_promised(const CPUX86State *env);

/* What a noisy counter adds when it begins to run: 0 to noisy_by. */
uint64_t pmu_noise(CPUX86State *env);

/* A register of the PMU is written: starts of CPUs count from now on, on the whole machine. */
void pmu_sipi_software_wrote(void);

/* INIT: the SIPIs that follow belong to a new start. */
void pmu_sipi_init(CPUX86State *env);

/* Whether an injection waits for its instruction: the CPU must be in detail. */
bool pmu_injection_waits(const CPUX86State *env);

/* One more instruction has retired while an injection waits. */
void pmu_injection_step(CPUX86State *env);

#endif
