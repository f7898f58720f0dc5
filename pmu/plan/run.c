/* SPDX-License-Identifier: BSD-2-Clause */
/* [run]. */
#include "pmu/counters/event.h"
#include "pmu/plan/keys.h"

static void take_label(struct parser *p, struct piece value)
{
    if (value.size < PLAN_LABEL_BYTES)
        piece_show(value, p->plan->label);
    else
        plan_add_error(p->plan, p->line, "label: expected at most %u characters",
                       PLAN_LABEL_BYTES - 1);
}

static void take_runs(struct parser *p, struct piece value)
{
    uint64_t found;

    if (piece_is(value, "default"))
        return;
    if (plan_take_number(p, "runs", value, 1, PLAN_RUNS_MAX, &found)) {
        p->plan->runs = (uint32_t)found;
        p->plan->runs_given = true;
    }
}

static void take_n(struct parser *p, struct piece value)
{
    if (piece_is(value, "default"))
        p->plan->n = 0;
    else
        plan_take_number(p, "n", value, 1, PLAN_N_MAX, &p->plan->n);
}

static bool take_range(struct parser *p, struct piece range, uint8_t *cpus)
{
    struct piece last;
    struct piece first = piece_cut(range, '-', &last);
    uint64_t from, to;

    if (!plan_take_number(p, "cpus", first, 0, PLAN_CPUS_MAX - 1, &from))
        return false;
    to = from;
    if (first.size < range.size && !plan_take_number(p, "cpus", last, from, PLAN_CPUS_MAX - 1, &to))
        return false;
    for (; from <= to; from++)
        cpus[from / 8] |= (uint8_t)(1u << from % 8);
    return true;
}

static bool is_letter(struct piece value)
{
    return value.size > 0 && (value.at[0] | 0x20) >= 'a' && (value.at[0] | 0x20) <= 'z';
}

/* One of the words for a choice of CPUs. */
static void take_cpus_word(struct parser *p, struct piece value)
{
    static const char *const WORDS[CPUS_LISTED + 1] = {
        [CPUS_ALL] = "all",
        [CPUS_BOOT] = "boot",
        [CPUS_ONE_PER_CORE] = "one-per-core",
        [CPUS_PERFORMANCE] = "performance",
        [CPUS_EFFICIENCY] = "efficiency",
    };
    unsigned found = plan_find_word(value, WORDS);
    char shown[PLAN_NAME_BYTES];

    if (found < CPUS_LISTED)
        p->plan->cpus = (enum plan_cpus)found;
    else
        plan_add_error(p->plan, p->line,
                       "cpus: expected all, boot, one-per-core, performance, efficiency or numbers "
                       "such as 0,2-5, found '%s'",
                       piece_show(value, shown));
}

static void take_cpus(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;
    uint8_t listed[PLAN_CPUS_MAX / 8] = {0};

    plan->cpus_line = p->line;
    if (is_letter(value)) {
        take_cpus_word(p, value);
        return;
    }
    do {
        if (!take_range(p, piece_cut(value, ',', &value), listed))
            return;
    } while (value.size > 0);
    for (size_t i = 0; i < sizeof(listed); i++)
        plan->listed[i] = listed[i];
    plan->cpus = CPUS_LISTED;
}

static void take_kernels(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;

    if (p->kernels_section) {
        plan_add_error(plan, p->line, "kernels: the section [kernels] above holds instead");
        return;
    }
    p->kernels_line = p->line;
    do {
        struct piece name = piece_cut(value, ',', &value);
        char shown[PLAN_NAME_BYTES];

        if (name.size == 0 || name.size >= PLAN_NAME_BYTES || plan->kernels == PLAN_KERNELS_MAX) {
            plan_add_error(plan, p->line,
                           "kernels: expected at most %u names separated by commas, found '%s'",
                           PLAN_KERNELS_MAX, piece_show(name, shown));
            continue;
        }
        piece_show(name, plan->kernel[plan->kernels].name);
        plan->kernel[plan->kernels++].line = p->line;
    } while (value.size > 0);
}

static void take_ring(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"os", "usr", "both", "default", 0};
    static const uint8_t RINGS[] = {RING_OS, RING_USR, RING_OS | RING_USR};
    unsigned which = plan_take_word(p, "ring", value, WORDS);

    if (which >= sizeof(RINGS))
        return;
    p->plan->rings = RINGS[which];
    p->plan->rings_given = true;
}

static void take_cpl(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"0", "3", 0};
    unsigned which = plan_take_word(p, "cpl", value, WORDS);

    if (which > 1)
        return;
    p->plan->cpl = which == 0 ? 0 : 3;
    p->cpl_given = true;
}

static void take_overflow_after(struct parser *p, struct piece value)
{
    uint64_t found;

    if (plan_take_number(p, "overflow_after", value, 0, PLAN_OVERFLOW_MAX, &found)) {
        p->plan->overflow_after = (uint32_t)found;
        p->overflow_line = p->line;
    }
}

/* The groups may stand below: plan_events_end() understands the value. */
static void take_events(struct parser *p, struct piece value)
{
    p->events = value;
    p->events_line = p->line;
}

static const struct plan_key KEYS[] = {
    {"label", .take = take_label},
    {"cpus", .take = take_cpus},
    {"runs", .take = take_runs},
    {"warmup", PLAN_NUMBER(struct plan, warmup, 0, PLAN_WARMUP_MAX)},
    {"kernels", .take = take_kernels},
    {"n", .take = take_n},
    {"at_end",
     PLAN_WORD(struct plan, at_end, [AT_END_MENU] = "menu", [AT_END_SHUTDOWN] = "shutdown",
               [AT_END_REBOOT] = "reboot", [AT_END_LEAVE] = "leave")},
    {"mode", PLAN_WORD(struct plan, mode, [MODE_SERIAL] = "serial", [MODE_PARALLEL] = "parallel")},
    {"ring", .take = take_ring},
    {"cpl", .take = take_cpl},
    {"method",
     PLAN_WORD(struct plan, method, [METHOD_RESET] = "reset", [METHOD_DELTAS] = "deltas")},
    {"overflow_after", .take = take_overflow_after},
    {"events", .take = take_events},
    {"strict", PLAN_WORD(struct plan, strict, "no", "yes")},
    {"unsafe_msr", PLAN_WORD(struct plan, unsafe_msr, "no", "yes")},
    {"timeout_ms", PLAN_NUMBER(struct plan, timeout_ms, 1, PLAN_TIMEOUT_MS_MAX)},
    {"noise_ms", PLAN_NUMBER(struct plan, noise_ms, 0, PLAN_NOISE_MS_MAX)},
    {"noise_threshold_ns",
     PLAN_NUMBER(struct plan, noise_threshold_ns, PLAN_NOISE_NS_MIN, PLAN_NOISE_NS_MAX)},
};
static const struct plan_section RUN = {"[run]", KEYS, sizeof(KEYS) / sizeof(KEYS[0]), 0};

void plan_run_line(struct parser *p, struct piece line)
{
    plan_take_key(p, &RUN, &p->run_seen, line, p->plan);
}

void plan_run_end(struct parser *p)
{
    struct plan *plan = p->plan;

    if (!p->cpl_given && plan->rings == RING_USR)
        plan->cpl = 3;
    if (plan->method != METHOD_DELTAS || plan->overflow_after == 0)
        return;
    plan_add_error(plan, p->overflow_line,
                   "overflow_after: expected 0 with method=deltas, found %u; only method=reset "
                   "presets counters",
                   plan->overflow_after);
    plan->overflow_after = 0;
}
