/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lies and injections: the interface of pmu_model_lies.c. */
#ifndef I386_TCG_PMU_MODEL_LIES_H
#define I386_TCG_PMU_MODEL_LIES_H

struct PMUWatch;

/* Checks the properties. On failure returns false and sets *errp. */
bool pmu_lies_realize(const PMUModel *p, Error **errp);

/*
 * Whether counter `bit` of this CPU lies. `which` is the property of the lie, for example p->stuck.
 */
bool pmu_lies(const CPUX86State *env, uint8_t which, int bit);

bool pmu_lies_stuck(const CPUX86State *env, int bit);

bool pmu_lies_overcounts(const CPUX86State *env, uint64_t select, int counter);

/*
 * Applies the lie about an event to a counter that runs with this encoding. `neighbour`: the next
 * general counter runs, too. `sibling`: the CPU has a sibling that is not halted.
 */
void pmu_lie_about_event(CPUX86State *env, uint32_t encoding, bool neighbour, bool sibling,
                         struct PMUWatch *w);

/* To be called after a write that enables counters. Does not return if the CPU hangs. */
void pmu_lies_opened(CPUX86State *env);

unsigned pmu_promised(const CPUX86State *env);

/* The amount that a noisy counter adds when it starts: 0 to noisy_by. */
uint64_t pmu_noise(CPUX86State *env);

/* To be called when software writes a PMU register: from now on, starts of CPUs are counted. */
void pmu_sipi_software_wrote(void);

/* To be called at an INIT: the SIPIs that follow belong to a new start. */
void pmu_sipi_init(CPUX86State *env);

/* At a reset of the CPU, writes pmu-old-error to IA32_MC1_STATUS unless pmu-old-error is 0. */
void pmu_error_reset(CPUX86State *env);

/* Whether an injection is pending, so that the CPU must be in detail mode. */
bool pmu_injection_waits(const CPUX86State *env);

void pmu_injection_step(CPUX86State *env);

#endif
