/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misbehaviour of the machine on request (PROPERTIES.md): counters that lie, a CPU that hangs or
 * ignores a start, and injected events.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pmu_model_state.h"
#include "helper-tcg.h"
#include "trace/trace-target_i386.h"

/* IA32_MC1_STATUS: Intel SDM volume 3B, "IA32_MCi_STATUS MSRs", "Simple Error Codes". */
#define MCE_BANK 1
#define MCE_PARITY 5 /* "internal parity error" */
#define MCE_ADDRESS 0x12345000u
#define MCE_COUNT_SHIFT 38
#define MCE_COUNT_BITS 15

static void interrupt(CPUX86State *env, int kind)
{
    bql_lock();
    cpu_interrupt(env_cpu(env), kind);
    bql_unlock();
}

static void inject_smi(CPUX86State *env)
{
    interrupt(env, CPU_INTERRUPT_SMI);
}

static void inject_nmi(CPUX86State *env)
{
    interrupt(env, CPU_INTERRUPT_NMI);
}

static void inject_thermal(CPUX86State *env)
{
    pmu_state_heat(env->pmu.state->msrs);
}

static void inject_clock(CPUX86State *env)
{
    pmu_state_change_clock(env, env->pmu.state->msrs);
}

static void inject_limit(CPUX86State *env)
{
    pmu_state_limit(env->pmu.state->msrs);
}

static uint64_t *error_status(CPUX86State *env, unsigned bank)
{
    return &env->mce_banks[4 * bank + 1];
}

void pmu_error_reset(CPUX86State *env)
{
    if (env->pmu.old_error) {
        *error_status(env, MCE_BANK) = env->pmu.old_error;
    }
}

/* A corrected error, which bank 1 counts without an interrupt. */
static void inject_machine_check(CPUX86State *env)
{
    uint64_t *status = error_status(env, MCE_BANK);
    uint64_t errors = MIN(extract64(*status, MCE_COUNT_SHIFT, MCE_COUNT_BITS) + 1,
                          pmu_low_bits(MCE_COUNT_BITS));

    *status = MCI_STATUS_VAL | MCI_STATUS_EN | MCE_PARITY | errors << MCE_COUNT_SHIFT;
}

/*
 * An uncorrected internal parity error, with a machine check. If CR4.MCE is clear, or another
 * machine check is being handled, the machine is reset instead.
 */
static void inject_exception(CPUX86State *env, uint64_t mcg_status, uint64_t more)
{
    if (env->mcg_status & MCG_STATUS_MCIP || !(env->cr[4] & CR4_MCE_MASK)) {
        qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
        return;
    }
    *error_status(env, MCE_BANK) =
        MCI_STATUS_VAL | MCI_STATUS_UC | MCI_STATUS_EN | MCI_STATUS_ADDRV | MCE_PARITY | more;
    env->mce_banks[4 * MCE_BANK + 2] = MCE_ADDRESS;
    env->mcg_status = MCG_STATUS_MCIP | mcg_status;
    interrupt(env, CPU_INTERRUPT_MCE);
}

static void inject_exception_going_on(CPUX86State *env)
{
    inject_exception(env, MCG_STATUS_RIPV, 0);
}

static void inject_exception_ending(CPUX86State *env)
{
    inject_exception(env, 0, 0);
}

/* A load of poisoned data. */
static void inject_exception_action(CPUX86State *env)
{
    inject_exception(env, MCG_STATUS_RIPV | MCG_STATUS_EIPV, MCI_STATUS_S | MCI_STATUS_AR);
}

/* Another CPU has loaded poisoned data, and this CPU shares the bank. */
static void inject_exception_sibling(CPUX86State *env)
{
    inject_exception(env, MCG_STATUS_RIPV, MCI_STATUS_S | MCI_STATUS_AR);
}

/* The CPU's state may be wrong. Bank 0 also gets a corrected error. */
static void inject_exception_corrupt(CPUX86State *env)
{
    *error_status(env, 0) = MCI_STATUS_VAL | MCI_STATUS_EN | MCE_PARITY;
    inject_exception(env, MCG_STATUS_RIPV, MCI_STATUS_PCC);
}

/* The banks of this CPU do not show the error. */
static void inject_exception_elsewhere(CPUX86State *env)
{
    uint64_t status = *error_status(env, MCE_BANK);

    inject_exception(env, MCG_STATUS_RIPV, 0);
    *error_status(env, MCE_BANK) = status;
}

/* The core seems to pause while the TSC runs on. MPERF and APERF do not jump. */
static void inject_gap(CPUX86State *env)
{
    env->tsc_offset += env->pmu.inject_ticks;
}

typedef struct PMUInjection {
    const char *name;
    void (*inject)(CPUX86State *env);
} PMUInjection;

static const PMUInjection injections[] = {
    { "smi", inject_smi },
    { "nmi", inject_nmi },
    { "thermal", inject_thermal },
    { "clock", inject_clock },
    { "limit", inject_limit },
    { "machine-check", inject_machine_check },
    { "mc", inject_exception_going_on },
    { "mc-fatal", inject_exception_ending },
    { "mc-action", inject_exception_action },
    { "mc-sibling", inject_exception_sibling },
    { "mc-corrupt", inject_exception_corrupt },
    { "mc-elsewhere", inject_exception_elsewhere },
    { "gap", inject_gap },
};

static const PMUInjection *find_injection(const char *name)
{
    for (int i = 0; i < ARRAY_SIZE(injections); i++) {
        if (!strcmp(injections[i].name, name)) {
            return &injections[i];
        }
    }
    return NULL;
}

static bool names_counter(const PMUModel *p, uint8_t bit)
{
    return bit == PMU_AUTO || (bit < 64 && pmu_counter_bits(p) >> bit & 1);
}

static const char *const LIE_WHEN[] = { "neighbour", "sibling", "high", NULL };

static bool event_lie_realize(const PMUModel *p, Error **errp)
{
    if (p->lie_when && !g_strv_contains(LIE_WHEN, p->lie_when)) {
        error_setg(errp, "pmu-lie-when is neighbour, sibling or high, not '%s'", p->lie_when);
        return false;
    }
    if (p->lie_when && !strcmp(p->lie_when, "high") &&
        (p->lie_plus || p->lie_counts != PMU_NOBODY)) {
        error_setg(errp, "pmu-lie-when=high works only with pmu-lie-factor");
        return false;
    }
    if (p->lie_ring != PMU_AUTO && p->lie_ring != 0 && p->lie_ring != 3) {
        error_setg(errp, "pmu-lie-ring is 0 or 3, not %d", p->lie_ring);
        return false;
    }
    if (p->lie_counter != PMU_AUTO && (p->lie_counter >= 32 || !names_counter(p, p->lie_counter))) {
        error_setg(errp, "pmu-lie-counter names general counter %d, which this CPU does not have",
                   p->lie_counter);
        return false;
    }
    return true;
}

bool pmu_lies_realize(const PMUModel *p, Error **errp)
{
    const uint8_t liars[] = { p->stuck, p->off_by_one, p->wrong_ring, p->wrap, p->late, p->noisy };

    for (int i = 0; i < ARRAY_SIZE(liars); i++) {
        if (!names_counter(p, liars[i])) {
            error_setg(errp, "a lie names counter %d, which this CPU does not have", liars[i]);
            return false;
        }
    }
    if (p->smm_takes != PMU_AUTO && (p->smm_takes >= 32 || !names_counter(p, p->smm_takes))) {
        error_setg(errp, "pmu-smm-takes names general counter %d, which this CPU does not have",
                   p->smm_takes);
        return false;
    }
    if (!p->amd && (p->overcounts || p->lock_excess || p->reserved_status || p->cfg_ignored)) {
        error_setg(errp, "pmu-overcounts, pmu-lock-excess, pmu-reserved-status and pmu-cfg-ignored "
                         "are lies of AMD's CPUs");
        return false;
    }
    if (!event_lie_realize(p, errp)) {
        return false;
    }
    if (p->wrap_bits < 1 || p->wrap_bits > PMU_WIDTH_MAX) {
        error_setg(errp, "pmu-wrap-bits is 1 to %d", PMU_WIDTH_MAX);
        return false;
    }
    if (p->inject_times < 1 || (p->inject_times > 1 && p->inject_every == 0)) {
        error_setg(errp, "pmu-inject-times is 1 or more, and more than 1 needs pmu-inject-every");
        return false;
    }
    if (p->inject && !find_injection(p->inject)) {
        g_autoptr(GString) known = g_string_new(NULL);

        for (int i = 0; i < ARRAY_SIZE(injections); i++) {
            g_string_append_printf(known, "%s%s", i ? ", " : "", injections[i].name);
        }
        error_setg(errp, "pmu-inject is one of %s, not '%s'", known->str, p->inject);
        return false;
    }
    return true;
}

static uint32_t apic_id_of(const CPUX86State *env)
{
    return env_archcpu((CPUX86State *)env)->apic_id;
}

static bool is_liar(const CPUX86State *env)
{
    uint32_t liar = env->pmu.lie_apic_id;

    return liar == PMU_NOBODY || liar == apic_id_of(env);
}

bool pmu_lies(const CPUX86State *env, uint8_t which, int bit)
{
    return which == bit && is_liar(env);
}

bool pmu_lies_stuck(const CPUX86State *env, int bit)
{
    return pmu_lies(env, env->pmu.stuck, bit) && env->pmu.state->opens >= env->pmu.stuck_from;
}

/* AMD's revision guide of family 19h, models 00h to 0Fh, erratum 1292. */
bool pmu_lies_overcounts(const CPUX86State *env, uint64_t select, int counter)
{
    static const uint16_t events[] = { 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc8,
                                       0xc9, 0xca, 0xcc, 0xd1, 0x1c7, 0x1d0 };
    uint16_t event = (select & 0xff) | (select & PMU_SELECT_EVENT_HIGH) >> 24;
    bool mended = counter == PMU_PREC_RET_COUNTER && select & PMU_SELECT_PREC_RET &&
                  !(select & PMU_SELECT_INT);
    bool found = false;

    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        found |= events[i] == event;
    }
    return env->pmu.overcounts && is_liar(env) && found && !mended;
}

void pmu_lie_about_event(CPUX86State *env, uint32_t encoding, bool neighbour, bool sibling,
                         PMUWatch *w)
{
    const PMUModel *p = &env->pmu;
    bool ring = p->lie_ring == PMU_AUTO ||
                (w->rings[p->lie_ring != 0] && !w->rings[p->lie_ring == 0]);

    w->lie_factor = 1;
    if (encoding != p->lie_event || !is_liar(env) || !ring ||
        (p->lie_counter != PMU_AUTO && p->lie_counter != w->counter)) {
        return;
    }
    if (p->lie_when && ((!strcmp(p->lie_when, "neighbour") && !neighbour) ||
                        (!strcmp(p->lie_when, "sibling") && !sibling))) {
        return;
    }
    w->lie_plus = p->lie_plus;
    w->lie_factor = p->lie_factor;
    w->lies_high = p->lie_when && !strcmp(p->lie_when, "high");
    if (p->lie_counts != PMU_NOBODY) {
        w->source = pmu_event_source(env, p->lie_counts);
    }
}

unsigned pmu_promised(const CPUX86State *env)
{
    return is_liar(env) ? env->pmu.promised : 0;
}

uint64_t pmu_noise(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    s->noise = s->noise * 1664525u + 1013904223u;
    return s->noise * ((uint64_t)env->pmu.noisy_by + 1) >> 32;
}

static G_NORETURN void halt(CPUState *cs)
{
    cs->halted = 1;
    cs->exception_index = EXCP_HLT;
    cpu_loop_exit(cs);
}

/*
 * RIP stays at the WRMSR, so the CPU hangs again after the handler of an NMI. The WRMSR has been
 * counted, but will not be added to `retired`.
 */
static G_NORETURN void hang(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    s->hung = true;
    s->stepped = false;
    s->seen[(env->hflags & HF_CPL_MASK) != 0][0]--;
    env->eflags &= ~IF_MASK;
    env->hflags &= ~HF_INHIBIT_IRQ_MASK;
    halt(env_cpu(env));
}

void pmu_model_mwait(CPUX86State *env)
{
    if (env->pmu.on && apic_id_of(env) == env->pmu.asleep_apic_id) {
        env->hflags &= ~HF_INHIBIT_IRQ_MASK;
        halt(env_cpu(env));
    }
}

static bool injects_at(const CPUX86State *env, uint32_t opening)
{
    const PMUModel *p = &env->pmu;
    uint32_t since = opening - p->inject_open;

    return p->inject && apic_id_of(env) == p->inject_apic_id && opening >= p->inject_open &&
           (since == 0 || (p->inject_period != 0 && since % p->inject_period == 0));
}

static void inject(CPUX86State *env)
{
    const PMUModel *p = &env->pmu;
    PMUState *s = p->state;

    s->inject_more--;
    s->injecting = s->inject_more > 0;
    s->inject_left = p->inject_every;
    trace_pmu_model_inject(env_cpu(env)->cpu_index, p->inject, s->opens, pmu_total_retired(p));
    find_injection(p->inject)->inject(env);
}

void pmu_lies_opened(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;

    if (s->hung) {
        hang(env);
    }
    s->opens++;
    if (apic_id_of(env) == p->hang_apic_id && s->opens == p->hang_open) {
        hang(env);
    }
    if (injects_at(env, s->opens)) {
        s->inject_more = p->inject_times;
        s->injecting = true;
        s->inject_left = p->inject_after;
        if (p->inject_after == 0) {
            inject(env);
        }
    }
}

bool pmu_injection_waits(const CPUX86State *env)
{
    return env->pmu.state->injecting;
}

void pmu_injection_step(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    if (--s->inject_left == 0) {
        inject(env);
        s->stale |= !s->injecting;
    }
}

/*
 * Whether software has written a PMU register on any CPU. Before that, only firmware starts CPUs.
 */
static bool software_wrote;

void pmu_sipi_software_wrote(void)
{
    qatomic_set(&software_wrote, true);
}

void pmu_sipi_init(CPUX86State *env)
{
    env->pmu.state->start_counted = false;
}

void pmu_model_sipi(CPUX86State *env)
{
    const PMUModel *p = &env->pmu;
    PMUState *s = p->state;

    if (!p->on) {
        return;
    }
    /*
     * A start sends two SIPIs. The second SIPI of a start by firmware may come late, after software
     * has written a PMU register, and must not count as another start.
     */
    if (!s->start_counted) {
        s->start_counted = true;
        s->sipis += qatomic_read(&software_wrote);
    }
    if (apic_id_of(env) == p->deaf_apic_id && s->sipis == p->deaf_sipi) {
        trace_pmu_model_deaf(env_cpu(env)->cpu_index, s->sipis);
        halt(env_cpu(env)); /* the SIPI has woken the CPU, which must not run */
    }
}

#define DELIVERY_NMI 4

void pmu_model_send(CPUX86State *env, uint8_t delivery_mode)
{
    const PMUModel *p = &env->pmu;

    if (p->on && delivery_mode == DELIVERY_NMI && apic_id_of(env) == p->slow_apic_id) {
        bql_unlock();
        g_usleep(p->slow_us);
        bql_lock();
    }
}
