/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How instructions change the values of counters (README.md). Intel SDM volume 3B, chapter
 * "Performance Monitoring".
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"
#include "exec/helper-proto.h"

/* The number of a counter's bit in IA32_PERF_GLOBAL_CTRL and _STATUS. */
static int bit_of(int counter)
{
    return counter < PMU_GP_MAX ? counter : 32 + counter - PMU_GP_MAX;
}

uint64_t pmu_total_retired(const PMUModel *p)
{
    uint64_t sum = 0;

    for (int i = 0; i < PMU_RINGS * PMU_CLASSES; i++) {
        sum += p->retired[i / PMU_CLASSES][i % PMU_CLASSES];
    }
    return sum;
}

static CPUState *sibling_of(CPUX86State *env)
{
    unsigned threads = pow2ceil(env_cpu(env)->nr_threads);
    uint32_t id = env_archcpu(env)->apic_id;
    CPUState *other;

    if (threads == 1) {
        return NULL;
    }
    CPU_FOREACH(other) {
        if (X86_CPU(other)->apic_id != id && X86_CPU(other)->apic_id / threads == id / threads) {
            return other;
        }
    }
    return NULL;
}

/* How many of a counter's plain events happened between two states of the table `retired`. */
static uint64_t plain_growth(const PMUWatch *w, const uint64_t now[PMU_RINGS][PMU_CLASSES],
                             const uint64_t seen[PMU_RINGS][PMU_CLASSES])
{
    uint64_t sum = 0;

    for (int r = 0; r < PMU_RINGS; r++) {
        for (int c = 0; w->rings[r] && c < PMU_CLASSES; c++) {
            if (now[r][c] != seen[r][c]) { /* few classes differ */
                sum += (now[r][c] - seen[r][c]) * pmu_plain_count(w->source, c);
            }
        }
    }
    return sum;
}

static void advance_from_sums(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    for (int ring = 0; s->lazy && ring < PMU_RINGS; ring++) {
        s->sum[ring].opens_cycle = false;
        pmu_counters_step(env, &s->sum[ring], ring);
        memset(&s->sum[ring], 0, sizeof(s->sum[ring]));
    }
}

static void advance_from_table(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    for (int i = 0; i < s->watches; i++) {
        if (!s->watch[i].detail) {
            pmu_counter_advance(env, &s->watch[i],
                                plain_growth(&s->watch[i], env->pmu.retired, s->seen));
        }
    }
    memcpy(s->seen, env->pmu.retired, sizeof(s->seen));
}

/* Whether pmu-lock-excess adds events to the counts of this source (rr's issue 2034). */
static bool has_lock_excess(PMUSource source)
{
    return source == PMU_INSTRUCTIONS || source == PMU_BRANCHES || source == PMU_TAKEN ||
           source == PMU_CONDITIONAL;
}

static void count_lock(const CPUX86State *env, PMUStep *what)
{
    if (!(env->pmu.registers & PMU_LOCKED) || !pmu_state_speculates_locks(env->pmu.state->msrs)) {
        return;
    }
    what->added[PMU_SPECULATIVE_LOCKS] += 1;
    for (int source = 0; source < PMU_PLAIN; source++) {
        what->added[source] += has_lock_excess(source) ? env->pmu.lock_excess : 0;
    }
}

/* Starts a step: sets `added` to what an instruction of this class adds to the plain sources. */
static void start_step(const PMUState *s, int class, PMUStep *what)
{
    const uint8_t *plain = pmu_core_plain(s->core, class);

    memset(what, 0, sizeof(*what));
    for (int source = 0; source < PMU_PLAIN; source++) {
        what->added[source] = plain[source];
    }
}

static void add_stalls(PMUStep *sum)
{
    for (int i = 0; i < PMU_STALLS; i++) {
        const PMUStall *stall = &sum->stall[i];

        for (int source = PMU_PLAIN; stall->cycles && source < PMU_SOURCES; source++) {
            sum->added[source] += (uint64_t)stall->cycles * stall->each[source];
        }
        sum->stall[i].cycles = 0;
    }
}

static void retire(CPUX86State *env, uint32_t info, int ring, PMUStep *what)
{
    uint64_t base = env->segs[R_CS].base, pc = base + env->pmu.eip;

    pmu_core_retire(env->pmu.state->core, pc, pc + (info >> PMU_LENGTH_SHIFT), base + env->eip,
                    info & (PMU_CLASSES - 1), ring, what);
    count_lock(env, what);
}

/* This function is not inlined, so that most instructions need no step on the stack. */
static __attribute__((noinline)) void step_at_once(CPUX86State *env, uint32_t info, int ring)
{
    PMUState *s = env->pmu.state;
    PMUStep what;

    start_step(s, info & (PMU_CLASSES - 1), &what);
    retire(env, info, ring, &what);
    pmu_counters_step(env, &what, ring);
    pmu_metrics_step(&env->pmu, &what, ring);
    pmu_uncore_step(env, &what);
    if (s->injecting) {
        pmu_injection_step(env);
    }
    if (s->late_left && --s->late_left == 0) {
        s->stale = true;
    }
}

/* Counts an instruction in detail mode; pmu_model.h describes `info`. */
static void step(CPUX86State *env, uint32_t info)
{
    PMUState *s = env->pmu.state;
    int ring = (info & PMU_USER) != 0;

    if (s->lazy) {
        retire(env, info, ring, &s->sum[ring]);
        add_stalls(&s->sum[ring]);
    } else {
        step_at_once(env, info, ring);
    }
}

void helper_pmu_step(CPUX86State *env, uint32_t info)
{
    PMUState *s = env->pmu.state;

    if (s->stepped) {
        s->stepped = false;
        return;
    }
    if (env->pmu.detail) {
        step(env, info);
        if (s->stale) {
            advance_from_sums(env);
            advance_from_table(env);
            pmu_count_mode(env);
        }
    }
}

void helper_pmu_access(CPUX86State *env, target_ulong address, uint32_t bytes_store)
{
    if (env->pmu.detail) {
        pmu_core_access(env->pmu.state->core, address, bytes_store >> 1, bytes_store & 1);
    }
}

void pmu_count_sync(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;
    CPUState *other = sibling_of(env);
    const PMUModel *sibling = other ? &X86_CPU(other)->env.pmu : NULL;
    uint64_t siblings[PMU_RINGS][PMU_CLASSES];

    /* Reads the sibling's table only once, because the sibling continues to run. */
    for (int i = 0; sibling && i < PMU_RINGS * PMU_CLASSES; i++) {
        siblings[i / PMU_CLASSES][i % PMU_CLASSES] =
            qatomic_read(&sibling->retired[i / PMU_CLASSES][i % PMU_CLASSES]);
    }
    advance_from_sums(env);
    advance_from_table(env);
    for (int i = 0; sibling && i < s->watches; i++) {
        const PMUWatch *w = &s->watch[i];

        if (w->any) {
            pmu_counter_advance(env, w, plain_growth(w, siblings, s->sibling_seen));
        }
    }
    if (sibling) {
        memcpy(s->sibling_seen, siblings, sizeof(s->sibling_seen));
    }
    pmu_counters_end_cycle(env);
    pmu_uncore_end_cycle(env);
    pmu_core_end_cycle(s->core);
    pmu_late_ref(p);
    if (s->stale) {
        pmu_count_mode(env);
    }
}

/*
 * WRMSR's helper runs before the code that adds the WRMSR to `retired`. This function therefore
 * adds the WRMSR, updates the counters, and subtracts the WRMSR again.
 */
void pmu_count_this_wrmsr(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    int ring = (env->hflags & HF_CPL_MASK) != 0;

    p->retired[ring][0]++;
    p->registers &= ~PMU_LOCKED; /* the previous instruction may have set this bit */
    if (p->detail) {
        step(env, (ring ? PMU_USER : 0) | 2 << PMU_LENGTH_SHIFT);
        p->state->stepped = true;
    }
    pmu_count_sync(env);
    p->retired[ring][0]--;
}

void pmu_count_exit(CPUX86State *env)
{
    const PMUModel *p = &env->pmu;

    if (p->exit_counts == 0) {
        return;
    }
    pmu_count_sync(env);
    for (int i = 0; i < p->state->watches; i++) {
        const PMUWatch *w = &p->state->watch[i];

        if (w->source == PMU_INSTRUCTIONS && w->rings[0]) {
            pmu_counter_advance(env, w, p->exit_counts);
        }
    }
}

static uint32_t encoding_of(const PMUModel *p, uint64_t select)
{
    return (select & 0xffff) | (p->amd ? (select & PMU_SELECT_EVENT_HIGH) >> 16
                                       : (select & PMU_SELECT_UMASK2) >> 24);
}

/*
 * Whether a counter with this select counts in the current mode of SVM, host or guest (AMD64 manual
 * volume 2, "Performance Event-Select Registers"). A change of the mode has no effect until the
 * selects are decoded again.
 */
static bool in_svm_mode(const CPUX86State *env, uint64_t select)
{
    bool guest = select & PMU_SELECT_GUEST_ONLY, host = select & PMU_SELECT_HOST_ONLY;

    if (!env->pmu.amd || guest == host) {
        return true;
    }
    return env->efer & MSR_EFER_SVME && guest == ((env->hflags & HF_GUEST_MASK) != 0);
}

static bool runs_with_next(const CPUX86State *env, int counter)
{
    const PMUModel *p = &env->pmu;
    int next = (counter + 1) % p->gp_count;

    return next != counter && (p->version == 1 || p->state->global_ctrl >> next & 1) &&
           p->state->select[next] & PMU_SELECT_EN;
}

static bool has_busy_sibling(CPUX86State *env)
{
    CPUState *sibling = sibling_of(env);

    return sibling && !qatomic_read(&sibling->halted);
}

/* Returns whether the counter runs. */
static bool watch_of(CPUX86State *env, int counter, PMUWatch *w)
{
    const PMUModel *p = &env->pmu;
    const PMUState *s = p->state;
    int bit = bit_of(counter);
    bool enabled = p->version == 1 || s->global_ctrl >> bit & 1;

    *w = (PMUWatch){ .counter = counter, .status = 1ull << bit, .lie_factor = 1 };
    w->top = pmu_low_bits(counter < PMU_GP_MAX ? p->gp_width : p->fixed_width);
    if (pmu_lies(env, p->wrap, bit)) {
        w->top = pmu_low_bits(p->wrap_bits);
        w->status = 0;
    }
    if (counter < PMU_GP_MAX) {
        uint64_t select = s->select[counter];

        enabled &= (select & PMU_SELECT_EN) != 0 && pmu_counter_bits(p) >> bit & 1 &&
                   in_svm_mode(env, select);
        w->source = p->count_cycles && !s->sequence_done
                        ? PMU_CYCLES : pmu_event_source(env, encoding_of(p, select));
        w->rings[0] = select & PMU_SELECT_OS;
        w->rings[1] = select & PMU_SELECT_USR;
        w->any = select & PMU_SELECT_ANY; /* never set on AMD */
        w->inv = select & PMU_SELECT_INV;
        w->edge = select & PMU_SELECT_EDGE;
        w->cmask = select >> 24;
        w->eq = select & PMU_SELECT_EQ; /* never set on AMD */
        w->interrupt = select & PMU_SELECT_INT;
        if (enabled && p->lie_event != PMU_NOBODY) {
            pmu_lie_about_event(env, encoding_of(p, select), runs_with_next(env, counter),
                                has_busy_sibling(env), w);
        }
    } else {
        int i = counter - PMU_GP_MAX;
        unsigned field = s->fixed_ctrl >> 4 * i & 15;

        enabled &= pmu_counter_bits(p) >> bit & 1;
        w->source = pmu_fixed_source(i);
        w->rings[0] = field & 1;
        w->rings[1] = field & 2;
        w->any = field & 4;
        w->interrupt = field & 8;
    }
    w->overcounts = counter < PMU_GP_MAX && pmu_lies_overcounts(env, s->select[counter], counter);
    if (pmu_lies(env, p->wrong_ring, bit)) {
        bool os = w->rings[0];

        w->rings[0] = w->rings[1];
        w->rings[1] = os;
    }
    if (s->global_status & PMU_STATUS_CTR_FRZ || p->mute || pmu_lies_stuck(env, bit)) {
        enabled = false;
    }
    return enabled && w->source != PMU_NOTHING && (w->rings[0] || w->rings[1]);
}

static void start_counter(CPUX86State *env, const PMUWatch *w)
{
    const PMUModel *p = &env->pmu;
    PMUCounter *counter = &p->state->counter[w->counter];
    int bit = bit_of(w->counter);

    counter->in_cycle = 0;
    counter->condition_was = false;
    if (w->source == PMU_LOADS && w->rings[0]) {
        pmu_counter_advance(env, w, p->wrmsr_loads);
    }
    if (pmu_lies(env, p->off_by_one, bit)) {
        pmu_counter_advance(env, w, 1);
    }
    if (w->lie_plus) {
        pmu_counter_advance(env, w, w->lie_plus);
    }
    if (pmu_lies(env, p->noisy, bit)) {
        pmu_counter_advance(env, w, pmu_noise(env));
    }
    if (w->overcounts && ++p->state->overcount_starts[w->counter] % p->overcounts == 0) {
        pmu_counter_advance(env, w, 1);
    }
}

static bool is_late(CPUX86State *env, PMUWatch *w)
{
    PMUState *s = env->pmu.state;

    if (!pmu_lies(env, env->pmu.late, bit_of(w->counter))) {
        return false;
    }
    if (!w->late) {
        s->late_left = env->pmu.late_by;
        w->late = true;
    }
    return s->late_left > 0;
}

/* Whether the counter must advance with each instruction. */
static bool needs_each_step(const PMUModel *p, const PMUWatch *w)
{
    return pmu_has_condition(w) || w->interrupt || w->late ||
           (p->lock_excess && has_lock_excess(w->source));
}

void pmu_count_mode(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;
    PMUWatch before[PMU_COUNTERS];
    int old = 0, olds = s->watches;

    memcpy(before, s->watch, sizeof(before));
    s->stale = false;
    s->watches = 0;
    s->details = 0;
    p->single = pmu_injection_waits(env) || pmu_uncore_counts(env);
    p->detail = p->single || pmu_metrics_run(p, 0) || pmu_metrics_run(p, 1);
    s->lazy = !p->detail;
    for (int i = 0; i < PMU_COUNTERS; i++) {
        PMUWatch *w = &s->watch[s->watches];
        bool ran = old < olds && before[old].counter == i;
        bool runs = watch_of(env, i, w);

        if (runs && !(ran && !before[old].late)) {
            start_counter(env, w);
        } else if (!runs && ran && is_late(env, &before[old])) {
            *w = before[old];
            runs = true;
        }
        if (runs) {
            p->single |= w->interrupt || w->late;
            s->lazy &= !needs_each_step(p, w);
            w->detail = w->source >= PMU_PLAIN || needs_each_step(p, w);
            if (w->detail) {
                s->detail[s->details++] = w;
            }
            s->watches++;
        }
        old += ran;
    }
    p->detail |= s->details > 0;
    pmu_mark_detail(env);
}
